import { operations } from "./api.js";
import type { OperationName, Operations, Problem } from "./api.js";
import {
  NetworkError, Refusal, retryAfter, UnexpectedResponse, wrappingSignIn,
} from "./errors.js";
import {
  DeadlineExceeded, onNetwork, pause, pauseBefore, throwIfAborted, untilAborted, withDeadline,
} from "./timing.js";
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

type TokenResult = string | null | undefined;

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
export type CallOptions<Name extends OperationName> =
  & BaseOptions
  & Pick<HeaderOptions, Exclude<Operations[Name]["options"], "ifNoneMatch">>;

/** Request of an operation: `path`, `query` and `body`, where it has them. */
export type RequestOf<Name extends OperationName> = Operations[Name]["request"];

/** Body of an operation's response. */
export type ResponseOf<Name extends OperationName> = Operations[Name]["success"]["body"];

/** A success with its headers. */
export type SuccessOf<Name extends OperationName> = Operations[Name]["success"] & {
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
export type Result<Name extends OperationName> = SuccessOf<Name> | RefusedResult<Name>;

type Arguments<Name extends OperationName> = {} extends RequestOf<Name>
  ? [request?: RequestOf<Name>, options?: CallOptions<Name>]
  : [request: RequestOf<Name>, options?: CallOptions<Name>];

/** Parts of a request of any operation. */
export type Parts = {
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

/** A response with its body. */
interface RawResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string | ArrayBuffer;
}

/** Outcome of a request of any operation. */
type Outcome =
  | { ok: true; status: number; headers: Headers; etag: string | null; body: unknown }
  | { ok: false; notModified?: never; problem: Problem; headers: Headers }
  | NotModified;

/** A client of a Hearth. `createHearth` makes one. */
export class Hearth {
  readonly #options: HearthOptions;
  readonly #baseURL: string;
  readonly #policy: RetryPolicy;
  readonly #copies: Copies;
  readonly #child: string | undefined;

  constructor(options: HearthOptions, child?: string, copies = new Copies()) {
    this.#options = options;
    this.#baseURL = String(options.baseURL).replace(/\/+$/, "");
    this.#policy = { attempts: 4, firstPauseMs: 400, longestPauseMs: 10_000, ...options.retry };
    this.#child = child;
    this.#copies = copies;
  }

  /** Returns a client whose calls are made on behalf of a child, where operations allow it. */
  actingAs(child: string | undefined): Hearth {
    return new Hearth(this.#options, child, this.#copies);
  }

  /** Calls an operation and returns the body of its response. Throws a `HearthError`. */
  async call<Name extends OperationName>(
    name: Name, ...given: Arguments<Name>
  ): Promise<ResponseOf<Name>> {
    const result: Result<Name> = await this.result(name, ...given);
    if (!result.ok) throw new Refusal(result.problem, result.headers);
    return result.body;
  }

  /** Calls an operation and returns its outcome, which may be a refusal. Throws other errors. */
  result<Name extends OperationName>(
    name: Name, request: RequestOf<Name>, options: ConditionalOptions<Name>
  ): Promise<Result<Name> | NotModified>;
  result<Name extends OperationName>(
    name: Name, ...given: Arguments<Name>
  ): Promise<Result<Name>>;
  async result<Name extends OperationName>(
    name: Name, request?: RequestOf<Name>, options: BaseOptions & HeaderOptions = {}
  ): Promise<unknown> {
    const acting = options.actingAs ?? this.#child;
    const made = requestOf(name, request, { ...options, actingAs: acting });
    return this.perform(made, operations[name][2], options, acting);
  }

  /** Sends a request and returns its outcome. The letters are those of its operation. @internal */
  async perform(
    made: RawRequest, letters: string, options: BaseOptions, acting?: string
  ): Promise<Outcome> {
    const { method } = made;
    if (letters.includes("k")) made.headers["Idempotency-Key"] ??= newKey();
    const key = `${acting ?? ""} ${made.target}`;
    const copy = method === "GET" && !made.headers["If-None-Match"]
      ? this.#copies.find(key) : undefined;
    if (copy) made.headers["If-None-Match"] = copy.etag;
    const isRepeatable = options.retry
      ?? (method === "GET" || made.headers["Idempotency-Key"] !== undefined);
    const reading = letters.includes("b") ? "bytes" : letters.includes("x") ? "text" : "json";
    const isOpen = letters.includes("o");
    const response = await this.#send(made, options, isRepeatable, isOpen, reading === "bytes");
    const { status, headers } = response;
    if (status === 304 && !copy) return { ok: false, notModified: true, headers };
    if (status >= 400) return { ok: false, problem: problemOf(response), headers };
    const isCurrent = status === 304 && copy !== undefined;
    const body = isCurrent ? copy.body : response.body;
    const etag = headers.get("etag") ?? (isCurrent ? copy.etag : null);
    if (method === "GET") this.#copies.store(key, etag, body);
    const value = reading === "json" ? jsonOf(status, body) : body;
    return { ok: true, status: isCurrent ? 200 : status, headers, etag, body: value };
  }

  /** Sends a request until it has a response that a repetition would not change. */
  async #send(
    request: RawRequest, options: BaseOptions, isRepeatable: boolean, isOpen: boolean,
    isBinary: boolean
  ): Promise<RawResponse> {
    const { signal } = options;
    let token = await this.#token(request, isOpen, signal);
    let hasReplacedToken = false;
    for (let attempts = 1; ; attempts += 1) {
      let response: RawResponse | undefined;
      let failure: NetworkError | undefined;
      try {
        response = await withDeadline(
          options.timeoutMs ?? this.#options.timeoutMs ?? 30_000, signal,
          // Some replacements of `fetch` ignore the signal.
          (limit) => untilAborted(this.#receive(request, token, limit, isBinary), limit));
      } catch (error) {
        throwIfAborted(signal);
        failure = networkError(error, attempts);
      }
      if (response?.status === 401 && token !== undefined && !hasReplacedToken) {
        hasReplacedToken = true;
        const other = await this.#replacement(token, signal);
        if (other !== undefined) {
          token = other;
          attempts -= 1;
          continue;
        }
      }
      const asked = response && retryAfter(response.headers);
      const wait = isRepeatable && options.retry !== false
        && (response === undefined || canSucceedSoon(response))
        ? pauseBefore(this.#policy, attempts, asked) : undefined;
      if (wait === undefined) {
        if (response === undefined) throw failure;
        return response;
      }
      await pauseOrNetwork(wait, asked === undefined, signal);
    }
  }

  async #receive(
    request: RawRequest, token: string | undefined, signal: AbortSignal, isBinary: boolean
  ): Promise<RawResponse> {
    const found = await this.#fetch(request, token, signal);
    const { status, headers } = found;
    const body = found.ok && isBinary ? await found.arrayBuffer() : await found.text();
    return { status, headers, body };
  }

  /** Opens a response whose body is read as it arrives. @internal */
  async open(request: RawRequest, signal: AbortSignal): Promise<Response> {
    const headers = this.#child === undefined ? request.headers
      : { ...request.headers, "X-Acting-As-Member": this.#child };
    const token = await this.#token(request, false, signal);
    const response = await this.#fetch({ ...request, headers }, token, signal);
    if (response.status !== 401 || token === undefined) return response;
    const other = await this.#replacement(token, signal);
    if (other === undefined) return response;
    await response.body?.cancel();
    return this.#fetch({ ...request, headers }, other, signal);
  }

  #fetch(request: RawRequest, token: string | undefined, signal: AbortSignal): Promise<Response> {
    const send = this.#options.fetch ?? fetch;
    const { method, target, headers, body } = request;
    return send(this.#baseURL + target, {
      method,
      headers: token === undefined ? headers : { ...headers, Authorization: `Bearer ${token}` },
      signal,
      // Hearth never redirects a call; cookies belong to its pages, not to the API.
      redirect: "error",
      credentials: "omit",
      ...(body === undefined ? {} : { body }),
    });
  }

  async #token(
    request: RawRequest, isOpen: boolean, signal: AbortSignal | undefined
  ): Promise<string | undefined> {
    const { credentials } = this.#options;
    // Requests that sign in carry no token.
    if (credentials === undefined || isOpen && request.target.startsWith("/api/auth/")) {
      return undefined;
    }
    try {
      return (await untilAborted(wrappingSignIn(() => typeof credentials === "function"
        ? credentials() : credentials.accessToken(signal)), signal)) ?? undefined;
    } catch (error) {
      throwIfAborted(signal);
      if (isOpen) return undefined;
      throw error;
    }
  }

  async #replacement(
    refused: string, signal: AbortSignal | undefined
  ): Promise<string | undefined> {
    const { credentials } = this.#options;
    if (credentials === undefined) return undefined;
    const token = (await untilAborted(wrappingSignIn(() => typeof credentials === "function"
      ? credentials() : credentials.replacement(refused, signal)), signal)) ?? undefined;
    return token === refused ? undefined : token;
  }
}

