// The client with a storage, a clock, tabs and responses that fail in ways that a running server
// does not show. Requests go to functions here.

import { deepEqual, equal, ok } from "node:assert/strict";
import { test } from "node:test";
import {
  createAccount, createHearth, HearthError, indexedDBBackend, live, memoryBackend, memoryStorage,
  NetworkError, openStore, QueueFullError, SignInFailedError, StorageError, sync, syncOnce,
  UnexpectedResponse,
} from "hearth-client";
import type {
  AccountOptions, AccountState, KeyValueStorage, LiveEvent, QueuedChange, StoreBackend, SyncMode,
  SyncPage,
} from "hearth-client";

const baseURL = "http://127.0.0.1:9";
const once = { attempts: 1 };

type Respond = (path: string, init: RequestInit) => Response | Promise<Response>;

/** Returns a `fetch` that records the paths of its requests. */
function responding(respond: Respond): { fetch: typeof fetch; paths: string[] } {
  const paths: string[] = [];
  return {
    paths,
    fetch: async (address, init = {}) => {
      const path = String(address).slice(baseURL.length).replace(/\?.*/, "");
      paths.push(path);
      return respond(path, init);
    },
  };
}

function json(value: unknown, status = 200, headers: Record<string, string> = {}): Response {
  const type = status < 400 ? "application/json" : "application/problem+json";
  return new Response(JSON.stringify(value), {
    status, headers: { "Content-Type": type, ...headers },
  });
}

function problem(code: string, status: number, headers: Record<string, string> = {}): Response {
  const fields = { type: "about:blank", title: code, detail: code, requestId: "r", message: code };
  return json({ ...fields, code, status }, status, headers);
}

/** Returns a response with a session whose tokens have this number. */
function signedIn(number: number, expiresIn = 600): Response {
  return json({
    access_token: `access${number}`, refresh_token: `refresh${number}`, expires_in: expiresIn,
    session: { id: "s" }, user: { id: "u" },
  });
}

async function thrown(work: Promise<unknown>): Promise<unknown> {
  try {
    await work;
  } catch (error) {
    return error;
  }
  throw new Error("it succeeded");
}

const pause = (ms: number) => new Promise<void>((end) => setTimeout(end, ms));

/** Waits until a condition holds; fails after five seconds. */
async function until(holds: () => boolean, about: string): Promise<void> {
  for (const start = Date.now(); !holds();) {
    if (Date.now() - start > 5000) throw new Error(`${about} did not happen`);
    await pause(5);
  }
}

const page = (fields: Partial<SyncPage> = {}): SyncPage =>
  ({ changes: [], cursor: "c1", hasMore: false, reset: false, ...fields });
const family = (id: string) => ({
  kind: "family" as const, id, familyId: null, version: 1, deleted: false,
  value: { familyId: id, familyName: "The Terns" } as never,
});

// Sessions.

/** An account whose clock the test moves, and whose refreshes `respond` answers. */
function device(respond: Respond, options: Partial<AccountOptions> = {}) {
  let clock = 1_000_000_000_000;
  const server = responding((path, init) =>
    path === "/api/auth/exchange" ? signedIn(1) : respond(path, init));
  const account = createAccount({
    baseURL, fetch: server.fetch, storage: memoryStorage(), retry: once, now: () => clock,
    ...options,
  });
  return {
    account, server,
    hearth: createHearth({ baseURL, fetch: server.fetch, credentials: account, retry: once }),
    advance: (minutes: number) => {
      clock += minutes * 60_000;
    },
  };
}

test("a token that is still valid is used while Hearth refuses to refresh it for a moment",
  async () => {
    const responses = [
      () => problem("unavailable", 503), () => problem("too_many_requests", 429),
      () => new Response("Bad gateway", { status: 502 }),
    ];
    for (const respond of responses) {
      const { account, advance } = device(respond);
      await account.exchange({ token: "t" });
      advance(9.5);
      equal(await account.accessToken(), "access1");
      equal(account.state.status, "signedIn");
      advance(1);
      ok(await thrown(account.accessToken()) instanceof HearthError);
      equal(account.state.status, "signedIn");
    }
  });

