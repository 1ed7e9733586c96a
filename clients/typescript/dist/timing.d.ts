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
export declare function pauseBefore(policy: RetryPolicy, attempts: number, retryAfterSeconds: number | undefined): number | undefined;
/**
 * Returns the pause after failures in a row: at random between half of its bound and the bound,
 * which doubles up to a minute. A time that the server named is added, up to an hour.
 */
export declare function pauseAfter(failures: number, firstPauseMs: number, retryAfterSeconds: number | undefined): number;
/** Reason with which a deadline aborts a signal. */
export declare class DeadlineExceeded extends Error {
    readonly name = "DeadlineExceeded";
}
/** Throws the signal's reason if it has aborted. */
export declare function throwIfAborted(signal: AbortSignal | undefined): void;
/** Runs work with a signal that aborts with `signal`, or with `DeadlineExceeded` after `ms`. */
export declare function withDeadline<Value>(ms: number, signal: AbortSignal | undefined, work: (signal: AbortSignal) => Promise<Value>): Promise<Value>;
/** Waits for a promise; throws the signal's reason as soon as it aborts. */
export declare function untilAborted<Value>(promise: Promise<Value>, signal: AbortSignal | undefined): Promise<Value>;
/** A latched signal: a call ends the wait in progress, or else the next one. */
export declare class WakeUp {
    #private;
    call(): void;
    /** Waits for a call, at most `ms`. Ends early when the signal aborts. */
    wait(ms: number, signal?: AbortSignal): Promise<void>;
}
/** Waits; throws the signal's reason as soon as it aborts. */
export declare function pause(ms: number, signal: AbortSignal | undefined): Promise<void>;
/** Calls a function whenever the device reports a network again. Returns a function to stop. */
export declare function onNetwork(call: () => void): () => void;
/** Calls all listeners; an error of one does not keep the others from being called. */
export declare function notify<Value>(listeners: Iterable<(value: Value) => void>, value: Value): void;
/** Messages between the tabs of a browser, and one tab's turn at a piece of work. */
export declare class TabGroup {
    #private;
    /** @param name Name that the tabs share; undefined if nothing is shared with other tabs. */
    constructor(name: string | undefined, receive: (message: unknown) => void);
    /** Whether other tabs may share the name. */
    get isShared(): boolean;
    send(message: unknown): void;
    /**
     * Runs work while no other tab does. Without Web Locks, or where a browser blocks them, or if
     * another tab holds the lock for longer than `ms`, the work runs at once: two tabs doing it is
     * safe, only not economical.
     */
    exclusively<Value>(ms: number, signal: AbortSignal | undefined, work: () => Promise<Value>): Promise<Value>;
    close(): void;
}
