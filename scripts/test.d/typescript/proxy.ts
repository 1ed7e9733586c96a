// A proxy between a client and hearth-api that injects faults of a network.

import { Agent, createServer, request } from "node:http";
import type { Incoming } from "node:http";

/** Fault of one request. */
export type Fault =
  | "none"
  /** The connection ends before the request reaches the server. */
  | "dropRequest"
  /** The connection ends after the server has responded, before the client gets any of it. */
  | "dropResponse"
  /** The client gets the headers and half of the body. */
  | "truncate"
  /** The server gets the request twice, and the client the second response. */
  | "repeat"
  | { readonly delayMs: number }
  /** The client gets this response, and the server no request. */
  | { readonly status: number; readonly headers?: Record<string, string>; readonly body?: string };

interface Received {
  readonly status: number;
  readonly headers: Incoming["headers"];
  readonly body: Uint8Array;
}

export class Proxy {
  /** Chooses the fault of a request by its path. */
  fault: (path: string, method: string) => Fault = () => "none";
  /** Paths of the requests so far. */
  readonly paths: string[] = [];
  readonly #upstream: URL;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #server = createServer((incoming, outgoing) => {
    this.#serve(incoming, outgoing).catch(() => outgoing.destroy());
  });

  private constructor(upstream: string) {
    this.#upstream = new URL(upstream);
  }

  static async start(upstream: string): Promise<Proxy> {
    const proxy = new Proxy(upstream);
    await new Promise<void>((ready) => proxy.#server.listen(0, "127.0.0.1", ready));
    proxy.#server.unref();
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#server.address().port}`;
  }

  /** Ends all connections. */
  cut(): void {
    this.#server.closeAllConnections();
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
    this.#agent.destroy();
  }

  async #serve(
    incoming: Incoming, outgoing: Parameters<Parameters<typeof createServer>[0]>[1]
  ): Promise<void> {
    const path = (incoming.url ?? "").replace(/\?.*/, "");
    this.paths.push(path);
    const fault = this.fault(path, incoming.method ?? "");
    if (fault === "dropRequest") return outgoing.destroy();
    const body = await whole(incoming);
    if (typeof fault === "object" && "status" in fault) {
      outgoing.writeHead(fault.status, fault.headers ?? {});
      return outgoing.end(fault.body ?? "");
    }
    if (path === "/api/live") return this.#relay(incoming, outgoing);
    let response = await this.#forward(incoming, body);
    if (fault === "repeat") response = await this.#forward(incoming, body);
    if (fault === "dropResponse") return outgoing.destroy();
    if (typeof fault === "object") await new Promise((end) => setTimeout(end, fault.delayMs));
    outgoing.writeHead(response.status, response.headers);
    if (fault !== "truncate") return outgoing.end(response.body);
    outgoing.flushHeaders();
    outgoing.write(
      response.body.slice(0, Math.floor(response.body.length / 2)), () => outgoing.destroy());
    if (response.body.length < 2) outgoing.destroy();
  }

  async #forward(incoming: Incoming, body: Uint8Array): Promise<Received> {
    const response = await this.#send(incoming, body);
    const { statusCode: status = 0, headers } = response;
    return { status, headers, body: await whole(response) };
  }

  /** Forwards an endless response as it arrives. */
  async #relay(
    incoming: Incoming, outgoing: Parameters<Parameters<typeof createServer>[0]>[1]
  ): Promise<void> {
    const response = await this.#send(incoming, new Uint8Array());
    outgoing.on("close", () => response.socket?.destroy());
    response.on("error", () => outgoing.destroy());
    outgoing.writeHead(response.statusCode ?? 0, response.headers);
    outgoing.flushHeaders();
    response.pipe(outgoing);
  }

  #send(incoming: Incoming, body: Uint8Array): Promise<Incoming> {
    const { host: _, ...headers } = incoming.headers;
    return new Promise((resolve, reject) => {
      const sent = request({
        host: this.#upstream.hostname, port: this.#upstream.port, agent: this.#agent,
        path: incoming.url, method: incoming.method, headers,
      }, resolve);
      sent.on("error", reject);
      sent.end(body);
    });
  }
}

async function whole(stream: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const parts: number[] = [];
  for await (const part of stream) parts.push(...part);
  return Uint8Array.from(parts);
}
