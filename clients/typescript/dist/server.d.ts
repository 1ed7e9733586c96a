import type { ServerEvents, ServerOperationName, ServerOperations } from "./api.js";
import type { BaseOptions } from "./client.js";
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
export declare type ServerRequestOf<Name extends ServerOperationName> = ServerOperations[Name]["request"];
declare type ServerArguments<Name extends ServerOperationName> = {} extends ServerRequestOf<Name> ? [request?: ServerRequestOf<Name>, options?: BaseOptions] : [request: ServerRequestOf<Name>, options?: BaseOptions];
/**
 * A client for the server of an app, which calls with an API key. Never use it in a browser or an
 * app: whoever has the key reads every family.
 */
export declare class HearthServer {
    #private;
    constructor(options: HearthServerOptions);
    /** Calls an operation and returns the body of its response. Throws a `HearthError`. */
    call<Name extends ServerOperationName>(name: Name, ...[request, options]: ServerArguments<Name>): Promise<ServerOperations[Name]["success"]["body"]>;
    /**
     * Yields pages of events for ever, without empty ones. Store each page's `nextCursor` when its
     * events are done, and pass it here after a restart.
     */
    events(cursor?: string | null, options?: BaseOptions & {
        pauseMs?: number;
    }): AsyncGenerator<ServerEvents, never, void>;
}
/** Creates a client for the server of an app. */
export declare function createHearthServer(options: HearthServerOptions): HearthServer;
export {};
