/** Reason why a call failed. Each error that this client throws is one of the classes below. */
export class HearthError extends Error {
    /** Seconds after which the same call can succeed, if the server named them. */
    retryAfterSeconds;
    constructor(message, cause, retryAfterSeconds) {
        super(message, cause === undefined ? undefined : { cause });
        this.name = new.target.name;
        this.retryAfterSeconds = retryAfterSeconds;
    }
}
/** A refusal by Hearth. Its message can be shown to people. */
export class Refusal extends HearthError {
    /** The complete problem document; `code` tells its types apart. */
    problem;
    headers;
    constructor(problem, headers) {
        super(problem.message, undefined, retryAfter(headers));
        this.name = "Refusal";
        this.problem = problem;
        this.headers = headers;
    }
    /** Machine-readable reason. */
    get code() {
        return this.problem.code;
    }
    get status() {
        return this.problem.status;
    }
    /** Id of the request in the server's log. */
    get requestId() {
        return this.problem.requestId;
    }
    get nextStep() {
        return nextStepOf(this.status, this.code);
    }
}
/** No attempt got a response, so it is unknown whether the call took effect. */
export class NetworkError extends HearthError {
    name = "NetworkError";
    nextStep = "retry";
    /** `timeout`: no response within the deadline; `offline`: the device reports no network. */
    reason;
    /** Number of times that the request was sent. */
    attempts;
    constructor(reason, attempts, cause) {
        super(reason === "timeout" ? "The server takes too long to respond. Please try again."
            : reason === "offline" ? "You seem to be offline. Please try again."
                : "Connection error. Please try again.", cause);
        this.reason = reason;
        this.attempts = attempts;
    }
}
/** Nobody is signed in on this device. */
export class SignedOutError extends HearthError {
    name = "SignedOutError";
    nextStep = "signIn";
    constructor(cause) {
        super("Please sign in.", cause);
    }
}
/** The app's own function that supplies a token has thrown an error, which is the `cause`. */
export class SignInFailedError extends HearthError {
    name = "SignInFailedError";
    nextStep = "retry";
    constructor(cause) {
        super("Signing in failed. Please try again.", cause);
    }
}
/** Runs a function of the app that supplies a token, and wraps the error that it throws. */
export async function wrappingSignIn(work) {
    try {
        return await work();
    }
    catch (error) {
        throw error instanceof HearthError ? error : new SignInFailedError(error);
    }
}
/** A response that is not one of Hearth's, such as the page of a proxy. */
export class UnexpectedResponse extends HearthError {
    name = "UnexpectedResponse";
    status;
    /** Beginning of the body, for logs. */
    body;
    constructor(status, body, headers) {
        super("Server error. Please try again.", undefined, headers && retryAfter(headers));
        this.status = status;
        this.body = body.slice(0, 1000);
    }
    get nextStep() {
        return this.status >= 500 ? "retry" : "report";
    }
}
/** The device's storage refused to store or read the session or the copy of the families. */
export class StorageError extends HearthError {
    name = "StorageError";
    nextStep = "report";
    constructor(cause) {
        super("This device can't store the data.", cause);
    }
}
/** The queue of a store is full: the app must wait until changes have been sent. */
export class QueueFullError extends HearthError {
    name = "QueueFullError";
    nextStep = "wait";
    constructor() {
        super("Too many changes wait to be sent. Please try again when you are online.");
    }
}
/** Returns whether an error is a refusal; with codes, whether it is one with any of these. */
export function isRefusal(error, ...codes) {
    return error instanceof Refusal
        && (codes.length === 0 || codes.includes(error.code));
}
/** Returns `Retry-After` in seconds; undefined if it is missing or not a number of seconds. */
export function retryAfter(headers) {
    const text = headers.get("retry-after");
    return text !== null && /^\d+$/.test(text) ? Number(text) : undefined;
}
/** Codes whose next step is another than that of their status. */
const ownSteps = [
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
function nextStepOf(status, code) {
    for (const [step, codes] of ownSteps)
        if (codes.split(" ").includes(code))
            return step;
    switch (status) {
        case 401: return "signIn";
        case 403: return "askFamily";
        case 404:
        case 410:
        case 412: return "refresh";
        case 409: return "resolve";
        case 429: return "wait";
        case 400:
        case 413:
        case 422: return "correctInput";
        case 502:
        case 503:
        case 504: return "retry";
        default: return "report";
    }
}