test("a clock that is set by a day keeps the session, which one refresh renews", async () => {
  let number = 1;
  const { account, hearth, server, advance } = device((path, init) => {
    if (path === "/api/auth/refresh") return signedIn(++number);
    const token = new Headers(init.headers).get("Authorization");
    return token === `Bearer access${number}` && number > 1
      ? json({ id: "u" }) : problem("invalid_token", 401);
  });
  await account.exchange({ token: "t" });
  advance(-1440);
  // By the device's clock the token is valid for a day, but Hearth refuses it.
  await Promise.all([1, 2, 3].map(() => hearth.call("readProfile")));
  equal(server.paths.filter((path) => path === "/api/auth/refresh").length, 1);
  advance(2880);
  await hearth.call("readProfile");
  equal(server.paths.filter((path) => path === "/api/auth/refresh").length, 2);
});

test("a refresh whose session can't be stored reports it, and the next one uses the new token",
  async () => {
    const sent: unknown[] = [];
    const values = new Map<string, string>();
    let isFull = false;
    const storage: KeyValueStorage = {
      isPrivate: true, getItem: (key) => values.get(key) ?? null,
      setItem: (key, value) => {
        if (isFull) throw new Error("QuotaExceededError");
        values.set(key, value);
      },
      removeItem: (key) => values.delete(key),
    };
    const { account, advance } = device((_, init) => {
      sent.push(JSON.parse(String(init.body)).refresh_token);
      return signedIn(sent.length + 1);
    }, { storage });
    await account.exchange({ token: "t" });
    isFull = true;
    advance(9.5);
    ok(await thrown(account.accessToken()) instanceof StorageError);
    equal(await account.accessToken(), "access2");
    await account.restore();
    isFull = false;
    advance(9.5);
    equal(await account.accessToken(), "access3");
    // An older refresh token would count as stolen.
    deepEqual(sent, ["refresh1", "refresh2"]);
    ok(values.get("hearth.session")?.includes("access3"));
  });

test("a session that can't be removed from the storage ends at Hearth nevertheless", async () => {
  let isBlocked = false;
  const memory = memoryStorage();
  const check = () => {
    if (isBlocked) throw new Error("blocked");
  };
  const storage: KeyValueStorage = {
    ...memory,
    getItem: (key) => (check(), memory.getItem(key)),
    removeItem: (key) => (check(), memory.removeItem(key)),
  };
  const { account, server } = device(() => json({ success: true }), { storage });
  await account.exchange({ token: "t" });
  isBlocked = true;
  ok(await thrown(account.signOut()) instanceof StorageError);
  equal(server.paths.at(-1), "/api/auth/sign-out");
  equal(account.state.status, "signedOut");
});

test("a slow storage that is read while a session begins or ends does not bring back the old one",
  async () => {
    const memory = memoryStorage();
    const slow: KeyValueStorage = {
      isPrivate: true,
      getItem: async (key) => {
        const value = await memory.getItem(key);
        await pause(10);
        return value;
      },
      setItem: async (key, value) => {
        await pause(10);
        memory.setItem(key, value);
      },
      removeItem: async (key) => {
        await pause(10);
        memory.removeItem(key);
      },
    };
    const { account } = device(() => json({ success: true }), { storage: slow });
    const states: AccountState["status"][] = [];
    account.subscribe((state) => states.push(state.status));
    const [, restored] = await Promise.all([
      account.exchange({ token: "t" }), pause(2).then(() => account.restore()),
    ]);
    equal(restored.status, "signedIn");
    equal(account.state.status, "signedIn");
    const out = account.signOut();
    await Promise.all([out, account.restore(), pause(12).then(() => account.restore())]);
    equal(account.state.status, "signedOut");
    deepEqual(states, ["signedIn", "signedOut"]);
  });

test("a gateway's own 401 does not sign the person out", async () => {
  const { account, advance } = device(() => new Response(
    '{"code": "unauthorized", "message": "no key"}',
    { status: 401, headers: { "Content-Type": "application/json" } }));
  await account.exchange({ token: "t" });
  advance(11);
  const error = await thrown(account.accessToken());
  ok(error instanceof UnexpectedResponse && error.status === 401, String(error));
  equal(account.state.status, "signedIn");
});

