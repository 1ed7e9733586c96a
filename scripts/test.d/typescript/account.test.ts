// Sessions, against a running server.

import { deepEqual, equal, ok } from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import {
  Account, createAccount, createHearth, isRefusal, memoryStorage, NetworkError, SignedOutError,
  StorageError,
} from "hearth-client";
import type { AccountOptions, AccountState, KeyValueStorage } from "hearth-client";
import { Proxy } from "./proxy.js";
import { person, tokenOf, url } from "./support.js";

const fast = { firstPauseMs: 1, longestPauseMs: 20 };

async function site(options: Partial<AccountOptions> = {}) {
  const proxy = await Proxy.start(url);
  let clock = Date.now();
  const storage = options.storage ?? memoryStorage();
  const account = createAccount({
    baseURL: proxy.url, device: "A test", retry: fast, now: () => clock, storage, ...options,
  });
  const hearth = createHearth({ baseURL: proxy.url, credentials: account, retry: fast });
  const providerToken = () =>
    ({ token: tokenOf(randomUUID(), "ada@example.com", "Ada", "parent") });
  return {
    proxy, account, hearth, storage, providerToken,
    advance: (minutes: number) => {
      clock += minutes * 60_000;
    },
    refreshes: () => proxy.paths.filter((path) => path === "/api/auth/refresh").length,
  };
}

async function thrown(work: Promise<unknown>): Promise<unknown> {
  try {
    await work;
  } catch (error) {
    return error;
  }
  throw new Error("it succeeded");
}

test("a provider's token begins a session, which the next start restores", async () => {
  const { account, hearth, storage, proxy, providerToken } = await site();
  ok(await thrown(hearth.call("readProfile")) instanceof SignedOutError);
  const states: AccountState[] = [];
  const stop = account.subscribe((state) => states.push(state));
  const signedIn = await account.exchange(providerToken());
  ok(signedIn.isNew && signedIn.user.fullName === "Ada");
  deepEqual(states.map((state) => state.status), ["signedIn"]);
  stop();
  const next = new Account({ baseURL: proxy.url, storage });
  equal(next.state.status, "loading");
  deepEqual(await next.restore(), account.state);
  const again = createHearth({ baseURL: proxy.url, credentials: next });
  equal((await again.call("readProfile")).id, signedIn.user.id);
  const [session] = (await again.call("listSessions")).sessions;
  equal(session?.device, "A test");
  ok(!JSON.stringify(account).includes(signedIn.access_token));
  proxy.close();
});

test("an account with a provider begins one session for many calls", async () => {
  const token = tokenOf(randomUUID(), "pat@example.com", "Pat", "parent");
  const { account, hearth, proxy } = await site({ provider: async () => ({ token }) });
  const profiles = await Promise.all(
    Array.from({ length: 20 }, () => hearth.call("readProfile")));
  ok(profiles.every((profile) => profile.fullName === "Pat"));
  equal(account.state.status, "signedIn");
  equal(proxy.paths.filter((path) => path === "/api/auth/exchange").length, 1);
  proxy.close();
});

test("fifty calls with an expiring token cause one refresh, even if its response is lost",
  async () => {
    const { account, hearth, proxy, providerToken, advance, refreshes } = await site();
    const before = await account.exchange(providerToken());
    advance(9.5);
    proxy.fault = (path) =>
      path === "/api/auth/refresh" && refreshes() === 1 ? "dropResponse" : "none";
    await Promise.all(Array.from({ length: 50 }, () => hearth.call("listFamilies")));
    // Two requests: one whose response was lost, and its repetition.
    equal(refreshes(), 2);
    ok(await account.accessToken() !== before.access_token);
    proxy.close();
  });

test("a call whose token is refused gets another token, once for many calls", async () => {
  const storage = memoryStorage();
  const { account, hearth, proxy, providerToken, refreshes } = await site({ storage });
  await account.exchange(providerToken());
  // The token looks valid to the device, and the server refuses it.
  const stored = JSON.parse(await storage.getItem("hearth.session") ?? "");
  await storage.setItem("hearth.session", JSON.stringify({ ...stored, accessToken: "stale" }));
  await account.restore();
  const calls = await Promise.all(
    Array.from({ length: 20 }, () => hearth.call("readProfile")));
  ok(calls.length === 20 && refreshes() === 1);
  proxy.close();
});

test("a caller that gives up leaves the refresh to the others", async () => {
  const { account, hearth, proxy, providerToken, advance, refreshes } = await site();
  await account.exchange(providerToken());
  advance(9.5);
  proxy.fault = (path) => path === "/api/auth/refresh" ? { delayMs: 50 } : "none";
  const controller = new AbortController();
  const cancelled = hearth.call("readProfile", {}, { signal: controller.signal });
  const other = hearth.call("readProfile");
  controller.abort();
  equal(((await thrown(cancelled)) as Error).name, "AbortError");
  equal((await other).fullName, "Ada");
  equal(refreshes(), 1);
  proxy.close();
});

