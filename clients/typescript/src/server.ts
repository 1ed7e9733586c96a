import { serverOperations } from "./api.js";
import type { ServerEvents, ServerOperationName, ServerOperations } from "./api.js";
import { Hearth, requestIn } from "./client.js";
import type { BaseOptions, Parts } from "./client.js";
import { Refusal } from "./errors.js";
import { pause } from "./timing.js";
import type { RetryPolicy } from "./timing.js";

/** Options of `createHearthServer`. */
export interface HearthServerOptions {
  /** Such as `https://family.example.org`. */
  baseURL: string | URL;
  /**
   * The API key, or a function that returns it. After a refusal the function is called again, so
   * it may read a key that was rotated meanwhile.
   */
  key: string | (() => string | Promise<string>);
  /** Replaces the global `fetch`. */
  fetch?: typeof fetch | undefined;
  /** Limits of retries of reads. */
  retry?: Partial<RetryPolicy> | undefined;
  /** Deadline of each attempt in milliseconds, body included (30,000). */
  timeoutMs?: number | undefined;
}

/** Request of an operation for servers: `path`, `query` and `body`, where it has them. */
export type ServerRequestOf<Name extends ServerOperationName> = ServerOperations[Name]["request"];

type ServerArguments<Name extends ServerOperationName> = {} extends ServerRequestOf<Name>
  ? [request?: ServerRequestOf<Name>, options?: BaseOptions]
  : [request: ServerRequestOf<Name>, options?: BaseOptions];

/**
 * A client for the server of an app, which calls with an API key. Never use it in a browser or an
 * app: whoever has the key reads every family.
 */
export class HearthServer {
  readonly #hearth: Hearth;

  constructor(options: HearthServerOptions) {
    const { key, ...others } = options;
    this.#hearth = new Hearth({
      ...others, credentials: async () => typeof key === "function" ? await key() : key,
    });
  }

  /** Calls an operation and returns the body of its response. Throws a `HearthError`. */
  async call<Name extends ServerOperationName>(
    name: Name, ...[request, options]: ServerArguments<Name>
  ): Promise<ServerOperations[Name]["success"]["body"]> {
    const entry = serverOperations[name];
    const parts = (request ?? {}) as Parts;
    const made = requestIn(entry, name, parts, {});
    const result = await this.#hearth.perform(made, entry[2], options ?? {});
    if (result.ok) return result.body as ServerOperations[Name]["success"]["body"];
    // Only a read with `If-None-Match` is not modified, and none is sent here.
    if (result.notModified === true) throw new TypeError("a response without a body");
    throw new Refusal(result.problem, result.headers);
  }

  /**
   * Yields pages of events for ever, without empty ones. Store each page's `nextCursor` when its
   * events are done, and pass it here after a restart.
   */
  async *events(
    cursor?: string | null, options: BaseOptions & { pauseMs?: number } = {}
  ): AsyncGenerator<ServerEvents, never, void> {
    let next = cursor ?? undefined;
    while (true) {
      const query = next === undefined ? {} : { cursor: next };
      const page = await this.call("listServerEvents", { query }, options);
      next = page.nextCursor ?? next;
      if (page.events.length > 0) yield page;
      else await pause(options.pauseMs ?? 5_000, options.signal);
    }
  }
}

/** Creates a client for the server of an app. */
export function createHearthServer(options: HearthServerOptions): HearthServer {
  return new HearthServer(options);
}
