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
export function pauseBefore(
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
export function pauseAfter(
  failures: number, firstPauseMs: number, retryAfterSeconds: number | undefined
): number {
  const bound = Math.min(60_000, firstPauseMs * 2 ** Math.min(failures - 1, 16));
  return Math.min(3_600, retryAfterSeconds ?? 0) * 1000 + bound * (0.5 + Math.random() / 2);
}

/** Reason with which a deadline aborts a signal. */
export class DeadlineExceeded extends Error {
  override readonly name = "DeadlineExceeded";
}

/** Throws the signal's reason if it has aborted. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw reasonOf(signal);
}

/** Returns the reason of an aborted signal. React Native's signals have none. */
function reasonOf(signal: AbortSignal): unknown {
  if (signal.reason !== undefined) return signal.reason;
  return Object.assign(new Error("The call was cancelled"), { name: "AbortError" });
}

/** Runs work with a signal that aborts with `signal`, or with `DeadlineExceeded` after `ms`. */
export async function withDeadline<Value>(
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
export function untilAborted<Value>(
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
export class WakeUp {
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
export async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  await new WakeUp().wait(ms, signal);
  throwIfAborted(signal);
}

/** Calls a function whenever the device reports a network again. Returns a function to stop. */
export function onNetwork(call: () => void): () => void {
  if (typeof globalThis.addEventListener !== "function") return () => {};
  globalThis.addEventListener("online", call);
  return () => globalThis.removeEventListener("online", call);
}

/** Calls all listeners; an error of one does not keep the others from being called. */
export function notify<Value>(listeners: Iterable<(value: Value) => void>, value: Value): void {
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
export class TabGroup {
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