/** Options of a read with `ifNoneMatch`. */
export type ConditionalOptions<Name extends OperationName> = CallOptions<Name>
  & ("ifNoneMatch" extends Operations[Name]["options"] ? { ifNoneMatch: string } : never);

/** Creates a client of a Hearth. */
export function createHearth(options: HearthOptions): Hearth {
  return new Hearth(options);
}

/** Returns the request of an operation. */
export function requestOf<Name extends OperationName>(
  name: Name, request: RequestOf<Name> | undefined, options: HeaderOptions
): RawRequest {
  return requestIn(operations[name], name, request ?? {}, options);
}

/** Returns the request of an entry in a table of operations. */
export function requestIn(
  [method, template, letters]: readonly [string, string, string], name: string, parts: Parts,
  options: HeaderOptions
): RawRequest {
  const path = template.replace(/\{(\w+)\}/g, (_, part: string) => {
    const value = parts.path?.[part];
    // An empty segment would be another route.
    if (value === undefined || value === "") throw new TypeError(`${name} needs path.${part}`);
    return encodeURIComponent(String(value));
  });
  const search = Object.entries(parts.query ?? {})
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([key, value]) => `${key}=${encodeURIComponent(String(value))}`).join("&");
  const headers: Record<string, string> = {};
  for (const [letter, option, header] of headerOptions) {
    const value = options[option];
    if (value === undefined || !letters.includes(letter)) continue;
    headers[header] = value instanceof Date ? value.toISOString() : String(value);
  }
  const target = search === "" ? path : `${path}?${search}`;
  if (parts.body === undefined) return { method, target, headers };
  headers["Content-Type"] = "application/json";
  return { method, target, headers, body: JSON.stringify(parts.body) };
}

