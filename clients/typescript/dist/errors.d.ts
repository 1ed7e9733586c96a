import type { OperationName, Operations, Problem, RefusalCode } from "./api.js";
/** Next step of an app after an error. */
export declare type NextStep = 
/** Show the message next to what the person entered. */
"correctInput"
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
export declare abstract class HearthError extends Error {
    /** Next step of an app. */
    abstract readonly nextStep: NextStep;
    /** Seconds after which the same call can succeed, if the server named them. */
    readonly retryAfterSeconds: number | undefined;
    constructor(message: string, cause?: unknown, retryAfterSeconds?: number);
}
/** A refusal by Hearth. Its message can be shown to people. */
export declare class Refusal<Code extends RefusalCode = RefusalCode> extends HearthError {
    /** The complete problem document; `code` tells its types apart. */
    readonly problem: Problem<Code>;
    readonly headers: Headers;
    constructor(problem: Problem<Code>, headers: Headers);
    /** Machine-readable reason. */
    get code(): Code;
    get status(): number;
    /** Id of the request in the server's log. */
    get requestId(): string;
    get nextStep(): NextStep;
}
/** No attempt got a response, so it is unknown whether the call took effect. */
export declare class NetworkError extends HearthError {
    readonly name = "NetworkError";
    readonly nextStep = "retry";
    /** `timeout`: no response within the deadline; `offline`: the device reports no network. */
    readonly reason: "timeout" | "offline" | "connection";
    /** Number of times that the request was sent. */
    readonly attempts: number;
    constructor(reason: NetworkError["reason"], attempts: number, cause?: unknown);
}
/** Nobody is signed in on this device. */
export declare class SignedOutError extends HearthError {
    readonly name = "SignedOutError";
    readonly nextStep = "signIn";
    constructor(cause?: unknown);
}
/** The app's own function that supplies a token has thrown an error, which is the `cause`. */
export declare class SignInFailedError extends HearthError {
    readonly name = "SignInFailedError";
    readonly nextStep = "retry";
    constructor(cause: unknown);
}
/** Runs a function of the app that supplies a token, and wraps the error that it throws. */
export declare function wrappingSignIn<Value>(work: () => Value | Promise<Value>): Promise<Value>;
/** A response that is not one of Hearth's, such as the page of a proxy. */
export declare class UnexpectedResponse extends HearthError {
    readonly name = "UnexpectedResponse";
    readonly status: number;
    /** Beginning of the body, for logs. */
    readonly body: string;
    constructor(status: number, body: string, headers?: Headers);
    get nextStep(): NextStep;
}
/** The device's storage refused to store or read the session or the copy of the families. */
export declare class StorageError extends HearthError {
    readonly name = "StorageError";
    readonly nextStep = "report";
    constructor(cause: unknown);
}
/** The queue of a store is full: the app must wait until changes have been sent. */
export declare class QueueFullError extends HearthError {
    readonly name = "QueueFullError";
    readonly nextStep = "wait";
    constructor();
}
/** Returns whether an error is a refusal; with codes, whether it is one with any of these. */
export declare function isRefusal<Code extends RefusalCode = RefusalCode>(error: unknown, ...codes: readonly Code[]): error is Refusal<Code>;
/** Codes with which an operation can refuse. */
export declare type RefusalCodeOf<Name extends OperationName> = Operations[Name]["code"];
/** Returns `Retry-After` in seconds; undefined if it is missing or not a number of seconds. */
export declare function retryAfter(headers: Headers): number | undefined;
