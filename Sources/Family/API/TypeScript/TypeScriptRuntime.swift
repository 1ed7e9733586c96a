// Generated from clients/typescript/src by scripts/update-docs; don't edit.
// swift-format-ignore-file

/// The part of the TypeScript client that does not depend on the declarations.
enum TypeScriptRuntime {
    static let text = #"""
/** Next step of an app after an error. */
export type NextStep =
  /** Show the message next to what the person entered. */
  | "correctInput"
  /** Ask the person to sign in. */
  | "signIn"
  /** Switch to the person's own profile: the child is gone, or nobody can act for it here. */
  | "switchProfile"
  /** Load the screen again: its content is out of date. */
  | "refresh"
  /** Show the message: another member of the family has to do or allow this. */
  | "askFamily"
  /** Show the message: it says what has to be done first. */
  | "resolve"
  /** Show the message: the request can be repeated later (`retryAfterSeconds`). */
  | "wait"
  /** Offer to try again. The client has already retried. */
  | "retry"
  /** Report a defect of the app or the server, with `requestId` if there is one. */
  | "report";

/** Reason why a call failed. Each error that this client throws is one of the classes below. */
export abstract class HearthError extends Error {
  /** Next step of an app. */
  abstract readonly nextStep: NextStep;
  /** Seconds after which the same call can succeed, if the server named them. */
  readonly retryAfterSeconds: number | undefined;

  constructor(message: string, cause?: unknown, retryAfterSeconds?: number) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = new.target.name;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** A refusal by Hearth. Its message can be shown to people. */
export class Refusal<Code extends RefusalCode = RefusalCode> extends HearthError {
  /** The complete problem document; `code` tells its types apart. */
  readonly problem: Problem<Code>;
  readonly headers: Headers;

  constructor(problem: Problem<Code>, headers: Headers) {
    super(problem.message, undefined, retryAfter(headers));
    this.name = "Refusal";
    this.problem = problem;
    this.headers = headers;
  }

  /** Machine-readable reason. */
  get code(): Code {
    return this.problem.code;
  }

  get status(): number {
    return this.problem.status;
  }

  /** Id of the request in the server's log. */
  get requestId(): string {
    return this.problem.requestId;
  }

  get nextStep(): NextStep {
    return nextStepOf(this.status, this.code);
  }
}

/** No attempt got a response, so it is unknown whether the call took effect. */
export class NetworkError extends HearthError {
  override readonly name = "NetworkError";
  readonly nextStep = "retry";
  /** `timeout`: no response within the deadline; `offline`: the device reports no network. */
  readonly reason: "timeout" | "offline" | "connection";
  /** Number of times that the request was sent. */
  readonly attempts: number;

  constructor(reason: NetworkError["reason"], attempts: number, cause?: unknown) {
    super(
      reason === "timeout" ? "The server takes too long to respond. Please try again."
        : reason === "offline" ? "You seem to be offline. Please try again."
        : "Connection error. Please try again.", cause);
    this.reason = reason;
    this.attempts = attempts;
  }
}

/** Nobody is signed in on this device. */
export class SignedOutError extends HearthError {
  override readonly name = "SignedOutError";
  readonly nextStep = "signIn";

  constructor(cause?: unknown) {
    super("Please sign in.", cause);
  }
}

/** The app's own function that supplies a token has thrown an error, which is the `cause`. */
export class SignInFailedError extends HearthError {
  override readonly name = "SignInFailedError";
  readonly nextStep = "retry";

  constructor(cause: unknown) {
    super("Signing in failed. Please try again.", cause);
  }
}

/** Runs a function of the app that supplies a token, and wraps the error that it throws. */
async function wrappingSignIn<Value>(work: () => Value | Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof HearthError ? error : new SignInFailedError(error);
  }
}

/** A response that is not one of Hearth's, such as the page of a proxy. */
export class UnexpectedResponse extends HearthError {
  override readonly name = "UnexpectedResponse";
  readonly status: number;
  /** Beginning of the body, for logs. */
  readonly body: string;

  constructor(status: number, body: string, headers?: Headers) {
    super("Server error. Please try again.", undefined, headers && retryAfter(headers));
    this.status = status;
    this.body = body.slice(0, 1000);
  }

  get nextStep(): NextStep {
    return this.status >= 500 ? "retry" : "report";
  }
}

/** The device's storage refused to store or read the session or the copy of the families. */
export class StorageError extends HearthError {
  override readonly name = "StorageError";
  readonly nextStep = "report";

  constructor(cause: unknown) {
    super("This device can't store the data.", cause);
  }
}

/** The queue of a store is full: the app must wait until changes have been sent. */
export class QueueFullError extends HearthError {
  override readonly name = "QueueFullError";
  readonly nextStep = "wait";

  constructor() {
    super("Too many changes wait to be sent. Please try again when you are online.");
  }
}

/** Returns whether an error is a refusal; with codes, whether it is one with any of these. */
export function isRefusal<Code extends RefusalCode = RefusalCode>(
  error: unknown, ...codes: readonly Code[]
): error is Refusal<Code> {
  return error instanceof Refusal
    && (codes.length === 0 || (codes as readonly RefusalCode[]).includes(error.code));
}

/** Codes with which an operation can refuse. */
export type RefusalCodeOf<Name extends OperationName> = Operations[Name]["code"];

/** Returns `Retry-After` in seconds; undefined if it is missing or not a number of seconds. */
function retryAfter(headers: Headers): number | undefined {
  const text = headers.get("retry-after");
  return text !== null && /^\d+$/.test(text) ? Number(text) : undefined;
}

/** Codes whose next step is another than that of their status. */
const ownSteps: readonly (readonly [NextStep, string])[] = [
  ["correctInput", "role_too_high code_unknown code_expired guardian_not_adult admin_not_adult"],
  ["signIn", "challenge_expired session_required account_required account_blocked"
    + " fresh_sign_in_required"
    + " sign_in_again not_the_addressee"],
  ["switchProfile", "acting_refused not_while_acting"],
  ["refresh", "passkey_exists already_member parent_admin_exists member_is_waiting"
    + " member_is_not_waiting person_already_member invitation_answered consent_outdated"],
  ["askFamily", "already_invited"],
  ["resolve", "consent_required consent_missing"],
  ["wait", "retry_later"],
  ["retry", "idempotency_key_in_use"],
  ["report", "malformed_request malformed_acting_as invalid_body body_too_large not_found"
    + " privileged_field idempotency_key_reused passkey_invalid insufficient_scope"
    + " browser_refused"],
];

function nextStepOf(status: number, code: string): NextStep {
  for (const [step, codes] of ownSteps) if (codes.split(" ").includes(code)) return step;
  switch (status) {
    case 401: return "signIn";
    case 403: return "askFamily";
    case 404: case 410: case 412: return "refresh";
    case 409: return "resolve";
    case 429: return "wait";
    case 400: case 413: case 422: return "correctInput";
    case 502: case 503: case 504: return "retry";
    default: return "report";
  }
}

/** Limits and pauses of repeated requests. */
export interface RetryPolicy {
  /** Maximum number of times that a request is sent. */
  readonly attempts: number;
  /** Bound of the first pause in milliseconds; each further one is twice as long. */
  readonly firstPauseMs: number;
  /** Bound of all pauses, and the longest `Retry-After` that is waited for. */
  readonly longestPauseMs: number;
}

/**
 * Returns the pause before the next attempt; undefined to stop retrying. Pauses are drawn at random
 * up to their bound, so that devices that lost the same server don't return at the same moment.
 */
function pauseBefore(
  policy: RetryPolicy, attempts: number, retryAfterSeconds: number | undefined
): number | undefined {
  const asked = (retryAfterSeconds ?? 0) * 1000;
  if (attempts >= policy.attempts || asked > policy.longestPauseMs) return undefined;
  const bound = Math.min(policy.longestPauseMs, policy.firstPauseMs * 2 ** (attempts - 1));
  return asked + bound * Math.random();
}

/** Longest time that a timer counts, in milliseconds; a longer one would end at once. */
const longestTimerMs = 2 ** 31 - 1;

/**
 * Returns the pause after failures in a row: at random between half of its bound and the bound,
 * which doubles up to a minute. A time that the server named is added, up to an hour.
 */
function pauseAfter(
  failures: number, firstPauseMs: number, retryAfterSeconds: number | undefined
): number {
  const bound = Math.min(60_000, firstPauseMs * 2 ** Math.min(failures - 1, 16));
  return Math.min(3_600, retryAfterSeconds ?? 0) * 1000 + bound * (0.5 + Math.random() / 2);
}

/** Reason with which a deadline aborts a signal. */
class DeadlineExceeded extends Error {
  override readonly name = "DeadlineExceeded";
}

/** Throws the signal's reason if it has aborted. */
function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw reasonOf(signal);
}