test("an error of the app's own sign-in arrives as SignInFailedError, and a sync goes on",
  async () => {
    let error: Error | undefined = new TypeError("the provider can't be reached");
    const server = responding(() => json(page()));
    const hearth = createHearth({
      baseURL, fetch: server.fetch, retry: once,
      credentials: async () => {
        if (error) throw error;
        return "token";
      },
    });
    const failure = await thrown(hearth.call("readProfile"));
    ok(failure instanceof SignInFailedError && failure.cause === error, String(failure));
    ok(failure instanceof HearthError && failure.nextStep === "retry");
    const account = createAccount({
      baseURL, fetch: server.fetch, storage: memoryStorage(), provider: async () => {
        throw error;
      },
    });
    ok(await thrown(account.accessToken()) instanceof SignInFailedError);
    const controller = new AbortController();
    const failures: HearthError[] = [];
    const modes: SyncMode[] = [];
    const running = sync(hearth, await openStore(memoryBackend(), "u"), {
      signal: controller.signal, firstPauseMs: 1, onMode: (mode) => modes.push(mode),
      onFailure: (one) => failures.push(one),
    });
    await until(() => failures.length > 1, "the second failure");
    equal(server.paths.length, 0);
    error = undefined;
    await until(() => modes.includes("polling"), "the sync");
    controller.abort();
    equal(await running, "stopped");
  });

// Calls.

test("a fetch that ignores its signal does not hold a call beyond its deadline", async () => {
  const hearth = createHearth({
    baseURL, retry: once, timeoutMs: 10, fetch: () => new Promise<Response>(() => {}),
  });
  const late = await thrown(hearth.call("readProfile"));
  ok(late instanceof NetworkError && late.reason === "timeout");
  const controller = new AbortController();
  const call = hearth.call("readProfile", {}, { signal: controller.signal, timeoutMs: 60_000 });
  controller.abort(new Error("the person left"));
  equal(((await thrown(call)) as Error).message, "the person left");
});

test("an infinite deadline never passes", async () => {
  const hearth = createHearth({
    baseURL, retry: once, timeoutMs: Infinity, fetch: async (_, init) => {
      await pause(20);
      init?.signal?.throwIfAborted();
      return json({ id: "u" });
    },
  });
  equal((await hearth.call("readProfile")).id, "u");
});

test("responses that are not JSON, or not a problem, throw UnexpectedResponse", async () => {
  const bodies: [string, number, string][] = [
    ["<html>Sign in to the network</html>", 200, "text/html"], ["", 200, "application/json"],
    ['{"familyId": "f', 200, "application/json"], ["null", 500, "application/json"],
    ['{"code": 401}', 401, "application/problem+json"], ["{", 503, "application/problem+json"],
  ];
  for (const [body, status, type] of bodies) {
    const { fetch } = responding(
      () => new Response(body, { status, headers: { "Content-Type": type } }));
    const hearth = createHearth({ baseURL, fetch, retry: once });
    const error = await thrown(hearth.call("readProfile"));
    ok(error instanceof UnexpectedResponse && error.status === status, `${body}: ${error}`);
  }
});

test("a signal that aborts during a pause between attempts ends the call at once", async () => {
  const controller = new AbortController();
  const { fetch, paths } = responding(() => problem("unavailable", 503));
  const hearth = createHearth({
    baseURL, fetch, retry: { firstPauseMs: 60_000, longestPauseMs: 60_000 },
  });
  const call = hearth.call("readProfile", {}, { signal: controller.signal });
  await until(() => paths.length === 1, "the request");
  await pause(5);
  controller.abort();
  equal(((await thrown(call)) as Error).name, "AbortError");
  equal(paths.length, 1);
});

// The stream of changes.

/** Returns a response whose stream has these parts and then ends, or stays open. */
function stream(parts: readonly string[], ends: boolean): Response {
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      for (const part of parts) controller.enqueue(new TextEncoder().encode(part));
      if (ends) controller.close();
    },
  });
  return new Response(body, { headers: { "Content-Type": "text/event-stream" } });
}

async function take(events: AsyncGenerator<LiveEvent>, count: number): Promise<LiveEvent[]> {
  const taken: LiveEvent[] = [];
  while (taken.length < count) {
    const next = await events.next();
    if (next.done === true) break;
    taken.push(next.value);
  }
  return taken;
}