/** Letters in the table of operations, with options and headers. */
const headerOptions = [
  ["a", "actingAs", "X-Acting-As-Member"],
  ["k", "idempotencyKey", "Idempotency-Key"],
  ["m", "ifMatch", "If-Match"],
  ["n", "ifNoneMatch", "If-None-Match"],
  ["c", "confirmationCode", "X-Confirmation-Code"],
  ["t", "changedAt", "X-Changed-At"],
  ["v", "baseVersion", "X-Base-Version"],
] as const;

/** Returns a new idempotency key. */
export function newKey(): string {
  // Pages over plain http, Node 18 and React Native have no `randomUUID`. A key only has to be
  // another one than the account's other keys.
  const part = () => Math.random().toString(36).slice(2);
  return (globalThis.crypto as Partial<Crypto> | undefined)?.randomUUID?.()
    ?? `${Date.now().toString(36)}-${part()}${part()}`;
}

/** The latest copies of values that have an `etag`, in memory. */
class Copies {
  readonly #copies = new Map<string, { etag: string; body: string | ArrayBuffer }>();

  find(key: string): { etag: string; body: string | ArrayBuffer } | undefined {
    return this.#copies.get(key);
  }

  store(key: string, etag: string | null, body: string | ArrayBuffer): void {
    this.#copies.delete(key);
    if (etag === null) return;
    this.#copies.set(key, { etag, body });
    // A map lists its keys in the order in which they were added: the oldest first.
    const [oldest] = this.#copies.keys();
    if (this.#copies.size > 64 && oldest !== undefined) this.#copies.delete(oldest);
  }
}

/** Returns the error of an attempt that got no response. */
export function networkError(error: unknown, attempts: number): NetworkError {
  const isOffline = (globalThis.navigator as Navigator | undefined)?.onLine === false;
  const reason = error instanceof DeadlineExceeded ? "timeout"
    : isOffline ? "offline" : "connection";
  return new NetworkError(reason, attempts, error);
}

/** Returns whether the same request can succeed soon. */
function canSucceedSoon(response: RawResponse): boolean {
  if ([502, 503, 504].includes(response.status)) return true;
  if (response.status === 429) return retryAfter(response.headers) !== undefined;
  return response.status === 409 && codeOf(response) === "idempotency_key_in_use";
}

/** Waits for a pause, which ends early when the device reports a network again. */
async function pauseOrNetwork(
  ms: number, endsEarly: boolean, signal: AbortSignal | undefined
): Promise<void> {
  throwIfAborted(signal);
  if (!endsEarly) return pause(ms, signal);
  const controller = new AbortController();
  const stop = onNetwork(() => controller.abort());
  const abort = () => controller.abort();
  signal?.addEventListener("abort", abort);
  try {
    await pause(ms, controller.signal);
  } catch {
    throwIfAborted(signal);
  } finally {
    stop();
    signal?.removeEventListener("abort", abort);
  }
}

function jsonOf(status: number, body: string | ArrayBuffer): unknown {
  try {
    return JSON.parse(body as string);
  } catch {
    throw new UnexpectedResponse(status, String(body));
  }
}

function codeOf(response: RawResponse): unknown {
  try {
    return JSON.parse(String(response.body))?.code;
  } catch {
    return undefined;
  }
}

/**
 * Returns the problem in a response. Throws `UnexpectedResponse` if it has none: the JSON of a
 * gateway may have a `code` as well.
 */
function problemOf(response: RawResponse): Problem {
  const type = response.headers.get("content-type") ?? "";
  if (type.startsWith("application/problem+json") && typeof codeOf(response) === "string") {
    return JSON.parse(String(response.body));
  }
  throw new UnexpectedResponse(response.status, String(response.body), response.headers);
}