test("a session that ended elsewhere ends here with the next call", async () => {
  const { account, hearth, storage, proxy, providerToken } = await site();
  await account.exchange(providerToken());
  const copy = memoryStorage();
  await copy.setItem("hearth.session", await storage.getItem("hearth.session") ?? "");
  await new Account({ baseURL: url, storage: copy }).signOut();
  const error = await thrown(hearth.call("readProfile"));
  ok(error instanceof SignedOutError && error.nextStep === "signIn");
  ok(isRefusal(error.cause));
  equal(await storage.getItem("hearth.session"), null);
  equal(account.state.status, "signedOut");
  await account.signOut();
  proxy.close();
});

test("signing out offline ends the local session, online also the server's session", async () => {
  const { account, storage, proxy, providerToken } = await site();
  const signedIn = await account.exchange(providerToken());
  const copy = memoryStorage();
  await copy.setItem("hearth.session", await storage.getItem("hearth.session") ?? "");
  proxy.fault = () => "dropRequest";
  ok(await thrown(account.signOut()) instanceof NetworkError);
  equal(account.state.status, "signedOut");
  proxy.fault = () => "none";
  await new Account({ baseURL: proxy.url, storage: copy }).signOut();
  const late = createHearth({ baseURL: url, credentials: () => signedIn.access_token });
  ok(isRefusal(await thrown(late.call("readProfile"))));
  proxy.close();
});

test("a person who signs out during a refresh stays signed out", async () => {
  const { account, hearth, storage, proxy, providerToken, advance } = await site();
  await account.exchange(providerToken());
  advance(9.5);
  let out: Promise<void> | undefined;
  proxy.fault = (path) => {
    if (path === "/api/auth/refresh") out = account.signOut();
    return "none";
  };
  ok(await thrown(hearth.call("readProfile")) instanceof SignedOutError);
  await out;
  equal(account.state.status, "signedOut");
  equal(await storage.getItem("hearth.session"), null);
  proxy.close();
});

test("a token that is still valid is used while the server can't be reached", async () => {
  const { account, proxy, providerToken, advance } = await site();
  const signedIn = await account.exchange(providerToken());
  advance(9.5);
  proxy.fault = (path) => path === "/api/auth/refresh" ? "dropRequest" : "none";
  equal(await account.accessToken(), signedIn.access_token);
  advance(1);
  ok(await thrown(account.accessToken()) instanceof NetworkError);
  equal(account.state.status, "signedIn");
  proxy.close();
});

test("a storage that fails or holds other data is reported or ignored", async () => {
  const broken: KeyValueStorage = {
    isPrivate: true,
    getItem: () => {
      throw new Error("blocked");
    },
    setItem: () => Promise.reject(new Error("full")), removeItem: () => {},
  };
  const { account, hearth, providerToken, proxy } = await site({ storage: broken });
  ok(await thrown(hearth.call("readProfile")) instanceof StorageError);
  ok(await thrown(account.exchange(providerToken())) instanceof StorageError);
  const other = memoryStorage();
  await other.setItem("hearth.session", '{"accessToken": 1}');
  equal((await new Account({ baseURL: url, storage: other }).restore()).status, "signedOut");
  proxy.close();
});

test("wrong codes and passwords are refused with typed codes, and are sent once", async () => {
  const { account, proxy } = await site();
  const pending = await account.requestCode(person().email);
  ok(pending.endsAt > Date.now());
  const code = await thrown(account.verifyCode(pending, "000 000"));
  ok(isRefusal(code, "code_wrong", "invalid_credentials", "challenge_expired"), String(code));
  const password = await thrown(account.signIn(person().email, "gull kettle north 88"));
  ok(isRefusal(password, "invalid_credentials"));
  const options = await account.passkeyOptions();
  ok(typeof options === "object");
  equal(proxy.paths.filter((path) => path === "/api/auth/sign-in").length, 1);
  proxy.close();
});

test("an error of a listener does not break signing in", async () => {
  const { account, providerToken, proxy } = await site();
  await account.restore();
  const original = globalThis.setTimeout;
  const thrownLater = new Promise<string>((resolve) => {
    globalThis.setTimeout = ((work: () => void, ms?: number) => original(() => {
      try {
        work();
      } catch (error) {
        resolve((error as Error).message);
      }
    }, ms)) as typeof setTimeout;
  });
  account.subscribe(() => {
    throw new Error("of a listener");
  });
  await account.exchange(providerToken());
  equal(account.state.status, "signedIn");
  equal(await thrownLater, "of a listener");
  globalThis.setTimeout = original;
  proxy.close();
});
