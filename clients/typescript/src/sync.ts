import type { Hearth } from "./client.js";
import { HearthError, Refusal, UnexpectedResponse } from "./errors.js";
import { live } from "./live.js";
import { couldBeMadeTwice } from "./store.js";
import type { FamilyStore, QueuedChange } from "./store.js";
import { onNetwork, pauseAfter, throwIfAborted, WakeUp } from "./timing.js";

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