test("a stream that ends in the middle of a line continues after the last complete event",
  async () => {
    const ids: (string | null)[] = [];
    const hearth = createHearth({
      baseURL, fetch: async (_, init) => {
        ids.push(new Headers(init?.headers).get("Last-Event-ID"));
        return ids.length > 1 ? stream(["retry: 2000\nid: 3\n\n"], false) : stream([
          "retry: 2000\nid: 1\n\n", "event: chan", 'ge\r\nid: 2\r\ndata: {"families":["f"]}\r',
          "\n\r\n", 'event: change\nid: 9\ndata: {"fam',
        ], true);
      },
    });
    const events = live(hearth, { firstPauseMs: 1 });
    deepEqual(await take(events, 3), [
      { type: "open" }, { type: "change", families: ["f"], self: false }, { type: "open" },
    ]);
    deepEqual(ids, [null, "2"]);
    await events.return();
  });

test("a stream that ends at once, again and again, is opened ever less often", async () => {
  const { fetch, paths } = responding(() => stream(["retry: 2000\n\n"], true));
  const failures: HearthError[] = [];
  const events = live(createHearth({ baseURL, fetch }), {
    firstPauseMs: 2, maximumFailures: 5, onFailure: (error) => failures.push(error),
  });
  const start = Date.now();
  ok(await thrown(take(events, 100)) instanceof NetworkError);
  deepEqual([paths.length, failures.length], [5, 4]);
  // At least half of 2, 4, 8 and 16 ms.
  ok(Date.now() - start >= 14, `${Date.now() - start} ms`);
});

test("a Retry-After of a month does not cause a storm of requests", async () => {
  const { fetch, paths } = responding(
    () => problem("unavailable", 503, { "Retry-After": "2592000" }));
  const hearth = createHearth({ baseURL, fetch });
  const controller = new AbortController();
  const { signal } = controller;
  const events = live(hearth, { signal, firstPauseMs: 1 });
  const next = take(events, 1);
  const running = sync(hearth, await openStore(memoryBackend(), "u"), { signal, firstPauseMs: 1 });
  await pause(100);
  controller.abort();
  deepEqual([await next, await running], [[], "stopped"]);
  equal(paths.length, 2);
});

test("a stream that is not Hearth's is not buffered without limit", async () => {
  const { fetch } = responding(() => stream([
    "retry: 2000\n\n", ...Array.from({ length: 200 }, () => `data: ${"x".repeat(1000)}\n`),
  ], false));
  const events = live(createHearth({ baseURL, fetch }), { firstPauseMs: 1, maximumFailures: 1 });
  ok(await thrown(take(events, 2)) instanceof UnexpectedResponse);
});

test("a live stream fails at once with a fetch that can't read streams", async () => {
  const headers = new Headers({ "Content-Type": "text/event-stream" });
  const text = () => new Promise<string>(() => {});
  const hearth = createHearth({
    baseURL, fetch: async () => ({ ok: true, status: 200, headers, body: null, text }) as never,
  });
  const events = live(hearth, { firstPauseMs: 1, maximumFailures: 1 });
  ok(await thrown(take(events, 1)) instanceof UnexpectedResponse);
});

// The store.

test("a page that arrives after the store was erased is discarded", async () => {
  let release = () => {};
  const server = responding(async (path) => {
    if (path !== "/api/sync") return json({ results: [] });
    await new Promise<void>((resolve) => {
      release = resolve;
    });
    return json(page({ changes: [family("f")], cursor: "c2" }));
  });
  const hearth = createHearth({ baseURL, fetch: server.fetch });
  const store = await openStore(memoryBackend(), "u");
  const first = syncOnce(hearth, store);
  await until(() => server.paths.length === 1, "the request");
  await store.erase();
  release();
  await first;
  deepEqual([store.entities("family"), store.cursor], [[], undefined]);
  const second = syncOnce(hearth, store);
  await until(() => server.paths.length === 2, "the second request");
  release();
  await second;
  deepEqual([store.entities("family").length, store.cursor], [1, "c2"]);
});

test("a response to a change that arrives after the store was erased leaves nothing in it",
  async () => {
    let release = () => {};
    const server = responding(async (path) => {
      if (path !== "/api/batch") return json(page());
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      const body = { code: "oneself", message: "No." };
      return json({ results: [{ status: 403, headers: {}, body }] });
    });
    const hearth = createHearth({ baseURL, fetch: server.fetch });
    const store = await openStore(memoryBackend(), "u");
    await store.enqueue("updateProfile", { body: { fullName: "Ada" } });
    const running = syncOnce(hearth, store);
    await until(() => server.paths.length === 1, "the request");
    await store.erase();
    release();
    await running;
    deepEqual([store.queue, store.conflicts], [[], []]);
  });

