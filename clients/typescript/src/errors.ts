import type { OperationName, Operations, Problem, RefusalCode } from "./api.js";

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
export async function wrappingSignIn<Value>(work: () => Value | Promise<Value>): Promise<Value> {
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
export function retryAfter(headers: Headers): number | undefined {
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
