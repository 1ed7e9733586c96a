import type { OperationName, Operations, Problem } from "./api.js";
import { NetworkError } from "./errors.js";
import type { RetryPolicy } from "./timing.js";
/** Source of the token that requests carry: an `Account`, or a function. */
export interface Credentials {
    /** Returns the token of the next request; undefined if nobody is signed in. */
    accessToken(signal?: AbortSignal): Promise<string | undefined>;
    /** Returns a token other than the one that was refused; undefined if there is none. */
    replacement(refused: string, signal?: AbortSignal): Promise<string | undefined>;
}
/** Options of `createHearth`. */
export interface HearthOptions {
    /** Such as `https://family.example.org`. */
    baseURL: string | URL;
    /**
     * An account, or a function that returns the current token of an identity provider; undefined if
     * nobody is signed in. An error that it throws arrives as `SignInFailedError`.
     */
    credentials?: Credentials | (() => TokenResult | Promise<TokenResult>) | undefined;
    /** Replaces the global `fetch`. */
    fetch?: typeof fetch | undefined;
    /** Limits of retries; the default sends a request at most four times within some seconds. */
    retry?: Partial<RetryPolicy> | undefined;
    /** Deadline of each attempt in milliseconds, body included (30,000). */
    timeoutMs?: number | undefined;
}
declare type TokenResult = string | null | undefined;
/** Options for the headers of a request. Each operation takes only its own (`CallOptions`). */
export interface HeaderOptions {
    /** Child without an account on whose behalf the call is made: `managed_` and its id. */
    actingAs?: string | undefined;
    /** Under one key a change has one effect. Without this option each call has a new key. */
    idempotencyKey?: string | undefined;
    /** `etag` of the value that the change is based on: refused if it has changed since. */
    ifMatch?: string | undefined;
    /** `etag` of a copy: `result` returns `notModified` if the copy is current. */
    ifNoneMatch?: string | undefined;
    /** The mailed code that confirms the deletion of the account. */
    confirmationCode?: string | undefined;
    /** Time of a change that was made offline. Of two changes the later one wins. */
    changedAt?: Date | string | undefined;
    /** The family's version that a change made offline is based on. */
    baseVersion?: number | undefined;
}
/** Options of any call. */
export interface BaseOptions {
    /** Cancels the call: it then throws the signal's reason. */
    signal?: AbortSignal | undefined;
    /** Deadline of each attempt in milliseconds. */
    timeoutMs?: number | undefined;
    /** If false, the request is sent once; if true, repeated even without an idempotency key. */
    retry?: boolean | undefined;
}
/** Options of a call: those of any call, and the headers that the operation takes. */
export declare type CallOptions<Name extends OperationName> = BaseOptions & Pick<HeaderOptions, Exclude<Operations[Name]["options"], "ifNoneMatch">>;
/** Request of an operation: `path`, `query` and `body`, where it has them. */
export declare type RequestOf<Name extends OperationName> = Operations[Name]["request"];
/** Body of an operation's response. */
export declare type ResponseOf<Name extends OperationName> = Operations[Name]["success"]["body"];
/** A success with its headers. */
export declare type SuccessOf<Name extends OperationName> = Operations[Name]["success"] & {
    readonly ok: true;
    readonly notModified?: never;
    readonly headers: Headers;
    /** Version of the value, for `ifMatch` and `ifNoneMatch`; null if it has none. */
    readonly etag: string | null;
};
/** A refusal that was not thrown. */
export interface RefusedResult<Name extends OperationName> {
    readonly ok: false;
    readonly notModified?: never;
    readonly problem: Problem<Operations[Name]["code"]>;
    readonly headers: Headers;
}
/** The response to `ifNoneMatch` if the copy is current. */
export interface NotModified {
    readonly ok: false;
    readonly notModified: true;
    readonly headers: Headers;
}
/** Outcome of a call: a success, or a refusal. */
export declare type Result<Name extends OperationName> = SuccessOf<Name> | RefusedResult<Name>;
declare type Arguments<Name extends OperationName> = {} extends RequestOf<Name> ? [request?: RequestOf<Name>, options?: CallOptions<Name>] : [request: RequestOf<Name>, options?: CallOptions<Name>];
/** Parts of a request of any operation. */
export declare type Parts = {
    path?: Record<string, string | number>;
    query?: Record<string, string | number | boolean | null | undefined>;
    body?: unknown;
};
/** A request, before headers of the client are added. */
export interface RawRequest {
    readonly method: string;
    /** Path and query. */
    readonly target: string;
    readonly headers: Record<string, string>;
    readonly body?: string;
}
/** Outcome of a request of any operation. */
declare type Outcome = {
    ok: true;
    status: number;
    headers: Headers;
    etag: string | null;
    body: unknown;
} | {
    ok: false;
    notModified?: never;
    problem: Problem;
    headers: Headers;
} | NotModified;
/** A client of a Hearth. `createHearth` makes one. */
export declare class Hearth {
    #private;
    constructor(options: HearthOptions, child?: string, copies?: Copies);
    /** Returns a client whose calls are made on behalf of a child, where operations allow it. */
    actingAs(child: string | undefined): Hearth;
    /** Calls an operation and returns the body of its response. Throws a `HearthError`. */
    call<Name extends OperationName>(name: Name, ...given: Arguments<Name>): Promise<ResponseOf<Name>>;
    /** Calls an operation and returns its outcome, which may be a refusal. Throws other errors. */
    result<Name extends OperationName>(name: Name, request: RequestOf<Name>, options: ConditionalOptions<Name>): Promise<Result<Name> | NotModified>;
    result<Name extends OperationName>(name: Name, ...given: Arguments<Name>): Promise<Result<Name>>;
    /** Sends a request and returns its outcome. The letters are those of its operation. @internal */
    perform(made: RawRequest, letters: string, options: BaseOptions, acting?: string): Promise<Outcome>;
    /** Opens a response whose body is read as it arrives. @internal */
    open(request: RawRequest, signal: AbortSignal): Promise<Response>;
}
/** Options of a read with `ifNoneMatch`. */
export declare type ConditionalOptions<Name extends OperationName> = CallOptions<Name> & ("ifNoneMatch" extends Operations[Name]["options"] ? {
    ifNoneMatch: string;
} : never);
/** Creates a client of a Hearth. */
export declare function createHearth(options: HearthOptions): Hearth;
/** Returns the request of an operation. */
export declare function requestOf<Name extends OperationName>(name: Name, request: RequestOf<Name> | undefined, options: HeaderOptions): RawRequest;
/** Returns the request of an entry in a table of operations. */
export declare function requestIn([method, template, letters]: readonly [string, string, string], name: string, parts: Parts, options: HeaderOptions): RawRequest;
/** Returns a new idempotency key. */
export declare function newKey(): string;
/** The latest copies of values that have an `etag`, in memory. */
declare class Copies {
    #private;
    find(key: string): {
        etag: string;
        body: string | ArrayBuffer;
    } | undefined;
    store(key: string, etag: string | null, body: string | ArrayBuffer): void;
}
/** Returns the error of an attempt that got no response. */
export declare function networkError(error: unknown, attempts: number): NetworkError;
export {};