/** Returns the reason of an aborted signal. React Native's signals have none. */
function reasonOf(signal: AbortSignal): unknown {
  if (signal.reason !== undefined) return signal.reason;
  return Object.assign(new Error("The call was cancelled"), { name: "AbortError" });
}

/** Runs work with a signal that aborts with `signal`, or with `DeadlineExceeded` after `ms`. */
async function withDeadline<Value>(
  ms: number, signal: AbortSignal | undefined, work: (signal: AbortSignal) => Promise<Value>
): Promise<Value> {
  throwIfAborted(signal);
  const controller = new AbortController();
  const abort = () => controller.abort(signal?.reason);
  const timer = setTimeout(
    () => controller.abort(new DeadlineExceeded()), Math.min(ms, longestTimerMs));
  signal?.addEventListener("abort", abort);
  try {
    return await work(controller.signal);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
  }
}

/** Waits for a promise; throws the signal's reason as soon as it aborts. */
function untilAborted<Value>(
  promise: Promise<Value>, signal: AbortSignal | undefined
): Promise<Value> {
  if (signal === undefined) return promise;
  return new Promise((resolve, reject) => {
    const abort = () => reject(reasonOf(signal));
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort);
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}

/** A latched signal: a call ends the wait in progress, or else the next one. */
class WakeUp {
  #isCalled = false;
  #end: (() => void) | undefined;

  call(): void {
    this.#isCalled = true;
    this.#end?.();
  }

  /** Waits for a call, at most `ms`. Ends early when the signal aborts. */
  wait(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", end);
        this.#end = undefined;
        this.#isCalled = false;
        resolve();
      };
      const timer = setTimeout(end, Math.min(ms, longestTimerMs));
      if (this.#isCalled || signal?.aborted === true) return end();
      this.#end = end;
      signal?.addEventListener("abort", end);
    });
  }
}

/** Waits; throws the signal's reason as soon as it aborts. */
async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  await new WakeUp().wait(ms, signal);
  throwIfAborted(signal);
}

/** Calls a function whenever the device reports a network again. Returns a function to stop. */
function onNetwork(call: () => void): () => void {
  if (typeof globalThis.addEventListener !== "function") return () => {};
  globalThis.addEventListener("online", call);
  return () => globalThis.removeEventListener("online", call);
}

/** Calls all listeners; an error of one does not keep the others from being called. */
function notify<Value>(listeners: Iterable<(value: Value) => void>, value: Value): void {
  for (const listener of [...listeners]) {
    try {
      listener(value);
    } catch (error) {
      // Reported like an error of an event listener, not to the caller.
      setTimeout(() => {
        throw error;
      });
    }
  }
}

/** Messages between the tabs of a browser, and one tab's turn at a piece of work. */
class TabGroup {
  readonly #name: string;
  #channel: BroadcastChannel | undefined;