test("a batch or page of another shape fails the sync, which does not repeat it at once",
  async () => {
    const shapes: [string, unknown][] = [
      ["/api/batch", {}], ["/api/batch", { results: [] }],
      ["/api/batch", { results: [{ status: 424, headers: {}, body: null }] }],
      ["/api/sync", {}], ["/api/sync", page({ hasMore: true, cursor: "c0" })],
    ];
    for (const [path, shape] of shapes) {
      const body = { status: 200, headers: {}, body: {} };
      const server = responding((asked) => json(
        asked === path ? shape : asked === "/api/batch" ? { results: [body] } : page()));
      const hearth = createHearth({ baseURL, fetch: server.fetch });
      const store = await openStore(memoryBackend(), "u");
      await store.apply(page({ cursor: "c0" }));
      await store.enqueue("updateProfile", { body: { fullName: "Ada" } });
      const error = await thrown(syncOnce(hearth, store));
      ok(error instanceof UnexpectedResponse, `${JSON.stringify(shape)}: ${error}`);
      ok(server.paths.length < 3, JSON.stringify(shape));
    }
  });

/** Returns a response to a batch of which only the first operation was tried. */
function batchOf(init: RequestInit, status: number, code: string, headers = {}): Response {
  const { operations } = JSON.parse(String(init.body)) as { operations: unknown[] };
  return json({
    results: operations.map((_, index) => index > 0 ? { status: 424, headers: {}, body: null }
      : { status, headers, body: { code, status, message: code } }),
  });
}

test("a change that waits for a limit does not keep a device from receiving others", async () => {
  let isLimited = true;
  let pulls = 0;
  const limits: number[] = [];
  const server = responding(async (path, init) => {
    if (path === "/api/live") return stream(["retry: 2000\n\n"], false);
    if (path === "/api/batch") {
      limits.push(Date.now());
      return isLimited ? batchOf(init, 429, "invitation_just_sent", { "Retry-After": "1" })
        : batchOf(init, 200, "");
    }
    pulls += 1;
    return json(page({ changes: [family(`f${Math.min(pulls, 3)}`)], cursor: `c${pulls}` }));
  });
  const hearth = createHearth({ baseURL, fetch: server.fetch, retry: once });
  const store = await openStore(memoryBackend(), "u");
  await store.enqueue("resendInvitation", { path: { id: "i" } });
  const error = await thrown(syncOnce(hearth, store));
  ok(error instanceof HearthError && error.nextStep === "wait", String(error));
  equal(store.entities("family").length, pulls);

  const controller = new AbortController();
  const modes: SyncMode[] = [];
  const failures: HearthError[] = [];
  const running = sync(hearth, store, {
    signal: controller.signal, firstPauseMs: 50, pollMs: 20, onMode: (mode) => modes.push(mode),
    onFailure: (one) => failures.push(one),
  });
  await until(() => store.entities("family").length === 3, "the third family");
  deepEqual([limits.length, failures.length, store.queue.length], [2, 1, 1]);
  isLimited = false;
  await until(() => store.queue.length === 0, "the change");
  ok((limits[2] ?? 0) - (limits[1] ?? 0) >= 1000, limits.join());
  ok(!modes.includes("offline"), modes.join());
  controller.abort();
  equal(await running, "stopped");
});

test("a limited change that is cancelled does not hold up those after it", async () => {
  const sent: string[] = [];
  const server = responding((path, init) => {
    if (path !== "/api/batch") return path === "/api/live" ? stream([], false) : json(page());
    const [{ path: target }] = JSON.parse(String(init.body)).operations;
    sent.push(target);
    return target.endsWith("/resend")
      ? batchOf(init, 429, "invitation_just_sent", { "Retry-After": "3600" })
      : batchOf(init, 200, "");
  });
  const hearth = createHearth({ baseURL, fetch: server.fetch, retry: once });
  const store = await openStore(memoryBackend(), "u");
  const { key } = await store.enqueue("resendInvitation", { path: { id: "i" } });
  await store.enqueue("updateProfile", { body: { fullName: "Ada" } });
  const controller = new AbortController();
  const running = sync(hearth, store, { signal: controller.signal, firstPauseMs: 1 });
  await until(() => sent.length === 1, "the limit");
  await pause(50);
  // A queue that waits for a limit does not cause repeated requests.
  ok(server.paths.length < 10, server.paths.join());
  await store.cancel(key);
  await until(() => store.queue.length === 0, "the other change");
  equal(sent.length, 2);
  controller.abort();
  equal(await running, "stopped");
});

