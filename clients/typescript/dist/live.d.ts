import type { Hearth } from "./client.js";
import { HearthError } from "./errors.js";
/** A signal of the stream of changes. */
export declare type LiveEvent = 
/** The stream is open. It does not report what changed before: read or sync now. */
{
    readonly type: "open";
}
/** The families, and perhaps the caller's own data (`self`), have changed. */
 | {
    readonly type: "change";
    readonly families: readonly string[];
    readonly self: boolean;
}
/** Events may be missing: read everything again. */
 | {
    readonly type: "reset";
};
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
export declare function live(hearth: Hearth, options?: LiveOptions): AsyncGenerator<LiveEvent, void, void>;
/** A server-sent event. */
export interface StreamEvent {
    readonly name: string;
    readonly data: string;
    readonly id: string | undefined;
}
/** Returns an incremental parser of `text/event-stream`. */
export declare function eventParser(): (chunk: string) => StreamEvent[];