  /** @param name Name that the tabs share; undefined if nothing is shared with other tabs. */
  constructor(name: string | undefined, receive: (message: unknown) => void) {
    this.#name = name ?? "";
    if (name === undefined || typeof BroadcastChannel === "undefined") return;
    try {
      this.#channel = new BroadcastChannel(name);
    } catch {
      // A browser that blocks a page's storage may block its channels as well: each tab runs alone.
      return;
    }
    this.#channel.onmessage = (event) => receive(event.data);
    // In Node a channel would keep the process running.
    (this.#channel as { unref?: () => void }).unref?.();
  }

  /** Whether other tabs may share the name. */
  get isShared(): boolean {
    return this.#channel !== undefined;
  }

  send(message: unknown): void {
    this.#channel?.postMessage(message);
  }

  /**
   * Runs work while no other tab does. Without Web Locks, or where a browser blocks them, or if
   * another tab holds the lock for longer than `ms`, the work runs at once: two tabs doing it is
   * safe, only not economical.
   */
  async exclusively<Value>(
    ms: number, signal: AbortSignal | undefined, work: () => Promise<Value>
  ): Promise<Value> {
    const locks = this.#channel && (globalThis.navigator as Navigator | undefined)?.locks;
    if (!locks) return work();
    let hasBegun = false;
    const begin = () => {
      hasBegun = true;
      return work();
    };
    const request = (limit: AbortSignal | undefined) =>
      locks.request(this.#name, limit === undefined ? {} : { signal: limit }, begin);
    try {
      // TypeScript's library declares the result of a promise of a promise in older releases.
      return (await (ms === Infinity
        ? request(signal) : withDeadline(ms, signal, request))) as Value;
    } catch (error) {
      if (hasBegun || signal?.aborted === true) throw error;
      return work();
    }
  }

  close(): void {
    this.#channel?.close();
    this.#channel = undefined;
  }
}

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
type Parts = {
  path?: Record<string, string | number>;
  query?: Record<string, string | number | boolean | null | undefined>;
  body?: unknown;
};

/** A request, before headers of the client are added. */
interface RawRequest {
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
function requestOf<Name extends OperationName>(
  name: Name, request: RequestOf<Name> | undefined, options: HeaderOptions
): RawRequest {
  return requestIn(operations[name], name, request ?? {}, options);
}

/** Returns the request of an entry in a table of operations. */
function requestIn(
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
function newKey(): string {
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
function networkError(error: unknown, attempts: number): NetworkError {
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

/** Storage of texts: `localStorage`, React Native's `AsyncStorage`, or any other. */
export interface KeyValueStorage {
  getItem(key: string): string | null | Promise<string | null>;
  setItem(key: string, value: string): unknown;
  removeItem(key: string): unknown;
  /** If true, no other tab or process uses the stored values. */
  readonly isPrivate?: boolean | undefined;
}

/** Returns a storage that is lost with the page or process. */
export function memoryStorage(): KeyValueStorage {
  const values = new Map<string, string>();
  return {
    isPrivate: true,
    getItem: (key) => values.get(key) ?? null,
    setItem: (key, value) => values.set(key, value),
    removeItem: (key) => values.delete(key),
  };
}

/** Options of `createAccount`. */
export interface AccountOptions extends Omit<HearthOptions, "credentials"> {
  /** Storage for the session. The default is `localStorage`, or memory where there is none. */
  storage?: KeyValueStorage | undefined;
  /** Name of the session in the storage (`hearth.session`). */
  storageKey?: string | undefined;
  /** Name of this device in the person's list of sessions. */
  device?: string | undefined;
  /** Returns an identity provider's token, which begins a session whenever there is none. */
  provider?: (() => Promise<ProviderToken | undefined>) | undefined;
  /** Replaces the clock, in milliseconds. */
  now?: (() => number) | undefined;
}

/** A token of an identity provider, with what came with it. */
export type ProviderToken = Omit<RequestOf<"exchangeToken">["body"], "device">;

/** Sign-in state of this device. */
export type AccountState =
  /** The stored session has not been read yet. */
  | { readonly status: "loading" }
  | { readonly status: "signedOut" }
  | { readonly status: "signedIn"; readonly userId: string; readonly sessionId: string };

/** A sign-in that waits for the mailed code. */
export interface PendingSignIn {
  readonly ticket: string;
  /** Time at which the code expires, by this device's clock, in milliseconds. */
  readonly endsAt: number;
}

/** The secrets that keep a person signed in, as they are stored. */
interface StoredSession {
  readonly id: string;
  readonly userId: string;
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly accessEndsAt: number;
}

/**
 * The account of this device: signs a person in and out, stores the session, and supplies the token
 * of each request. The token is refreshed before it expires and when Hearth refuses it: once,
 * however many calls and tabs need it.
 */
export class Account implements Credentials {
  readonly #hearth: Hearth;
  readonly #options: AccountOptions;
  readonly #storage: KeyValueStorage;
  readonly #key: string;
  readonly #tabs: TabGroup;
  readonly #listeners = new Set<(state: AccountState) => void>();
  /** The session as this tab knows it; `undefined` until it was read, `null` if there is none. */
  #session: StoredSession | null | undefined;
  #state: AccountState = { status: "loading" };
  /** Last text that this tab knows to be in the storage. */
  #text: string | null = null;
  /** A session that the storage refused. It counts until the storage has another text. */
  #unsaved: { readonly session: StoredSession | null } | undefined;
  /** The last write to the storage, which may be in progress, and the number of writes. */
  #lastWrite: Promise<void> = Promise.resolve();
  #writes = 0;
  #refreshing: Promise<StoredSession> | undefined;
  #beginning: Promise<StoredSession> | undefined;
  #stop: (() => void) | undefined;

  constructor(options: AccountOptions) {
    this.#options = options;
    this.#storage = options.storage ?? localStorageOf() ?? memoryStorage();
    this.#key = options.storageKey ?? "hearth.session";
    this.#hearth = createHearth({ ...options, credentials: undefined });
    // Another tab signed in or out, or refreshed the token.
    const changed = () => void this.#load().catch(() => {});
    this.#tabs = new TabGroup(this.#storage.isPrivate ? undefined : this.#key, changed);
    // The message of another tab may come before its change of `localStorage`, this event does not.
    if (this.#tabs.isShared && typeof globalThis.addEventListener === "function") {
      const listen = (event: Event) => {
        if ((event as StorageEvent).key === this.#key) changed();
      };
      globalThis.addEventListener("storage", listen);
      this.#stop = () => globalThis.removeEventListener("storage", listen);
    }
  }

  /** The sign-in state as far as it is known. `subscribe` reports changes. */
  get state(): AccountState {
    return this.#state;
  }

  /** Calls the listener after each change of the state. Returns a function to unsubscribe. */
  subscribe(listener: (state: AccountState) => void): () => void {
    this.#listeners.add(listener);
    // Until the session has been read nobody knows the state. A failure shows in the next call.
    if (this.#session === undefined) this.#load().catch(() => {});
    return () => this.#listeners.delete(listener);
  }

  /** Reads the stored session and returns the state. */
  async restore(): Promise<AccountState> {
    await this.#load();
    return this.#state;
  }

  /** Stops listening to other tabs. The session stays. */
  close(): void {
    this.#tabs.close();
    this.#stop?.();
    this.#listeners.clear();
  }

  // Signing in. Only a network that breaks leaves open whether an attempt was counted, so none of
  // these requests is repeated.

  /** Mails a six-digit code to the address, whether or not it has an account. */
  async requestCode(email: string, signal?: AbortSignal): Promise<PendingSignIn> {
    const body = { email };
    return this.#pending(await this.#hearth.call("sendSignInCode", { body }, { signal }));
  }

  /** Signs in with a mailed code. The first sign-in creates the account. */
  verifyCode(
    pending: Pick<PendingSignIn, "ticket">, code: string, signal?: AbortSignal
  ): Promise<SignedIn> {
    const body = { ticket: pending.ticket, code: code.replace(/\s/g, ""), ...this.#device };
    return this.#begin(this.#hearth.call("verifySignInCode", { body }, { signal }));
  }

  /** Signs in with the `token` of a mailed link that opened the app. */
  verifyLink(linkToken: string, signal?: AbortSignal): Promise<SignedIn> {
    const body = { linkToken, ...this.#device };
    return this.#begin(this.#hearth.call("verifySignInCode", { body }, { signal }));
  }

  /** Signs in with address and password. */
  signIn(email: string, password: string, signal?: AbortSignal): Promise<SignedIn> {
    const body = { email, password, ...this.#device };
    return this.#begin(this.#hearth.call("signIn", { body }, { signal }));
  }

  /** Mails a code; `verifyCode` then creates the account with this password. */
  async signUp(body: RequestOf<"signUp">["body"], signal?: AbortSignal): Promise<PendingSignIn> {
    return this.#pending(await this.#hearth.call("signUp", { body }, { signal }));
  }

  /** Signs in with the token of an identity provider. */
  exchange(token: ProviderToken, signal?: AbortSignal): Promise<SignedIn> {
    const body = { ...token, ...this.#device };
    return this.#begin(this.#hearth.call("exchangeToken", { body }, { signal }));
  }

  /** Returns the options for `navigator.credentials.get`, as JSON. */
  async passkeyOptions(signal?: AbortSignal): Promise<unknown> {
    const body = { purpose: "assert" } as const;
    return (await this.#hearth.call("makePasskeyOptions", { body }, { signal })).publicKey;
  }

  /** Signs in with a passkey: `credential.toJSON()` of what the browser returned. */
  signInWithPasskey(credential: object, signal?: AbortSignal): Promise<SignedIn> {
    const body = { credential: credential as Record<string, unknown>, ...this.#device };
    return this.#begin(this.#hearth.call("signInByPasskey", { body }, { signal }));
  }

  /**
   * Ends the session: at once on this device, then at Hearth. If Hearth can't be reached, it throws
   * although this device is signed out. If the storage can't be changed, the session ends at Hearth
   * before this throws a `StorageError`.
   */
  async signOut(signal?: AbortSignal): Promise<void> {
    let failure: unknown;
    const known = this.#session ?? null;
    const session = await this.#load().catch((error: unknown) => {
      failure = error;
      return known;
    });
    await this.#store(null).catch((error: unknown) => {
      failure ??= error;
    });
    try {
      if (session !== null) {
        const body = { refresh_token: session.refreshToken };
        await this.#hearth.call("signOut", { body }, { signal, retry: true });
      }
    } catch (error) {
      // A session that had already ended is not a failure.
      if (!(error instanceof Refusal) || error.nextStep !== "signIn") failure ??= error;
    }
    if (failure !== undefined) throw failure;
  }

  // Tokens.

  async accessToken(signal?: AbortSignal): Promise<string> {
    const session = this.#session ?? await this.#load();
    if (session === null) return (await this.#beginByProvider(signal)).accessToken;
    if (session.accessEndsAt - this.#now() > earlyMs) return session.accessToken;
    try {
      return (await this.#refresh(session, signal)).accessToken;
    } catch (error) {
      throwIfAborted(signal);
      // If Hearth can't refresh now, the current token is still valid for a moment.
      const isKept = error instanceof HearthError
        && !(error instanceof SignedOutError) && !(error instanceof StorageError);
      if (isKept && session.accessEndsAt > this.#now()) return session.accessToken;
      throw error;
    }
  }

  async replacement(refused: string, signal?: AbortSignal): Promise<string | undefined> {
    const session = this.#session ?? await this.#load();
    if (session === null) return undefined;
    if (session.accessToken !== refused) return session.accessToken;
    return (await this.#refresh(session, signal)).accessToken;
  }

  /** Refreshes a session. Concurrent callers share one refresh, even if one of them gives up. */
  #refresh(session: StoredSession, signal: AbortSignal | undefined): Promise<StoredSession> {
    const asked = Date.now();
    this.#refreshing ??= this.#tabs
      .exclusively(10_000, undefined, () => this.#requestRefresh(session, Date.now() - asked > 5))
      .finally(() => {
        this.#refreshing = undefined;
      });
    return untilAborted(this.#refreshing, signal);
  }

  async #requestRefresh(session: StoredSession, hasWaited: boolean): Promise<StoredSession> {
    // Another tab may have refreshed the session, or signed out, while this one waited. Its change
    // of `localStorage` can take a moment to arrive.
    let stored = await this.#load();
    for (let count = 0; hasWaited && count < 10; count += 1) {
      if (stored?.accessToken !== session.accessToken) break;
      await pause(20, undefined);
      stored = await this.#load();
    }
    if (stored === null) throw new SignedOutError();
    if (stored.accessToken !== session.accessToken
      && stored.accessEndsAt - this.#now() > earlyMs) return stored;
    const body = { refresh_token: stored.refreshToken };
    try {
      // Hearth repeats its response to a refresh token until the next token is used.
      const response = await this.#hearth.call(
        "refreshSession", { body }, { retry: true, timeoutMs: 15_000 });
      const next = this.#stored(response);
      // If the person signed out or in meanwhile, the new token is discarded.
      const current = await this.#load();
      if (current?.id !== stored.id) throw new SignedOutError();
      await this.#store(next);
      return next;
    } catch (error) {
      if (!(error instanceof Refusal) || error.nextStep !== "signIn") throw error;
      if ((await this.#load())?.refreshToken === stored.refreshToken) await this.#store(null);
      throw new SignedOutError(error);
    }
  }

  /** Begins a session with the provider's token. Concurrent callers share one sign-in. */
  #beginByProvider(signal: AbortSignal | undefined): Promise<StoredSession> {
    this.#beginning ??= (async () => {
      const token = await wrappingSignIn(() => this.#options.provider?.());
      if (token === undefined) throw new SignedOutError();
      await this.exchange(token);
      if (!this.#session) throw new SignedOutError();
      return this.#session;
    })().finally(() => {
      this.#beginning = undefined;
    });
    return untilAborted(this.#beginning, signal);
  }

  // The stored session.

  async #begin(call: Promise<SignedIn>): Promise<SignedIn> {
    const response = await call;
    await this.#store(this.#stored(response));
    return response;
  }

  #stored(response: SignedIn): StoredSession {
    return {
      id: response.session.id, userId: response.user.id, accessToken: response.access_token,
      refreshToken: response.refresh_token,
      accessEndsAt: this.#now() + response.expires_in * 1000,
    };
  }

  #pending(ticket: Ticket): PendingSignIn {
    return { ticket: ticket.ticket, endsAt: this.#now() + ticket.expiresIn * 1000 };
  }

  get #device(): { device?: string } {
    return this.#options.device === undefined ? {} : { device: this.#options.device };
  }

  #now(): number {
    return this.#options.now?.() ?? Date.now();
  }

  async #load(): Promise<StoredSession | null> {
    for (;;) {
      await this.#lastWrite;
      const writes = this.#writes;
      let text: string | null;
      try {
        text = await this.#storage.getItem(this.#key);
      } catch (error) {
        throw new StorageError(error);
      }
      // The session that was read is older than the one that this tab writes by now.
      if (writes !== this.#writes) continue;
      if (text !== this.#text) this.#unsaved = undefined;
      this.#text = text;
      const session = this.#unsaved ? this.#unsaved.session : parse(text);
      this.#set(session);
      return session;
    }
  }

  async #store(session: StoredSession | null): Promise<void> {
    this.#set(session);
    this.#writes += 1;
    const write = this.#lastWrite.then(() => this.#write(session));
    this.#lastWrite = write.catch(() => {});
    await write;
    this.#tabs.send("changed");
  }

  async #write(session: StoredSession | null): Promise<void> {
    const text = session === null ? null : JSON.stringify(session);
    try {
      if (text === null) await this.#storage.removeItem(this.#key);
      else await this.#storage.setItem(this.#key, text);
    } catch (error) {
      this.#unsaved = { session };
      throw new StorageError(error);
    }
    this.#text = text;
    this.#unsaved = undefined;
  }

  #set(session: StoredSession | null): void {
    this.#session = session;
    const before = this.#state;
    const isSame = session === null ? before.status === "signedOut"
      : before.status === "signedIn" && before.userId === session.userId
        && before.sessionId === session.id;
    if (isSame) return;
    this.#state = session === null ? { status: "signedOut" }
      : { status: "signedIn", userId: session.userId, sessionId: session.id };
    notify(this.#listeners, this.#state);
  }
}

/** Creates the account of this device. */
export function createAccount(options: AccountOptions): Account {
  return new Account(options);
}

/** Time before its expiry at which a token is refreshed. */
const earlyMs = 60_000;

/** Returns the browser's storage; undefined where there is none, or where it is blocked. */
function localStorageOf(): KeyValueStorage | undefined {
  try {
    return globalThis.localStorage ?? undefined;
  } catch {
    return undefined;
  }
}

function parse(text: string | null): StoredSession | null {
  try {
    const value = JSON.parse(text ?? "null");
    return typeof value?.accessToken === "string" && typeof value.refreshToken === "string"
      && typeof value.accessEndsAt === "number" && typeof value.id === "string"
      && typeof value.userId === "string" ? value : null;
  } catch {
    return null;
  }
}

/** A signal of the stream of changes. */
export type LiveEvent =
  /** The stream is open. It does not report what changed before: read or sync now. */
  | { readonly type: "open" }
  /** The families, and perhaps the caller's own data (`self`), have changed. */
  | { readonly type: "change"; readonly families: readonly string[]; readonly self: boolean }
  /** Events may be missing: read everything again. */
  | { readonly type: "reset" };

/** Options of `live`. */
export interface LiveOptions {
  /** Ends the iteration. */
  signal?: AbortSignal | undefined;
  /** Milliseconds without a byte after which the stream is opened again (60,000). */
  idleMs?: number | undefined;
  /** Bound of the first pause before the stream is opened again (1,000). */
  firstPauseMs?: number | undefined;
  /**
   * Number of failures in a row after which the last error is thrown (no limit). A stream that ends
   * within five seconds, or without a byte, is a failure.
   */
  maximumFailures?: number | undefined;
  /** Called for each failure after which the stream is opened again. */
  onFailure?: ((error: HearthError) => void) | undefined;
}

/**
 * Follows the changes of the caller's families. After a broken connection the stream is opened
 * again and continues after the last event, with pauses that grow up to a minute and end when the
 * network returns.
 *
 * The iteration ends when `signal` aborts or the loop is left. It throws if nobody is signed in any
 * more, or if Hearth refuses the stream.
 */
export async function* live(
  hearth: Hearth, options: LiveOptions = {}
): AsyncGenerator<LiveEvent, void, void> {
  const { signal } = options;
  const wakeUp = new WakeUp();
  const stop = onNetwork(() => wakeUp.call());
  let lastId: string | undefined;
  let failures = 0;
  try {
    while (!hasAborted(signal)) {
      let failure: HearthError | undefined;
      let [openedAt, hasBytes, isExpired] = [Infinity, false, false];
      const controller = new AbortController();
      const abort = () => controller.abort(signal?.reason);
      signal?.addEventListener("abort", abort);
      try {
        const headers: Record<string, string> = { Accept: "text/event-stream" };
        if (lastId !== undefined) headers["Last-Event-ID"] = lastId;
        const request = { method: "GET", target: "/api/live", headers };
        const timer = setTimeout(() => controller.abort(new DeadlineExceeded()), 30_000);
        const body = await untilAborted(
          hearth.open(request, controller.signal).then(streamOf), controller.signal
        ).finally(() => clearTimeout(timer));
        openedAt = Date.now();
        yield { type: "open" };
        const received = () => {
          hasBytes = true;
        };
        for await (const event of eventsOf(body, controller, options.idleMs ?? 60_000, received)) {
          if (event.id !== undefined) lastId = event.id;
          isExpired = event.name === "expired";
          if (isExpired) break;
          const made = liveEvent(event);
          if (made !== undefined) yield made;
        }
      } catch (error) {
        if (hasAborted(signal)) return;
        failure = error instanceof HearthError ? error : networkError(error, 1);
        if (isFinal(failure)) throw failure;
      } finally {
        signal?.removeEventListener("abort", abort);
        controller.abort();
      }
      // A proxy that ends each stream at once, or passes nothing on, must not be retried for ever.
      const wasSteady = hasBytes && Date.now() - openedAt >= 5_000;
      failures = (wasSteady ? 0 : failures) + 1;
      if (!wasSteady && !isExpired) failure ??= new NetworkError("connection", 1);
      if (failure !== undefined) {
        if (failures >= (options.maximumFailures ?? Infinity)) throw failure;
        options.onFailure?.(failure);
      }
      await wakeUp.wait(
        pauseAfter(failures, options.firstPauseMs ?? 1000, failure?.retryAfterSeconds), signal);
    }
  } finally {
    stop();
  }
}

function hasAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true;
}

/** Returns whether the stream can't be opened by repeating the request. */
function isFinal(error: HearthError): boolean {
  if (error.nextStep === "signIn") return true;
  return error instanceof Refusal && error.status < 500 && ![408, 425, 429].includes(error.status);
}

async function streamOf(response: Response): Promise<ReadableStream<Uint8Array>> {
  const type = response.headers.get("content-type") ?? "";
  if (response.ok && type.startsWith("text/event-stream")) {
    if (response.body) return response.body;
    // React Native reads no streams, and the text would never be complete.
    throw new UnexpectedResponse(response.status, "this fetch can't read streams");
  }
  const text = await response.text();
  if (type.startsWith("application/problem+json")) {
    throw new Refusal(JSON.parse(text), response.headers);
  }
  throw new UnexpectedResponse(response.status, text, response.headers);
}

/** A server-sent event. */
interface StreamEvent {
  readonly name: string;
  readonly data: string;
  readonly id: string | undefined;
}

function liveEvent(event: StreamEvent): LiveEvent | undefined {
  if (event.name === "reset") return { type: "reset" };
  if (event.name !== "change") return undefined;
  const data = JSON.parse(event.data);
  return { type: "change", families: data.families ?? [], self: data.self === true };
}

/** Reads events as they arrive. Aborts the stream if no byte comes for `idleMs`. */
async function* eventsOf(
  stream: ReadableStream<Uint8Array>, controller: AbortController, idleMs: number,
  received: () => void
): AsyncGenerator<StreamEvent, void, void> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  const parse = eventParser();
  try {
    for (;;) {
      const timer = setTimeout(() => controller.abort(new DeadlineExceeded()), idleMs);
      const { done, value } = await untilAborted(reader.read(), controller.signal)
        .finally(() => clearTimeout(timer));
      if (done) return;
      received();
      for (const event of parse(decoder.decode(value, { stream: true }))) yield event;
    }
  } finally {
    // Closes the connection even if the loop was left.
    reader.cancel().catch(() => {});
  }
}

/** Returns an incremental parser of `text/event-stream`. */
function eventParser(): (chunk: string) => StreamEvent[] {
  let [rest, name, id] = ["", "", undefined as string | undefined];
  let data: string[] = [];
  let length = 0;
  return (chunk) => {
    const events: StreamEvent[] = [];
    rest += chunk;
    // A carriage return at the end may be the first half of a line's end.
    for (let end = lineEnd.exec(rest); end !== null; end = lineEnd.exec(rest)) {
      const line = rest.slice(0, end.index).replace(/^\uFEFF/, "");
      rest = rest.slice(end.index + (end[0] ?? "").length);
      if (line === "") {
        if (data.length > 0 || name !== "") {
          events.push({ name: name || "message", data: data.join("\n"), id });
        } else if (id !== undefined) {
          events.push({ name: "", data: "", id });
        }
        [name, data, length] = ["", [], 0];
        continue;
      }
      const [, field = "", value = ""] = /^([^:]*)(?:: ?)?(.*)$/s.exec(line) ?? [];
      if (field === "event") name = value;
      else if (field === "data") {
        data.push(value);
        length += value.length;
      }
      else if (field === "id" && !value.includes("\0")) id = value;
    }
    // Hearth sends no long events, so the stream is not Hearth's.
    if (rest.length + length > 65_536) throw new UnexpectedResponse(200, rest || String(data[0]));
    return events;
  };
}

const lineEnd = /\r\n|\n|\r(?!$)/;

/** Value of an entity of each kind. */
export interface EntityValues {
  family: Family;
  member: Member;
  invitation: Invitation;
  receivedInvitation: ReceivedInvitation;
  profile: OwnProfile;
  preferences: MemberPreferences;
  playerDetails: PlayerDetails;
  attributes: Record<string, unknown>;
}

/** Kind of an entity. */
export type EntityKind = keyof EntityValues;

/** An entity that the person may see. */
export interface Entity<Kind extends EntityKind = EntityKind> {
  readonly kind: Kind;
  readonly id: string;
  /** Family of the entity; null for a profile and a received invitation. */
  readonly familyId: string | null;
  /** Version of the family, or of the person, with which the value came. */
  readonly version: number;
  readonly value: EntityValues[Kind];
}

/** What a change made offline shows until Hearth has responded. */
export interface Effect {
  readonly kind: EntityKind;
  readonly id: string;
  readonly familyId: string | null;
  /**
   * Merge patch (RFC 7396) of the value; null if the entity is removed. In attributes and
   * preferences a null removes a member; other entities have null where they have no value. The
   * first patch of attributes or preferences creates them.
   */
  readonly patch: Record<string, unknown> | null;
}

/** A change that waits to be sent. */
export interface QueuedChange {
  /** Idempotency key of the change. */
  readonly key: string;
  /** Position in the queue. */
  readonly order: number;
  readonly operation: OperationName;
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly headers: Record<string, string>;
  readonly body: unknown;
  readonly effects: readonly Effect[];
  /**
   * Time at which the change was first sent, in milliseconds, if Hearth may have made it. Only
   * changes that could be made twice have it.
   */
  readonly sentAt?: number;
}

/** A change that turned out differently than its author expected, for a banner. */
export interface Conflict {
  readonly id: string;
  /**
   * `theirs`: a later change of others is kept; `yours`: the person's change overwrote one that the
   * person had not seen; `overwritten`: others overwrote it; `refused`: Hearth refused the change;
   * `unknown`: Hearth may have made the change, but sending it again could make it twice.
   */
  readonly outcome: "theirs" | "yours" | "overwritten" | "refused" | "unknown";
  readonly entity: Pick<Entity, "kind" | "id" | "familyId"> | null;
  /** Refused or unclear change, or the details that Hearth sent about the other change. */
  readonly details: unknown;
  readonly code?: RefusalCode;
  /** Sentence about a refusal or an unknown outcome, which can be shown. */
  readonly message?: string;
}

/** Records of a store: each has a key and a value that can be cloned. */
export type StoreWrite = readonly [key: string, value: unknown];

/** Place where a store keeps its records. */
export interface StoreBackend {
  /** Name that tabs of one browser share; undefined if the records belong to this tab alone. */
  readonly name: string | undefined;
  load(): Promise<readonly StoreWrite[]>;
  /** Writes records in one step: all or none. A value of undefined deletes the record. */
  commit(writes: readonly StoreWrite[]): Promise<void>;
}

/** Returns a backend that is lost with the page or process. */
export function memoryBackend(): StoreBackend {
  return { name: undefined, load: async () => [], commit: async () => {} };
}

/** Position of a store in the changes of Hearth. */
interface Progress {
  readonly userId: string;
  readonly cursor: string | undefined;
  /** Raised by each reset: entities of earlier generations go when the reset is complete. */
  readonly generation: number;
  readonly isResetting: boolean;
}

type StoredEntity = Entity & { readonly generation: number };

/** Maximum number of changes that wait to be sent. */
const queueLimit = 1000;

/**
 * Operation that a store can queue: one with an idempotency key, which has its effect once, and of
 * a path that a batch takes.
 */
export type QueueableOperation = Exclude<{
  [Name in OperationName]: "idempotencyKey" extends Operations[Name]["options"] ? Name : never;
}[OperationName], "joinFamilyByFunction">;

/**
 * A key expires 24 hours after Hearth has made the change. An attempt can take minutes.
 */
const keyLifetimeMs = 23 * 3_600_000;

/** Operations by POST that set a value, or do nothing if they are done already. */
const repeatablePosts: readonly OperationName[] = [
  "acceptInvitation", "acceptMyInvitation", "addGuardian", "approveMember", "createFamily",
  "declineInvitation", "declineMyInvitation", "reassignManagedMember", "rejectMember",
  "writePlayerDetails",
];

/** Returns whether a change could be made twice if it is sent again without a known key. */
function couldBeMadeTwice(change: QueuedChange): boolean {
  return change.method === "POST" && !repeatablePosts.includes(change.operation);
}

/**
 * A local copy of the family data that the person may see, with a queue of changes. Reads and
 * changes need no network; `sync` sends the queue and fetches changes. Values that it returns must
 * not be modified.
 */
export class FamilyStore {
  readonly #backend: StoreBackend;
  readonly #tabs: TabGroup;
  readonly #listeners = new Set<(store: FamilyStore) => void>();
  #progress: Progress;
  readonly #entities = new Map<string, StoredEntity>();
  readonly #queue = new Map<string, QueuedChange>();
  readonly #conflicts = new Map<string, Conflict & { order: number; isDismissed?: boolean }>();
  /** Sent changes whose effects the next page of changes brings. */
  #sent: QueuedChange[] = [];
  #lastWrite: Promise<void> = Promise.resolve();
  #lastOrder = 0;
  #erasures = 0;
  /** Results of `entities`, which stay the same objects until something changes. */
  readonly #views = new Map<string, readonly Entity[]>();
  /** Messages of other tabs that came before the records were loaded. */
  #early: (readonly StoreWrite[])[] | undefined = [];

  private constructor(backend: StoreBackend, userId: string) {
    this.#backend = backend;
    this.#progress = { userId, cursor: undefined, generation: 0, isResetting: false };
    this.#tabs = new TabGroup(
      backend.name === undefined ? undefined : `hearth.store.${backend.name}`,
      (message) => {
        const writes = message as readonly StoreWrite[];
        if (this.#early) this.#early.push(writes);
        else this.#remember(writes);
      });
  }

  /**
   * Opens the store of a person. It needs no network: take the id from `account.state`. A store of
   * another person is emptied first.
   */
  static async open(backend: StoreBackend, userId: string): Promise<FamilyStore> {
    const store = new FamilyStore(backend, userId);
    let writes: readonly StoreWrite[];
    try {
      writes = await backend.load();
    } catch (error) {
      store.close();
      throw new StorageError(error);
    }
    const progress = writes.find(([key]) => key === "progress")?.[1] as Progress | undefined;
    const early = store.#early ?? [];
    store.#early = undefined;
    if (progress !== undefined && progress.userId !== userId) {
      await store.#write(() => writes.map(([key]) => [key, undefined])).catch((error: unknown) => {
        store.close();
        throw error;
      });
    } else {
      for (const list of [writes, ...early]) store.#remember(list);
    }
    return store;
  }

  // Reading.

  /**
   * Returns the entities of a kind, with the queued changes applied. The list is the same object
   * until something changes.
   */
  entities<Kind extends EntityKind>(kind: Kind, familyId?: string): readonly Entity<Kind>[] {
    const key = `${kind} ${familyId ?? ""}`;
    let found = this.#views.get(key);
    if (found === undefined) {
      const entities = new Map<string, Entity>();
      for (const [id, entity] of this.#entities) {
        if (entity.kind === kind && (familyId === undefined || entity.familyId === familyId)) {
          entities.set(id, entity);
        }
      }
      for (const change of [...this.#sent, ...this.queue]) {
        for (const effect of change.effects) {
          const belongs = effect.kind === kind
            && (familyId === undefined || effect.familyId === familyId);
          show(effect, entities, belongs);
        }
      }
      found = [...entities.values()];
      this.#views.set(key, found);
    }
    return found as readonly Entity<Kind>[];
  }

  /** Returns an entity with the queued changes applied. */
  entity<Kind extends EntityKind>(
    kind: Kind, id: string, familyId?: string
  ): Entity<Kind> | undefined {
    return this.entities(kind, familyId).find((entity) => entity.id === id);
  }

  /** Changes that wait to be sent, in order. */
  get queue(): readonly QueuedChange[] {
    return [...this.#queue.values()].sort(
      (one, other) => one.order - other.order || (one.key < other.key ? -1 : 1));
  }

  /** Conflicts that were not dismissed, in order. */
  get conflicts(): readonly Conflict[] {
    return [...this.#conflicts.values()].filter((conflict) => conflict.isDismissed !== true)
      .sort((one, other) => one.order - other.order);
  }

  /** Calls the listener after each change of the store. Returns a function to unsubscribe. */
  subscribe(listener: (store: FamilyStore) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  // Changing.

  /**
   * Queues a change. It is stored when the promise resolves, reads show its effects at once, and
   * `sync` sends it. If Hearth refuses it, it disappears, and `conflicts` has the refusal.
   */
  async enqueue<Name extends QueueableOperation>(
    operation: Name, request: RequestOf<Name>, effects: readonly Effect[] = [],
    options: Pick<HeaderOptions, "actingAs"> = {}
  ): Promise<QueuedChange> {
    const key = newKey();
    const family = effects[0]?.kind === "family" ? effects[0].id : effects[0]?.familyId;
    let made: QueuedChange | undefined;
    await this.#write(() => {
      if (this.#queue.size >= queueLimit) throw new QueueFullError();
      const { method, target, headers, body } = requestOf(operation, request, {
        ...options, idempotencyKey: key, changedAt: new Date(), baseVersion: this.#version(family),
      });
      // A change without a key could take effect twice, and a batch refuses other paths.
      if (headers["Idempotency-Key"] === undefined || !/^\/(api|groups)\//.test(target)) {
        throw new TypeError(`${operation} can't be queued`);
      }
      delete headers["Content-Type"];
      // Hearth accepts no larger ones, and one that is never accepted would block the queue.
      if ((body ?? "").length > 20_000) {
        throw new TypeError(`the body of ${operation} is too large`);
      }
      const order = this.#lastOrder = Math.max(Date.now(), this.#lastOrder + 1);
      made = {
        key, order, operation, method, target, headers, effects,
        body: body === undefined ? undefined : JSON.parse(body),
      };
      return [[`queue ${key}`, made]];
    });
    return made as unknown as QueuedChange;
  }

  /** Removes a change from the queue. It may have been sent already. */
  cancel(key: string): Promise<void> {
    return this.#write(() => [[`queue ${key}`, undefined]]);
  }

  /** Removes a conflict that was shown. */
  dismiss(id: string): Promise<void> {
    return this.#write(() => {
      const conflict = this.#conflicts.get(id);
      return conflict ? [[`conflict ${id}`, { ...conflict, isDismissed: true }]] : [];
    });
  }

  /** Empties the store and its queue. Call it when the person signs out. */
  erase(): Promise<void> {
    return this.#write(() => {
      this.#sent = [];
      return [...this.#keys()].map((key) => [key, undefined]);
    });
  }

  /** Stops listening to other tabs. */
  close(): void {
    this.#tabs.close();
    this.#listeners.clear();
  }

  // For `sync`.

  /** @internal */
  get cursor(): string | undefined {
    return this.#progress.cursor;
  }

  /** @internal */
  get tabs(): TabGroup {
    return this.#tabs;
  }

  /**
   * Number of times that the store was erased. What was asked for before belongs to nobody here.
   * @internal
   */
  get erasures(): number {
    return this.#erasures;
  }

  /**
   * Stores a page of changes and its cursor in one step, unless the store was erased since the
   * request. @internal
   */
  apply(page: SyncPage, erasures = this.#erasures): Promise<void> {
    return this.#write(() => {
      if (erasures !== this.#erasures) return [];
      const writes = new Map<string, unknown>();
      const isResetting = page.reset || this.#progress.isResetting;
      const generation = this.#progress.generation + (page.reset ? 1 : 0);
      for (const change of page.changes) {
        const key = entityKey(change);
        if (change.deleted) {
          writes.set(key, undefined);
          if (change.kind === "family") {
            for (const [other, entity] of this.#entities) {
              if (entity.familyId === change.id) writes.set(other, undefined);
            }
          }
          continue;
        }
        const { conflict, ...value } = change.value as Record<string, unknown>;
        const { kind, id, familyId, version } = change;
        writes.set(key, { kind, id, familyId, version, value, generation });
        if (conflict !== undefined && conflict !== null) {
          const cause = `${id} ${(conflict as { at?: unknown }).at}`;
          if (!this.#conflicts.has(cause)) {
            this.#addConflict(writes, {
              id: cause, outcome: "overwritten", entity: { kind, id, familyId }, details: conflict,
            });
          }
        }
      }
      if (isResetting && !page.hasMore) {
        for (const [key, entity] of this.#entities) {
          if (entity.generation < generation && !writes.has(key)) writes.set(key, undefined);
        }
      }
      writes.set("progress", {
        userId: this.#progress.userId, cursor: page.cursor, generation,
        isResetting: isResetting && page.hasMore,
      });
      if (!page.hasMore) this.#sent = [];
      return [...writes];
    });
  }

  /** Removes a change that was done or refused from the queue. @internal */
  settle(
    change: QueuedChange, status: number, body: unknown, erasures = this.#erasures
  ): Promise<void> {
    return this.#write(() => {
      if (erasures !== this.#erasures) return [];
      const writes = new Map<string, unknown>([[`queue ${change.key}`, undefined]]);
      const answer = (body ?? {}) as Record<string, unknown>;
      const conflict = answer["conflict"] as Record<string, unknown> | null | undefined;
      const about = entityOf(change);
      if (status >= 300) {
        this.#addConflict(writes, {
          id: change.key, outcome: "refused", entity: about, details: change,
          code: answer["code"] as RefusalCode, message: String(answer["message"] ?? ""),
        });
      } else {
        if (conflict) {
          const outcome = conflict["kept"] === "theirs" ? "theirs" : "yours";
          this.#addConflict(writes, { id: change.key, outcome, entity: about, details: conflict });
        }
        if (conflict?.["kept"] !== "theirs") this.#sent.push(change);
      }
      return [...writes];
    });
  }

  /**
   * Stores the time at which changes are first sent; undefined if Hearth has not made them.
   * @internal
   */
  async markSent(changes: readonly QueuedChange[], at: number | undefined): Promise<void> {
    if (changes.length === 0) return;
    await this.#write(() => changes.filter(({ key }) => this.#queue.has(key)).map((change) => {
      const { sentAt: _, ...unsent } = change;
      return [`queue ${change.key}`, at === undefined ? unsent : { ...unsent, sentAt: at }];
    }));
  }

  /**
   * Replaces changes by conflicts if Hearth may have made them and their keys may have
   * expired. @internal
   */
  async expire(): Promise<void> {
    // If the clock was set back by a day or more, the age of the key is unknown.
    const isExpired = ({ sentAt }: QueuedChange) =>
      sentAt !== undefined && Math.abs(Date.now() - sentAt) >= keyLifetimeMs;
    if (!this.queue.some(isExpired)) return;
    await this.#write(() => {
      const writes = new Map<string, unknown>();
      for (const change of this.queue.filter(isExpired)) {
        writes.set(`queue ${change.key}`, undefined);
        this.#addConflict(writes, {
          id: change.key, outcome: "unknown", entity: entityOf(change), details: change,
          message: "It is unclear whether this was done. Please check before you do it again.",
        });
      }
      return [...writes];
    });
  }

  // Details.

  #addConflict(writes: Map<string, unknown>, conflict: Conflict): void {
    const order = this.#lastOrder = Math.max(Date.now(), this.#lastOrder + 1);
    writes.set(`conflict ${conflict.id}`, { ...conflict, order });
    const all = [...this.#conflicts.values()].sort((one, other) => one.order - other.order);
    for (const old of all.slice(0, Math.max(0, all.length - 99))) {
      writes.set(`conflict ${old.id}`, undefined);
    }
  }

  /** Returns the highest known version of a family. */
  #version(family: string | null | undefined): number | undefined {
    let version: number | undefined;
    for (const entity of this.#entities.values()) {
      if (entity.familyId === family || entity.kind === "family" && entity.id === family) {
        version = Math.max(version ?? 0, entity.version);
      }
    }
    return version;
  }

  *#keys(): Iterable<string> {
    yield "progress";
    yield* this.#entities.keys();
    for (const key of this.#queue.keys()) yield `queue ${key}`;
    for (const key of this.#conflicts.keys()) yield `conflict ${key}`;
  }

  /** Writes records after all earlier writes: first to the backend, then to memory. */
  #write(make: () => readonly StoreWrite[]): Promise<void> {
    const write = this.#lastWrite.then(async () => {
      const writes = make();
      try {
        if (writes.length > 0) await this.#backend.commit(writes);
      } catch (error) {
        throw new StorageError(error);
      }
      this.#remember(writes);
      this.#tabs.send(writes);
    });
    this.#lastWrite = write.catch(() => {});
    return write;
  }

  #remember(writes: readonly StoreWrite[]): void {
    for (const [key, value] of writes) {
      const [type, id = ""] = key.split(/ (.*)/s);
      if (type === "entity") put(this.#entities, key, value);
      else if (type === "queue") put(this.#queue, id, value);
      else if (type === "conflict") put(this.#conflicts, id, value);
      else if (value !== undefined) this.#progress = value as Progress;
      else {
        const { userId, generation } = this.#progress;
        this.#progress = { userId, cursor: undefined, generation, isResetting: false };
        this.#erasures += 1;
      }
      const order = (value as { order?: number } | undefined)?.order;
      if (order !== undefined) this.#lastOrder = Math.max(this.#lastOrder, order);
    }
    this.#views.clear();
    notify(this.#listeners, this as FamilyStore);
  }
}

/** Opens the store of a person. */
export function openStore(backend: StoreBackend, userId: string): Promise<FamilyStore> {
  return FamilyStore.open(backend, userId);
}

function put<Value>(map: Map<string, Value>, key: string, value: unknown): void {
  if (value === undefined) map.delete(key);
  else map.set(key, value as Value);
}

/** Returns the entity that a conflict about a change names. */
function entityOf({ effects: [effect] }: QueuedChange): Conflict["entity"] {
  return effect ? { kind: effect.kind, id: effect.id, familyId: effect.familyId } : null;
}

function entityKey(of: Pick<Change, "kind" | "id" | "familyId">): string {
  return `entity ${of.kind} ${of.kind === "family" ? "" : of.familyId ?? ""} ${of.id}`;
}

/** Applies an effect to the entities of a view, to which a new entity `belongs` or not. */
function show(effect: Effect, entities: Map<string, Entity>, belongs: boolean): void {
  const key = entityKey(effect);
  const entity = entities.get(key) ?? (belongs ? firstEntity(effect) : undefined);
  if (entity === undefined) return;
  if (effect.patch === null) entities.delete(key);
  else {
    const removesNull = effect.kind === "attributes" || effect.kind === "preferences";
    const value = merged(entity.value, effect.patch, removesNull) as EntityValues[EntityKind];
    entities.set(key, { ...entity, value });
  }
}

/** Returns the entity to which its first patch applies; undefined if a patch creates none. */
function firstEntity({ kind, id, familyId }: Effect): Entity | undefined {
  const entity = { kind, id, familyId, version: 0 };
  if (kind === "attributes") return { ...entity, value: {} };
  if (kind === "preferences") {
    const value = { user_id: id, group_id: familyId ?? "", preferences: {}, updated_at: null };
    return { ...entity, value };
  }
  return undefined;
}

/** Returns a value with a merge patch (RFC 7396), in which a null removes a member or stays. */
function merged(value: unknown, patch: unknown, removesNull: boolean): unknown {
  if (!isObject(patch)) return patch;
  const made: Record<string, unknown> = isObject(value) ? { ...value } : {};
  for (const [name, part] of Object.entries(patch)) {
    if (part === null && removesNull) delete made[name];
    else made[name] = merged(made[name], part, removesNull);
  }
  return made;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns a backend in the browser's IndexedDB, which the tabs of a browser share. */
export function indexedDBBackend(name: string): StoreBackend {
  let opening: Promise<IDBDatabase> | undefined;
  const database = (): Promise<IDBDatabase> => {
    opening ??= open(name, () => {
      opening = undefined;
    });
    return opening;
  };
  /**
   * Begins a transaction and uses it at once. A connection may be lost without a word, so the
   * database is opened once again.
   */
  const transact = async <Value>(
    mode: IDBTransactionMode, use: (transaction: IDBTransaction) => Promise<Value>
  ): Promise<Value> => {
    // Older declarations of the library lack the third argument.
    const options = [{ durability: "strict" }] as unknown as [];
    let transaction: IDBTransaction;
    try {
      transaction = (await database()).transaction("records", mode, ...options);
    } catch {
      opening = undefined;
      transaction = (await database()).transaction("records", mode, ...options);
    }
    return use(transaction);
  };
  return {
    name,
    load: () => transact("readonly", async (transaction) => {
      const records = transaction.objectStore("records");
      // Both requests belong to one transaction, so their lists match.
      const [keys, values] = await Promise.all([
        result(records.getAllKeys()), result(records.getAll()),
      ]);
      return keys.map((key, index): StoreWrite => [String(key), values[index]]);
    }),
    commit: (writes) => transact("readwrite", async (transaction) => {
      const records = transaction.objectStore("records");
      try {
        for (const [key, value] of writes) {
          if (value === undefined) records.delete(key);
          else records.put(value, key);
        }
      } catch (error) {
        // A value can't be cloned. Without this, the records before it would be written.
        transaction.abort();
        throw error;
      }
      await new Promise<void>((resolve, reject) => {
        transaction.oncomplete = () => resolve();
        transaction.onabort = transaction.onerror = () => reject(transaction.error);
      });
    }),
  };
}

function open(name: string, closed: () => void): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(name, 1);
    request.onupgradeneeded = () => request.result.createObjectStore("records");
    request.onsuccess = () => {
      const database = request.result;
      // Another tab deletes the database, or the browser closed it: the next use opens it again.
      database.onversionchange = () => {
        database.close();
        closed();
      };
      database.onclose = closed;
      resolve(database);
    };
    request.onerror = () => {
      closed();
      reject(request.error);
    };
  });
}