/** Runs work with a function that sets the clock of this device forward by hours. */
async function withClock(work: (advance: (hours: number) => void) => Promise<void>): Promise<void> {
  const { now } = Date;
  let hours = 0;
  Date.now = () => now() + hours * 3_600_000;
  try {
    await work((more) => {
      hours += more;
    });
  } finally {
    Date.now = now;
  }
}

/** A device with an invitation and a new name in its queue, whose batches `respond` answers. */
async function inviting(respond: (init: RequestInit) => Response | Promise<Response>) {
  const records = new Map<string, unknown>();
  const backend: StoreBackend = {
    name: undefined, load: async () => [...records],
    commit: async (writes) => {
      for (const [key, value] of writes) {
        if (value === undefined) records.delete(key);
        else records.set(key, structuredClone(value));
      }
    },
  };
  const sent: { path: string; headers: Record<string, string> }[] = [];
  const server = responding((path, init) => {
    if (path !== "/api/batch") return json(page());
    sent.push(...JSON.parse(String(init.body)).operations);
    return respond(init);
  });
  const hearth = createHearth({ baseURL, fetch: server.fetch, retry: once });
  const store = await openStore(backend, "u");
  const email = "aunt@example.com";
  await store.enqueue("createInvitation", { body: { email, role: "parent" } });
  await store.enqueue("updateProfile", { body: { fullName: "Ada" } });
  return { server, hearth, store, sent, again: () => openStore(backend, "u") };
}

/** Returns a response to a batch whose operations were all done. */
function done(init: RequestInit): Response {
  const { operations } = JSON.parse(String(init.body)) as { operations: unknown[] };
  return json({ results: operations.map(() => ({ status: 200, headers: {}, body: {} })) });
}

test("a change that may have been made is not sent again once its key may have expired", () =>
  withClock(async (advance) => {
    let isLost = true;
    const lost = () => {
      throw new TypeError("fetch failed");
    };
    const { hearth, store, sent, again } = await inviting((init) => isLost ? lost() : done(init));
    ok(await thrown(syncOnce(hearth, store)) instanceof NetworkError);
    advance(22);
    // Its key has not expired, even after a restart, so it has its effect once.
    const other = await again();
    ok(await thrown(syncOnce(hearth, other)) instanceof NetworkError);
    deepEqual(sent.map(({ path }) => path),
      ["/api/family/invite", "/api/me", "/api/family/invite", "/api/me"]);
    equal(sent[0]?.headers["Idempotency-Key"], sent[2]?.headers["Idempotency-Key"]);
    equal(other.conflicts.length, 0);
    advance(1);
    isLost = false;
    sent.length = 0;
    const last = await again();
    const [change] = last.queue;
    await syncOnce(hearth, last);
    // A new value can be set twice.
    deepEqual(sent.map(({ path }) => path), ["/api/me"]);
    equal(last.queue.length, 0);
    const [conflict] = last.conflicts;
    deepEqual([conflict?.outcome, conflict?.details], ["unknown", change]);
    ok(conflict?.message?.includes("check"), conflict?.message);
    equal(store.conflicts.length + last.conflicts.length, 1);
  }));

test("a change that always fails at Hearth does not hold up those after it for ever", () =>
  withClock(async (advance) => {
    const { hearth, store } = await inviting((init) =>
      String(init.body).includes("/invite") ? batchOf(init, 500, "internal_error") : done(init));
    ok(await thrown(syncOnce(hearth, store)) instanceof HearthError);
    advance(23);
    await syncOnce(hearth, store);
    deepEqual(store.conflicts.map((one) => one.outcome), ["unknown"]);
  }));

