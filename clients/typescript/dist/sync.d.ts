import type { Hearth } from "./client.js";
import { HearthError } from "./errors.js";
import type { FamilyStore } from "./store.js";
/** Method by which a running `sync` learns of changes. */
export declare type SyncMode = 
/** A stream of events. */
"streaming"
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
export declare function syncOnce(hearth: Hearth, store: FamilyStore, options?: Pick<SyncOptions, "signal">): Promise<void>;
/**
 * Keeps a store up to date until `signal` aborts: sends queued changes at once, learns of changes
 * by a stream, else by requests that wait, and tries again after failures. In a browser one tab
 * does it for all.
 *
 * The promise resolves with the reason for the end; it rejects only if `signal` or the store's
 * functions are used wrongly.
 */
export declare function sync(hearth: Hearth, store: FamilyStore, options?: SyncOptions): Promise<"stopped" | "signedOut">;
