import { HearthError, Refusal, UnexpectedResponse } from "./errors.js";
import { live } from "./live.js";
import { couldBeMadeTwice } from "./store.js";
import { onNetwork, pauseAfter, throwIfAborted, WakeUp } from "./timing.js";
/**
 * Sends the queued changes of a store and fetches all changes, once. Calls for one store run one
 * after the other. If Hearth only asks to send a change later, the promise rejects with its refusal
 * once all changes have been fetched.
 */
export function syncOnce(hearth, store, options = {}) {
    // A long poll in progress would hold this call up.
    waits.get(store)?.();
    return inTurn(store, async () => {
        throwIfAborted(options.signal);
        const limit = await flush(hearth, store, options.signal);
        await pull(hearth, store, 0, options.signal);
        if (limit !== undefined)
            throw limit;
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
export async function sync(hearth, store, options = {}) {
    const { signal } = options;
    if (store.tabs.isShared)
        options.onMode?.("otherTab");
    try {
        return await store.tabs.exclusively(Infinity, signal, () => new Engine(hearth, store, options).run());
    }
    catch (error) {
        if (signal?.aborted === true)
            return "stopped";
        throw error;
    }
}
class Engine {
    #hearth;
    #store;
    #options;
    #wakeUp = new WakeUp();
    #mode;
    #stream = "closed";
    /** Time before which no new stream is opened, after streams have failed while requests worked. */
    #streamBlockedUntil = 0;
    /** Number of times in a row that Hearth has limited the first change of the queue. */
    #limits = 0;
    /** First change of the queue, and the time before which Hearth refuses it for a limit. */
    #limited;
    constructor(hearth, store, options) {
        this.#hearth = hearth;
        this.#store = store;
        this.#options = options;
    }
    async run() {
        const controller = new AbortController();
        const { signal } = controller;
        const abort = () => controller.abort();
        this.#options.signal?.addEventListener("abort", abort);
        if (this.#options.signal?.aborted === true)
            abort();
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
                    if (failures > 0)
                        this.#streamBlockedUntil = 0;
                    failures = 0;
                    this.#listen(signal);
                    await this.#waitForNext(signal);
                }
                catch (error) {
                    if (signal.aborted)
                        break;
                    if (!(error instanceof HearthError))
                        throw error;
                    if (error.nextStep === "signIn")
                        return "signedOut";
                    failures += 1;
                    this.#set("offline");
                    this.#options.onFailure?.(error);
                    await this.#wakeUp.wait(pauseAfter(failures, this.#options.firstPauseMs ?? 1000, error.retryAfterSeconds), signal);
                }
            }
            return "stopped";
        }
        finally {
            for (const stop of stops)
                stop();
        }
    }
    /** Sends queued changes, unless the first one waits for a limit, and fetches all changes. */
    async #syncWhenDue(signal) {
        throwIfAborted(signal);
        if (this.#msUntilSending() === 0) {
            const limit = await flush(this.#hearth, this.#store, signal);
            this.#limits = limit === undefined ? 0 : this.#limits + 1;
            this.#limited = limit && {
                key: this.#store.queue[0]?.key,
                until: Date.now() + pauseAfter(this.#limits, this.#options.firstPauseMs ?? 1000, limit.retryAfterSeconds),
            };
            if (limit !== undefined)
                this.#options.onFailure?.(limit);
        }
        await pull(this.#hearth, this.#store, 0, signal);
    }
    /** Returns for how long the queue has to wait for a limit; 0 if it can be sent. */
    #msUntilSending() {
        // A person who cancels the limited change does not have to wait with the others.
        if (this.#limited?.key !== this.#store.queue[0]?.key)
            return 0;
        return Math.max(0, (this.#limited?.until ?? 0) - Date.now());
    }
    #set(mode) {
        if (mode === this.#mode)
            return;
        this.#mode = mode;
        this.#options.onMode?.(mode);
    }
    /** Opens the stream of events, unless it is open. Its events wake the engine up. */
    #listen(signal) {
        if (this.#stream !== "closed" || Date.now() < this.#streamBlockedUntil)
            return;
        this.#stream = "opening";
        const onFailure = (error) => {
            this.#stream = "opening";
            this.#options.onFailure?.(error);
        };
        const { firstPauseMs } = this.#options;
        const follow = async () => {
            for await (const _ of live(this.#hearth, { signal, firstPauseMs, maximumFailures: 3, onFailure })) {
                this.#stream = "open";
                this.#wakeUp.call();
            }
        };
        follow().catch((error) => {
            // The engine's own requests show whether Hearth can be reached. Some proxies stop streams.
            this.#streamBlockedUntil = Date.now() + 300000;
            if (error instanceof HearthError)
                this.#options.onFailure?.(error);
        }).finally(() => {
            this.#stream = "closed";
            this.#wakeUp.call();
        });
    }
    /** Waits until something may have changed here or at Hearth. */
    async #waitForNext(signal) {
        const limit = this.#msUntilSending() || Infinity;
        const poll = Math.min(limit, this.#options.pollMs ?? 30000);
        this.#set(this.#stream === "open" ? "streaming" : "polling");
        if (this.#stream !== "closed") {
            // A lost event delays a change, no more.
            return this.#wakeUp.wait(this.#stream === "open" ? Math.min(limit, 5 * poll) : poll, signal);
        }
        const controller = new AbortController();
        const abort = () => controller.abort();
        signal.addEventListener("abort", abort);
        waits.set(this.#store, abort);
        const begin = Date.now();
        const pulled = inTurn(this.#store, () => pull(this.#hearth, this.#store, 25, controller.signal)).catch(() => undefined);
        // The long poll ends when a change is queued here, or can be sent.
        const woken = this.#wakeUp.wait(Math.min(limit, 40000), controller.signal).then(() => true);
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
const waits = new WeakMap();
/** Last piece of work of each store. */
const turns = new WeakMap();
function inTurn(store, work) {
    const turn = (turns.get(store) ?? Promise.resolve()).then(work);
    turns.set(store, turn.catch(() => { }));
    return turn;
}
/** Fetches changes; returns whether there were any. */
async function pull(hearth, store, waitSeconds, signal) {
    let hasChanged = false;
    for (let wait = waitSeconds;; wait = 0) {
        const { cursor, erasures } = store;
        const query = { ...(cursor === undefined ? {} : { cursor }), ...(wait > 0 ? { wait } : {}) };
        const page = await hearth.call("sync", { query }, { signal, timeoutMs: 30000 + wait * 1000 });
        // Hearth never sends these: the second one would be requested again and again.
        if (!Array.isArray(page?.changes) || page.hasMore && page.cursor === cursor) {
            throw new UnexpectedResponse(200, "not a page of changes");
        }
        await store.apply(page, erasures);
        hasChanged ||= page.changes.length > 0;
        if (!page.hasMore)
            return hasChanged;
    }
}
/**
 * Sends queued changes in order. Changes without a final response stay in the queue. Returns the
 * refusal of a change that Hearth has asked to send later.
 */
async function flush(hearth, store, signal) {
    try {
        await send(hearth, store, signal);
        return undefined;
    }
    catch (error) {
        const isAnswer = error instanceof Refusal || error instanceof UnexpectedResponse;
        if (isAnswer && error.status === 429)
            return error;
        throw error;
    }
}
async function send(hearth, store, signal) {
    const isNew = (change) => change.sentAt === undefined && couldBeMadeTwice(change);
    for (let isReached = false;; isReached = true) {
        await store.expire();
        // Otherwise every attempt without a network could count as one that Hearth may have received.
        if (!isReached && store.queue.some(isNew))
            await pull(hearth, store, 0, signal);
        const changes = fitting(store.queue);
        if (changes.length === 0)
            return;
        const marked = changes.filter(isNew);
        await store.markSent(marked, Date.now());
        const operations = changes.map(({ method, target, headers, body }) => ({
            method: method, path: target, headers,
            ...(body === undefined ? {} : { body: body }),
        }));
        // Each change has a key of its own, so the batch can be repeated.
        const { erasures } = store;
        const { results } = await hearth.call("batch", { body: { operations, stopOnFailure: true } }, { signal, retry: true });
        // Without a result for the first change the batch would be sent again and again.
        if (results?.length !== changes.length || results[0]?.status === 424) {
            throw new UnexpectedResponse(200, "incomplete batch");
        }
        // At their first attempt Hearth has refused or skipped these, without making them.
        await store.markSent(marked.filter((change) => [401, 424, 429].includes(results[changes.indexOf(change)]?.status ?? 424)), undefined);
        for (const [index, change] of changes.entries()) {
            const { status, headers, body } = results[index] ?? { status: 424, headers: {}, body: null };
            // An earlier change failed, so this one was not tried.
            if (status === 424)
                break;
            const problem = body;
            if (status >= 500 || [401, 408, 425, 429].includes(status)
                || problem?.code === "idempotency_key_in_use" || problem?.code === "retry_later") {
                const received = new Headers(headers);
                throw typeof problem?.code === "string" ? new Refusal(body, received)
                    : new UnexpectedResponse(status, JSON.stringify(body), received);
            }
            await store.settle(change, status, body, erasures);
        }
    }
}
/** Returns the longest beginning of the queue that fits into one request. */
function fitting(queue) {
    let bytes = 200;
    const count = queue.slice(0, 50).findIndex((change) => {
        const text = JSON.stringify([change.method, change.target, change.headers, change.body ?? null]);
        // A unit of text takes at most three bytes, and one byte in ASCII.
        bytes += 100 + text.length + 2 * text.replace(/[\x00-\x7f]/g, "").length;
        return bytes > 60 * 1024;
    });
    return queue.slice(0, count === -1 ? 50 : Math.max(1, count));
}