test("a change that was queued for days without being made is sent", async () => {
  const failures: [string, (init: RequestInit) => Response][] = [
    ["limited", (init) => batchOf(init, 429, "invitation_just_sent")],
    ["signed out", (init) => batchOf(init, 401, "invalid_token")],
  ];
  for (const [about, fail] of failures) {
    await withClock(async (advance) => {
      let isFailing = true;
      const respond = (init: RequestInit) => (isFailing ? fail : done)(init);
      const { hearth, store, sent } = await inviting(respond);
      for (let day = 0; day < 3; day += 1) {
        await thrown(syncOnce(hearth, store));
        advance(24);
      }
      isFailing = false;
      sent.length = 0;
      await syncOnce(hearth, store);
      deepEqual([sent.length, store.queue.length, store.conflicts.length], [2, 0, 0], about);
    });
  }
  // Not tried, since one before it failed.
  await withClock(async (advance) => {
    let isFailing = true;
    const { hearth, store } = await inviting((init) =>
      isFailing ? batchOf(init, 500, "internal_error") : done(init));
    await store.enqueue("addManagedMember", { body: { displayName: "Max" } });
    await thrown(syncOnce(hearth, store));
    advance(24);
    isFailing = false;
    await syncOnce(hearth, store);
    deepEqual(store.conflicts.map((one) => (one.details as QueuedChange).operation),
      ["createInvitation"]);
  });
});

test("a change that could never be sent for days is sent, since Hearth can't have made it", () =>
  withClock(async (advance) => {
    const { hearth, store } = await inviting(done);
    const away = createHearth({
      baseURL, retry: once, fetch: async () => {
        throw new TypeError("fetch failed");
      },
    });
    for (let day = 0; day < 3; day += 1) {
      ok(await thrown(syncOnce(away, store)) instanceof NetworkError);
      advance(24);
    }
    await syncOnce(hearth, store);
    deepEqual([store.queue.length, store.conflicts.length], [0, 0]);
  }));

test("where streams end at once, a running sync uses long polls instead", async () => {
  let waits = 0;
  const server = responding(async (path, init) => {
    if (path === "/api/live") return stream(["retry: 2000\n\n"], true);
    await new Promise<void>((end) => {
      waits += 1;
      init.signal?.addEventListener("abort", () => end());
      if (waits < 8) end();
    });
    return json(page());
  });
  const hearth = createHearth({ baseURL, fetch: server.fetch });
  const controller = new AbortController();
  const modes: SyncMode[] = [];
  const running = sync(hearth, await openStore(memoryBackend(), "u"), {
    signal: controller.signal, firstPauseMs: 1, onMode: (mode) => modes.push(mode),
  });
  await until(
    () => modes.at(-1) === "polling" && server.paths.filter((one) => one === "/api/live").length
      === 3, "the long poll");
  await pause(20);
  equal(server.paths.filter((one) => one === "/api/live").length, 3);
  controller.abort();
  equal(await running, "stopped");
});

test("a full queue is an error of the client with a next step", async () => {
  const error: unknown = new QueueFullError();
  ok(error instanceof HearthError && error.nextStep === "wait" && error.message !== "");
});

test("changes that can't be repeated are not in the type of those that can be queued", async () => {
  const store = await openStore(memoryBackend(), "u");
  const path = { id: "i" };
  // @ts-expect-error A delegation has no idempotency key.
  const wrong = store.enqueue("delegate", { body: { subject: "u", audience: "votes" } });
  ok(await thrown(wrong) instanceof TypeError);
  // @ts-expect-error A batch takes only changes below /api and /groups.
  const outside = store.enqueue("joinFamilyByFunction", { body: { familyCode: "FAM-ABCDEF" } });
  ok(await thrown(outside) instanceof TypeError);
  await store.enqueue("rejectMember", { path: { memberId: "m" } });
  await store.enqueue("withdrawRequest", { path });
  await store.enqueue("resendInvitation", { path });
  await store.enqueue("revokeInvitation", { path });
  deepEqual(store.queue.map((one) => one.operation),
    ["rejectMember", "withdrawRequest", "resendInvitation", "revokeInvitation"]);
});

// Tabs.