function result<Value>(request: IDBRequest<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

/** Method by which a running `sync` learns of changes. */
export type SyncMode =
  /** A stream of events. */
  | "streaming"
  /** Requests that wait at the server, or requests at intervals. */
  | "polling"
  /** Hearth can't be reached. Changes wait in the queue. */
  | "offline"
  /** Another tab of this browser may sync the store: this one waits for its turn. */
  | "otherTab";

/** Options of `sync`. */
export interface SyncOptions {
  /** Stops the sync. */
  signal?: AbortSignal | undefined;
  /** Called with each new mode. */
  onMode?: ((mode: SyncMode) => void) | undefined;
  /** Called for each failure after which the sync goes on. */
  onFailure?: ((error: HearthError) => void) | undefined;
  /** Bound of the first pause after a failure (1,000 ms); it doubles up to a minute. */
  firstPauseMs?: number | undefined;
  /** Interval of requests where neither the stream nor waiting requests work (30,000). */
  pollMs?: number | undefined;
}

/**
 * Sends the queued changes of a store and fetches all changes, once. Calls for one store run one
 * after the other. If Hearth only asks to send a change later, the promise rejects with its refusal
 * once all changes have been fetched.
 */
export function syncOnce(
  hearth: Hearth, store: FamilyStore, options: Pick<SyncOptions, "signal"> = {}
): Promise<void> {
  // A long poll in progress would hold this call up.
  waits.get(store)?.();
  return inTurn(store, async () => {
    throwIfAborted(options.signal);
    const limit = await flush(hearth, store, options.signal);
    await pull(hearth, store, 0, options.signal);
    if (limit !== undefined) throw limit;
  });
}

/**
 * Keeps a store up to date until `signal` aborts: sends queued changes at once, learns of changes
 * by a stream, else by requests that wait, and tries again after failures. In a browser one tab
 * does it for all.
 *
 * The promise resolves with the reason for the end; it rejects only if `signal` or the store's
 * functions are used wrongly.
 */
export async function sync(
  hearth: Hearth, store: FamilyStore, options: SyncOptions = {}
): Promise<"stopped" | "signedOut"> {
  const { signal } = options;
  if (store.tabs.isShared) options.onMode?.("otherTab");
  try {
    return await store.tabs.exclusively(
      Infinity, signal, () => new Engine(hearth, store, options).run());
  } catch (error) {
    if (signal?.aborted === true) return "stopped";
    throw error;
  }
}

class Engine {
  readonly #hearth: Hearth;
  readonly #store: FamilyStore;
  readonly #options: SyncOptions;
  readonly #wakeUp = new WakeUp();
  #mode: SyncMode | undefined;
  #stream: "closed" | "opening" | "open" = "closed";
  /** Time before which no new stream is opened, after streams have failed while requests worked. */
  #streamBlockedUntil = 0;
  /** Number of times in a row that Hearth has limited the first change of the queue. */
  #limits = 0;
  /** First change of the queue, and the time before which Hearth refuses it for a limit. */
  #limited: { readonly key: string | undefined; readonly until: number } | undefined;

  constructor(hearth: Hearth, store: FamilyStore, options: SyncOptions) {
    this.#hearth = hearth;
    this.#store = store;
    this.#options = options;
  }

  async run(): Promise<"stopped" | "signedOut"> {
    const controller = new AbortController();
    const { signal } = controller;
    const abort = () => controller.abort();
    this.#options.signal?.addEventListener("abort", abort);
    if (this.#options.signal?.aborted === true) abort();
    const stops = [
      this.#store.subscribe((store) => {
        if (store.queue.length > 0 && this.#mode !== "offline" && this.#msUntilSending() === 0) {
          this.#wakeUp.call();
        }
      }),
      onNetwork(() => this.#wakeUp.call()),
      () => this.#options.signal?.removeEventListener("abort", abort),
      abort,
    ];
    let failures = 0;
    try {
      while (!signal.aborted) {
        try {
          await inTurn(this.#store, () => this.#syncWhenDue(signal));
          if (failures > 0) this.#streamBlockedUntil = 0;
          failures = 0;
          this.#listen(signal);
          await this.#waitForNext(signal);
        } catch (error) {
          if (signal.aborted) break;
          if (!(error instanceof HearthError)) throw error;
          if (error.nextStep === "signIn") return "signedOut";
          failures += 1;
          this.#set("offline");
          this.#options.onFailure?.(error);
          await this.#wakeUp.wait(pauseAfter(
            failures, this.#options.firstPauseMs ?? 1000, error.retryAfterSeconds), signal);
        }
      }
      return "stopped";
    } finally {
      for (const stop of stops) stop();
    }
  }

  /** Sends queued changes, unless the first one waits for a limit, and fetches all changes. */
  async #syncWhenDue(signal: AbortSignal): Promise<void> {
    throwIfAborted(signal);
    if (this.#msUntilSending() === 0) {
      const limit = await flush(this.#hearth, this.#store, signal);
      this.#limits = limit === undefined ? 0 : this.#limits + 1;
      this.#limited = limit && {
        key: this.#store.queue[0]?.key,
        until: Date.now() + pauseAfter(
          this.#limits, this.#options.firstPauseMs ?? 1000, limit.retryAfterSeconds),
      };
      if (limit !== undefined) this.#options.onFailure?.(limit);
    }
    await pull(this.#hearth, this.#store, 0, signal);
  }

  /** Returns for how long the queue has to wait for a limit; 0 if it can be sent. */
  #msUntilSending(): number {
    // A person who cancels the limited change does not have to wait with the others.
    if (this.#limited?.key !== this.#store.queue[0]?.key) return 0;
    return Math.max(0, (this.#limited?.until ?? 0) - Date.now());
  }

  #set(mode: SyncMode): void {
    if (mode === this.#mode) return;
    this.#mode = mode;
    this.#options.onMode?.(mode);
  }

  /** Opens the stream of events, unless it is open. Its events wake the engine up. */
  #listen(signal: AbortSignal): void {
    if (this.#stream !== "closed" || Date.now() < this.#streamBlockedUntil) return;
    this.#stream = "opening";
    const onFailure = (error: HearthError) => {
      this.#stream = "opening";
      this.#options.onFailure?.(error);
    };
    const { firstPauseMs } = this.#options;
    const follow = async () => {
      for await (const _ of live(
        this.#hearth, { signal, firstPauseMs, maximumFailures: 3, onFailure })) {
        this.#stream = "open";
        this.#wakeUp.call();
      }
    };
    follow().catch((error) => {
      // The engine's own requests show whether Hearth can be reached. Some proxies stop streams.
      this.#streamBlockedUntil = Date.now() + 300_000;
      if (error instanceof HearthError) this.#options.onFailure?.(error);
    }).finally(() => {
      this.#stream = "closed";
      this.#wakeUp.call();
    });
  }

  /** Waits until something may have changed here or at Hearth. */
  async #waitForNext(signal: AbortSignal): Promise<void> {
    const limit = this.#msUntilSending() || Infinity;
    const poll = Math.min(limit, this.#options.pollMs ?? 30_000);
    this.#set(this.#stream === "open" ? "streaming" : "polling");
    if (this.#stream !== "closed") {
      // A lost event delays a change, no more.
      return this.#wakeUp.wait(
        this.#stream === "open" ? Math.min(limit, 5 * poll) : poll, signal);
    }
    const controller = new AbortController();
    const abort = () => controller.abort();
    signal.addEventListener("abort", abort);
    waits.set(this.#store, abort);
    const begin = Date.now();
    const pulled = inTurn(
      this.#store, () => pull(this.#hearth, this.#store, 25, controller.signal)
    ).catch(() => undefined);
    // The long poll ends when a change is queued here, or can be sent.
    const woken = this.#wakeUp.wait(Math.min(limit, 40_000), controller.signal).then(() => true);
    const hasChanged = await Promise.race([pulled, woken]);
    abort();
    waits.delete(this.#store);
    await Promise.all([pulled, woken]);
    signal.removeEventListener("abort", abort);
    // An empty response at once means that something on the way keeps requests from waiting.
    if (hasChanged === undefined || !hasChanged && Date.now() - begin < 1000) {
      await this.#wakeUp.wait(poll, signal);
    }
  }
}

/** Functions that end a long poll. */
const waits = new WeakMap<FamilyStore, () => void>();

/** Last piece of work of each store. */
const turns = new WeakMap<FamilyStore, Promise<unknown>>();

function inTurn<Value>(store: FamilyStore, work: () => Promise<Value>): Promise<Value> {
  const turn = (turns.get(store) ?? Promise.resolve()).then(work);
  turns.set(store, turn.catch(() => {}));
  return turn;
}

/** Fetches changes; returns whether there were any. */
async function pull(
  hearth: Hearth, store: FamilyStore, waitSeconds: number, signal: AbortSignal | undefined
): Promise<boolean> {
  let hasChanged = false;
  for (let wait = waitSeconds; ; wait = 0) {
    const { cursor, erasures } = store;
    const query = { ...(cursor === undefined ? {} : { cursor }), ...(wait > 0 ? { wait } : {}) };
    const page = await hearth.call(
      "sync", { query }, { signal, timeoutMs: 30_000 + wait * 1000 });
    // Hearth never sends these: the second one would be requested again and again.
    if (!Array.isArray(page?.changes) || page.hasMore && page.cursor === cursor) {
      throw new UnexpectedResponse(200, "not a page of changes");
    }
    await store.apply(page, erasures);
    hasChanged ||= page.changes.length > 0;
    if (!page.hasMore) return hasChanged;
  }
}

/**
 * Sends queued changes in order. Changes without a final response stay in the queue. Returns the
 * refusal of a change that Hearth has asked to send later.
 */
async function flush(
  hearth: Hearth, store: FamilyStore, signal: AbortSignal | undefined
): Promise<HearthError | undefined> {
  try {
    await send(hearth, store, signal);
    return undefined;
  } catch (error) {
    const isAnswer = error instanceof Refusal || error instanceof UnexpectedResponse;
    if (isAnswer && error.status === 429) return error;
    throw error;
  }
}

async function send(
  hearth: Hearth, store: FamilyStore, signal: AbortSignal | undefined
): Promise<void> {
  const isNew = (change: QueuedChange) =>
    change.sentAt === undefined && couldBeMadeTwice(change);
  for (let isReached = false; ; isReached = true) {
    await store.expire();
    // Otherwise every attempt without a network could count as one that Hearth may have received.
    if (!isReached && store.queue.some(isNew)) await pull(hearth, store, 0, signal);
    const changes = fitting(store.queue);
    if (changes.length === 0) return;
    const marked = changes.filter(isNew);
    await store.markSent(marked, Date.now());
    const operations = changes.map(({ method, target, headers, body }) => ({
      method: method as "POST", path: target, headers,
      ...(body === undefined ? {} : { body: body as Record<string, unknown> }),
    }));
    // Each change has a key of its own, so the batch can be repeated.
    const { erasures } = store;
    const { results } = await hearth.call(
      "batch", { body: { operations, stopOnFailure: true } }, { signal, retry: true });
    // Without a result for the first change the batch would be sent again and again.
    if (results?.length !== changes.length || results[0]?.status === 424) {
      throw new UnexpectedResponse(200, "incomplete batch");
    }
    // At their first attempt Hearth has refused or skipped these, without making them.
    await store.markSent(marked.filter((change) =>
      [401, 424, 429].includes(results[changes.indexOf(change)]?.status ?? 424)), undefined);
    for (const [index, change] of changes.entries()) {
      const { status, headers, body } = results[index] ?? { status: 424, headers: {}, body: null };
      // An earlier change failed, so this one was not tried.
      if (status === 424) break;
      const problem = body as { code?: unknown } | null;
      if (status >= 500 || [401, 408, 425, 429].includes(status)
        || problem?.code === "idempotency_key_in_use" || problem?.code === "retry_later") {
        const received = new Headers(headers as Record<string, string>);
        throw typeof problem?.code === "string" ? new Refusal(body as never, received)
          : new UnexpectedResponse(status, JSON.stringify(body), received);
      }
      await store.settle(change, status, body, erasures);
    }
  }
}

/** Returns the longest beginning of the queue that fits into one request. */
function fitting(queue: readonly QueuedChange[]): readonly QueuedChange[] {
  let bytes = 200;
  const count = queue.slice(0, 50).findIndex((change) => {
    const text = JSON.stringify(
      [change.method, change.target, change.headers, change.body ?? null]);
    // A unit of text takes at most three bytes, and one byte in ASCII.
    bytes += 100 + text.length + 2 * text.replace(/[\x00-\x7f]/g, "").length;
    return bytes > 60 * 1024;
  });
  return queue.slice(0, count === -1 ? 50 : Math.max(1, count));
}

"""#
}
