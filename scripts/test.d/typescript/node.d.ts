// Declarations of the parts of Node that the tests use. Debian has no package of all of them.

declare const process: {
  readonly argv: string[];
  readonly env: Record<string, string | undefined>;
  readonly execPath: string;
  readonly stdout: { write(text: string): void };
  exitCode: number;
  on(event: "unhandledRejection", listener: (error: unknown) => void): void;
  exit(code: number): never;
};

declare module "node:test" {
  type Work = () => void | Promise<void>;
  export function test(name: string, work: Work): Promise<void>;
  export function after(work: Work): void;
}

declare module "node:assert/strict" {
  export function ok(value: unknown, message?: string): asserts value;
  export function equal(actual: unknown, expected: unknown, message?: string): void;
  export function notEqual(actual: unknown, expected: unknown, message?: string): void;
  export function deepEqual(actual: unknown, expected: unknown, message?: string): void;
  export function rejects(
    work: Promise<unknown>, check?: (error: unknown) => boolean
  ): Promise<void>;
}

declare module "node:crypto" {
  export function randomUUID(): string;
  export function createHmac(algorithm: string, key: string): {
    update(text: string): { digest(encoding: "base64url"): string };
  };
}

declare module "node:fs" {
  export function readFileSync(path: string, encoding: "utf8"): string;
  export function existsSync(path: string): boolean;
  export function openSync(path: string, flags: string): number;
  export function writeSync(file: number, text: string): void;
  export function fdatasyncSync(file: number): void;
  export function mkdtempSync(prefix: string): string;
  export function rmSync(path: string, options: object): void;
}

declare module "node:child_process" {
  export interface Child {
    readonly stdout: AsyncIterable<Uint8Array>;
    kill(signal: "SIGKILL"): boolean;
    on(event: "close", listener: () => void): void;
  }
  export function spawn(program: string, words: string[], options: object): Child;
}

declare module "node:http" {
  export interface Headers { [name: string]: string | string[] | undefined }
  interface Socket { destroy(): void }
  export interface Incoming extends AsyncIterable<Uint8Array> {
    readonly method?: string;
    readonly url?: string;
    readonly headers: Headers;
    readonly statusCode?: number;
    readonly socket: Socket | null;
    on(event: "error", listener: (error: Error) => void): this;
    pipe(to: Outgoing): void;
  }
  export interface Outgoing {
    readonly socket: Socket | null;
    writeHead(status: number, headers: Headers): void;
    flushHeaders(): void;
    write(bytes: Uint8Array | string, done?: () => void): void;
    end(bytes?: Uint8Array | string): void;
    destroy(): void;
    on(event: "close" | "error", listener: () => void): this;
  }
  interface Server {
    listen(port: number, host: string, ready: () => void): void;
    address(): { port: number };
    close(): void;
    closeAllConnections(): void;
    unref(): void;
  }
  interface Agent { destroy(): void }
  export const Agent: { new(options: object): Agent };
  export function createServer(serve: (request: Incoming, response: Outgoing) => void): Server;
  export function request(
    options: object, receive: (response: Incoming) => void
  ): Outgoing & { on(event: "error", listener: (error: Error) => void): void };
}