test("where a browser blocks locks and channels, a store is opened and synced", async () => {
  const original = globalThis.BroadcastChannel;
  const navigator = Object.getOwnPropertyDescriptor(globalThis, "navigator");
  const blocked = () => Promise.reject(new Error("SecurityError"));
  const named = { ...memoryBackend(), name: "blocked" };
  const server = responding((path) => path === "/api/sync" ? json(page()) : stream([], true));
  const hearth = createHearth({ baseURL, fetch: server.fetch });
  Object.defineProperty(globalThis, "navigator", {
    configurable: true, value: { onLine: true, locks: { request: blocked } },
  });
  try {
    const controller = new AbortController();
    const store = await openStore(named, "u");
    const running = sync(hearth, store, { signal: controller.signal, firstPauseMs: 1 });
    await until(() => store.cursor === "c1", "the sync");
    controller.abort();
    equal(await running, "stopped");
    store.close();
    globalThis.BroadcastChannel = class {
      constructor() {
        throw new Error("SecurityError");
      }
    } as never;
    const other = await openStore(named, "u");
    await other.enqueue("updateProfile", { body: { fullName: "Ada" } });
    equal(other.queue.length, 1);
    const storage = { ...memoryStorage(), isPrivate: false };
    equal((await createAccount({ baseURL, storage }).restore()).status, "signedOut");
  } finally {
    globalThis.BroadcastChannel = original;
    if (navigator) Object.defineProperty(globalThis, "navigator", navigator);
    else delete (globalThis as { navigator?: unknown }).navigator;
  }
});

test("an account and a store that nobody uses let the process end", async () => {
  const storage = { ...memoryStorage(), isPrivate: false };
  const { account } = device(() => signedIn(2), { storage });
  await account.exchange({ token: "t" });
  account.subscribe(() => {});
  await openStore({ ...memoryBackend(), name: "idle" }, "u");
  const active = (process as unknown as { getActiveResourcesInfo(): string[] })
    .getActiveResourcesInfo();
  deepEqual(active.filter((one) => one === "MessagePort" || one === "Timeout"), []);
});

// IndexedDB, of which Node has none.

/** Replaces IndexedDB by one whose connections the test loses, as a phone does in the background. */
async function withDatabase(
  work: (lose: () => void, records: Map<unknown, unknown>) => Promise<void>
): Promise<void> {
  const records = new Map<unknown, unknown>();
  let opened = 0;
  let lost = 0;
  const later = (act: () => void) => void setTimeout(act);
  const request = (result: unknown) => {
    const made: { result: unknown; onsuccess?: () => void } = { result };
    later(() => made.onsuccess?.());
    return made;
  };
  const connection = (number: number) => ({
    close: () => {},
    transaction: () => {
      if (number <= lost) throw Object.assign(new Error("closing"), { name: "InvalidStateError" });
      const writes: (() => void)[] = [];
      const made = {
        oncomplete: () => {}, onabort: () => {}, error: null as unknown, isAborted: false,
        abort: () => {
          made.isAborted = true;
        },
        objectStore: () => ({
          getAllKeys: () => request([...records.keys()]),
          getAll: () => request([...records.values()]),
          put: (value: unknown, key: unknown) => {
            structuredClone(value);
            writes.push(() => records.set(key, value));
          },
          delete: (key: unknown) => writes.push(() => records.delete(key)),
        }),
      };
      later(() => {
        if (made.isAborted) return made.onabort();
        for (const write of writes) write();
        made.oncomplete();
      });
      return made;
    },
  });
  const scope = globalThis as { indexedDB?: unknown };
  scope.indexedDB = { open: () => request(connection(opened += 1)) };
  try {
    await work(() => {
      lost = opened;
    }, records);
  } finally {
    delete scope.indexedDB;
  }
}

test("a store goes on after the browser has lost its connection to IndexedDB", () =>
  withDatabase(async (lose, records) => {
    const store = await openStore(indexedDBBackend("lost"), "u");
    const change = () => store.enqueue("updateProfile", { body: { fullName: "Ada" } });
    await change();
    lose();
    await change();
    equal(records.size, 2);
    lose();
    const other = await openStore(indexedDBBackend("lost"), "u");
    equal(other.queue.length, 2);
    store.close();
    other.close();
  }));

test("a commit with a value that IndexedDB can't store writes nothing", () =>
  withDatabase(async (_, records) => {
    const backend = indexedDBBackend("broken");
    await thrown(backend.commit([["one", 1], ["two", () => {}]]));
    await pause(5);
    equal(records.size, 0);
  }));
