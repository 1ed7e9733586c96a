// The store and its synchronization, against a running server.

import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { spawn } from "node:child_process";
import type { Child } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { after, test } from "node:test";
import {
  createHearth, HearthError, memoryBackend, openStore, QueueFullError, StorageError, sync,
  syncOnce,
} from "hearth-client";
import type {
  Effect, EntityKind, FamilyStore, Hearth, Member, StoreBackend, SyncMode,
} from "hearth-client";
import { fileBackend } from "./file-backend.js";
import { Proxy } from "./proxy.js";
import { Home, until, url } from "./support.js";
import type { Person } from "./support.js";

const folder = mkdtempSync("/tmp/hearth-client-");
after(() => rmSync(folder, { recursive: true }));

async function device(of: Person): Promise<FamilyStore> {
  const store = await openStore(memoryBackend(), of.id);
  await syncOnce(of.hearth, store);
  return store;
}

const sorted = (values: readonly { id?: string }[]) =>
  [...values].map((value) => JSON.stringify(value)).sort();
const values = <Kind extends EntityKind>(store: FamilyStore, kind: Kind, familyId?: string) =>
  store.entities(kind, familyId).map((entity) => entity.value);

/** Expects that a store holds exactly what its person can read now. */
async function expectEqual(store: FamilyStore, hearth: Hearth, about = ""): Promise<void> {
  const { families } = await hearth.call("listFamilies");
  deepEqual(sorted(values(store, "family") as never), sorted(families as never), about);
  for (const family of families) {
    const query = { familyId: family.familyId };
    const { members } = await hearth.call("listMembers", { query });
    deepEqual(sorted(values(store, "member", family.familyId)), sorted(members), about);
    const own = members.find((one) => one.id === family.memberId);
    if (own === undefined || own.household_role === "visitor") continue;
    const { invitations } = await hearth.call("listInvitations", { query });
    deepEqual(sorted(values(store, "invitation", family.familyId)), sorted(invitations), about);
    const path = { id: family.familyId };
    const { preferences } = await hearth.call("readPreferences", { path });
    const held = store.entities("preferences", family.familyId)
      .find((one) => one.id === own.user_id) ?? store.entity("preferences", own.user_id);
    deepEqual(held?.value.preferences ?? {}, preferences, about);
    if (!["adult", "parent_admin"].includes(own.household_role)) continue;
    const { playerDetails } = await hearth.call("readPlayerDetails", { query });
    const [details] = values(store, "playerDetails", family.familyId);
    equal(details?.sport ?? null, playerDetails?.sport ?? null, about);
  }
  const received = await hearth.call("listMyInvitations");
  deepEqual(sorted(values(store, "receivedInvitation")), sorted(received.invitations), about);
}

function roleChange(home: Home, member: Member, householdRole: "adult" | "kid" | "visitor") {
  const patch = { household_role: householdRole };
  const effect: Effect = { kind: "member", id: member.id, familyId: home.id, patch };
  return [{ path: { memberId: member.id }, body: { householdRole } }, [effect]] as const;
}

test("a sync fetches all that a person may see, and later changes", async () => {
  const home = await Home.create();
  const { hearth } = home.parent;
  const store = await device(home.parent);
  await expectEqual(store, hearth);
  const path = { id: home.id };
  const max = await hearth.call("addManagedMember", { body: { displayName: "Max" } });
  await hearth.call(
    "writePreferences", { path, query: { member_id: max.id }, body: { genres: [] } });
  await hearth.call("writePreferences", { path, body: { a: 1 } });
  await hearth.call("writePlayerDetails", { body: { sport: "Sailing" } });
  await home.admin.hearth.call("updateFamily", { path, body: { familyName: "Gulls" } });
  const other = await Home.create();
  await other.admin.hearth.call(
    "createInvitation", { body: { email: home.parent.email, role: "parent" } });
  await syncOnce(hearth, store);
  await expectEqual(store, hearth);
  equal(values(store, "playerDetails", home.id)[0]?.sport, "Sailing");
  equal(values(store, "receivedInvitation").length, 1);
  const listed = store.entities("member", home.id);
  await syncOnce(hearth, store);
  equal(store.entities("member", home.id).length, listed.length);
});

test("the family disappears from a removed member's store", async () => {
  const home = await Home.create();
  const store = await device(home.parent);
  equal(store.entities("member", home.id).length, 3);
  const { id: memberId } = await home.member(home.parent);
  await home.admin.hearth.call("removeMember", { path: { memberId } });
  await syncOnce(home.parent.hearth, store);
  deepEqual([store.entities("family"), store.entities("member")], [[], []]);
});

test("queued changes show at once, are sent in one request, and a refused one is a conflict",
  async () => {
    const home = await Home.create();
    const { hearth } = home.admin;
    const store = await device(home.admin);
    const [pat, ada] = [await home.member(home.parent), await home.member(home.admin)];
    await store.enqueue("setHouseholdRole", ...roleChange(home, pat, "visitor"));
    // Nobody can remove oneself.
    await store.enqueue("removeMember", { path: { memberId: ada.id } },
      [{ kind: "member", id: ada.id, familyId: home.id, patch: null }]);
    await store.enqueue("updateFamily", { path: { id: home.id }, body: { familyName: "Gulls" } },
      [{ kind: "family", id: home.id, familyId: null, patch: { familyName: "Gulls" } }]);
    await store.enqueue("addManagedMember", { body: { familyId: home.id, displayName: "Max" } });
    equal(store.entity("member", pat.id)?.value.household_role, "visitor");
    equal(store.entity("family", home.id)?.value.familyName, "Gulls");
    equal(store.entities("member", home.id).length, 2);
    const targets: string[] = [];
    const counted = createHearth({
      baseURL: url, credentials: () => home.admin.token,
      fetch: (target, init) => {
        targets.push(String(target));
        return fetch(target, init);
      },
    });
    await syncOnce(counted, store);
    // The changes after the refused one were not tried by the first batch.
    equal(targets.filter((target) => target.endsWith("/api/batch")).length, 2);
    deepEqual(store.queue, []);
    await expectEqual(store, hearth);
    equal(store.entities("member", home.id).length, 4);
    const [conflict] = store.conflicts;
    ok(conflict?.outcome === "refused" && conflict.code === "oneself");
    ok(conflict.entity?.id === ada.id && conflict.message !== "");
    await store.dismiss(conflict.id);
    deepEqual(store.conflicts, []);
  });

test("first attributes and preferences show while they wait, and a null removes a member",
  async () => {
    const store = await openStore(memoryBackend(), "u");
    const path = { id: "f" };
    const attributes = async (patch: Record<string, unknown>) => void await store.enqueue(
      "patchAttributes", { path, body: patch },
      [{ kind: "attributes", id: "f", familyId: "f", patch }]);
    await attributes({ theme: "dark", home: { city: "Bonn", street: null } });
    deepEqual(values(store, "attributes", "f"), [{ theme: "dark", home: { city: "Bonn" } }]);
    deepEqual(values(store, "attributes", "g"), []);
    await attributes({ theme: null, home: { city: null, zip: "1" } });
    deepEqual(store.entity("attributes", "f")?.value, { home: { zip: "1" } });
    await store.enqueue("writePreferences", { path, body: { genres: [] } },
      [{ kind: "preferences", id: "u", familyId: "f", patch: { preferences: { genres: [] } } }]);
    const shown = store.entity("preferences", "u", "f");
    deepEqual([shown?.value.preferences, shown?.value.group_id], [{ genres: [] }, "f"]);
    // A change does not bring back a member who is gone.
    await store.enqueue(
      "setHouseholdRole", { path: { memberId: "m" }, body: { householdRole: "kid" } },
      [{ kind: "member", id: "m", familyId: "f", patch: { household_role: "kid" } }]);
    deepEqual(store.entities("member"), []);
  });

test("a null in a patch of the profile stays null, as in Hearth's own values", async () => {
  const store = await openStore(memoryBackend(), "u");
  await store.apply({
    changes: [{
      kind: "profile", id: "u", familyId: null, version: 1, deleted: false,
      value: { fullName: "Ada", avatarKey: "fox" },
    }],
    cursor: "c", hasMore: false, reset: true,
  });
  await store.enqueue("updateProfile", { body: { avatarKey: null } },
    [{ kind: "profile", id: "u", familyId: null, patch: { avatarKey: null } }]);
  equal((store.entity("profile", "u")?.value as { avatarKey?: unknown }).avatarKey, null);
});

test("the later of two offline changes wins on both devices, and each side gets a conflict",
  async () => {
    const home = await Home.create();
    const pat = await home.member(home.parent);
    const [adas, pats] = [await device(home.admin), await device(home.parent)];
    const role = (store: FamilyStore) => store.entity("member", pat.id)?.value.household_role;
    const change = async (store: FamilyStore, to: "adult" | "kid" | "visitor") => {
      await store.enqueue("setHouseholdRole", ...roleChange(home, pat, to));
      // The next change is made at another millisecond.
      for (const now = Date.now(); Date.now() === now;);
    };
    // Ada's change was made first, and arrives last.
    await change(adas, "kid");
    await change(pats, "visitor");
    ok(role(adas) === "kid" && role(pats) === "visitor");
    await syncOnce(home.parent.hearth, pats);
    await syncOnce(home.admin.hearth, adas);
    await syncOnce(home.parent.hearth, pats);
    ok(role(adas) === "visitor" && role(pats) === "visitor");
    deepEqual(adas.conflicts.map((one) => one.outcome), ["theirs"]);
    deepEqual(pats.conflicts, []);
    // Now Ada's change is the later one, and she has not seen Pat's.
    await change(pats, "adult");
    await change(adas, "kid");
    await syncOnce(home.parent.hearth, pats);
    await syncOnce(home.admin.hearth, adas);
    await syncOnce(home.parent.hearth, pats);
    ok(role(adas) === "kid" && role(pats) === "kid");
    deepEqual(adas.conflicts.map((one) => one.outcome), ["theirs", "yours"]);
    deepEqual(pats.conflicts.map((one) => one.outcome), ["overwritten"]);
    await pats.dismiss(pats.conflicts[0]?.id ?? "");
    await syncOnce(home.parent.hearth, pats);
    deepEqual(pats.conflicts, []);
    await expectEqual(adas, home.admin.hearth);
    await expectEqual(pats, home.parent.hearth);
  });

test("a running sync fetches others' changes, sends queued ones, and stops", async () => {
  const home = await Home.create();
  const { hearth } = home.parent;
  const store = await openStore(memoryBackend(), home.parent.id);
  const controller = new AbortController();
  const modes: SyncMode[] = [];
  const running = sync(hearth, store, {
    signal: controller.signal, firstPauseMs: 10, onMode: (mode) => modes.push(mode),
  });
  const awaitChange = (holds: () => boolean) =>
    until((listener) => store.subscribe(listener), holds);
  await awaitChange(() => store.entities("member", home.id).length === 3);
  await home.admin.hearth.call(
    "updateFamily", { path: { id: home.id }, body: { familyName: "Gulls" } });
  await awaitChange(() => store.entity("family", home.id)?.value.familyName === "Gulls");
  await store.enqueue("writePreferences", { path: { id: home.id }, body: { a: 2 } });
  await awaitChange(() => store.queue.length === 0);
  const { preferences } = await hearth.call("readPreferences", { path: { id: home.id } });
  deepEqual(preferences, { a: 2 });
  ok(modes.includes("streaming"), String(modes));
  const { id: memberId } = await home.member(home.parent);
  await home.admin.hearth.call("removeMember", { path: { memberId } });
  await awaitChange(() => store.entities("family").length === 0);
  controller.abort();
  equal(await running, "stopped");
});

test("where streams are blocked, a running sync waits at the server", async () => {
  const home = await Home.create();
  const proxy = await Proxy.start(url);
  proxy.fault = (path) => path === "/api/live" ? { status: 502, body: "no streams" } : "none";
  const hearth = createHearth({ baseURL: proxy.url, credentials: () => home.parent.token });
  const store = await openStore(memoryBackend(), home.parent.id);
  const controller = new AbortController();
  const running = sync(hearth, store, { signal: controller.signal, firstPauseMs: 1 });
  const awaitChange = (holds: () => boolean) =>
    until((listener) => store.subscribe(listener), holds);
  await awaitChange(() => store.entities("member", home.id).length === 3);
  for (const familyName of ["Gulls", "Auks", "Terns"]) {
    await home.admin.hearth.call("updateFamily", { path: { id: home.id }, body: { familyName } });
    await awaitChange(() => store.entity("family", home.id)?.value.familyName === familyName);
    await store.enqueue("writePreferences", { path: { id: home.id }, body: { familyName } });
    await awaitChange(() => store.queue.length === 0);
  }
  // A call of the app does not wait for the request that waits at Hearth.
  const start = Date.now();
  await syncOnce(hearth, store);
  ok(Date.now() - start < 10_000);
  const syncs = proxy.paths.filter((path) => path === "/api/sync").length;
  ok(syncs < 60, `${syncs} requests`);
  controller.abort();
  equal(await running, "stopped");
  proxy.close();
});

test("a running sync goes offline and comes back, and ends when nobody is signed in", async () => {
  const home = await Home.create();
  const proxy = await Proxy.start(url);
  let token = home.parent.token;
  const hearth = createHearth({
    baseURL: proxy.url, credentials: () => token, retry: { attempts: 1 },
  });
  const store = await openStore(memoryBackend(), home.parent.id);
  let mode: SyncMode | undefined;
  const listeners = new Set<() => void>();
  const running = sync(hearth, store, {
    firstPauseMs: 5, pollMs: 50,
    onMode: (next) => {
      mode = next;
      listeners.forEach((listener) => listener());
    },
  });
  const awaitMode = (wanted: SyncMode) => until((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, () => mode === wanted);
  await awaitMode("streaming");
  proxy.fault = () => "dropRequest";
  proxy.cut();
  await store.enqueue("writePreferences", { path: { id: home.id }, body: { offline: true } });
  await awaitMode("offline");
  equal(store.queue.length, 1);
  proxy.fault = () => "none";
  await awaitMode("streaming");
  equal(store.queue.length, 0);
  token = "nonsense";
  proxy.cut();
  equal(await running, "signedOut");
  proxy.close();
});

test("the queue has a bound, and takes only changes that can be repeated", async () => {
  const store = await openStore(memoryBackend(), randomUUID());
  const path = { id: randomUUID() };
  const change = () => store.enqueue("writePreferences", { path, body: {} });
  const made = await Promise.all(Array.from({ length: 1000 }, change));
  await rejects(change(), (error) => error instanceof QueueFullError);
  deepEqual(store.queue.map((one) => one.key), made.map((one) => one.key));
  await store.cancel(made[0]?.key ?? "");
  await rejects(
    // @ts-expect-error A change of the password has no idempotency key.
    store.enqueue("changePassword", { body: { newPassword: "x" } as never }),
    (error) => error instanceof TypeError);
  await rejects(
    store.enqueue("writePreferences", { path, body: { text: "x".repeat(30_000) } }),
    (error) => error instanceof TypeError);
  await change();
  await store.erase();
  deepEqual(store.queue, []);
});

test("a store of another person is emptied, and one that can't be written reports it",
  async () => {
    const home = await Home.create();
    const file = `${folder}/persons`;
    const adas = await openStore(fileBackend(file), home.admin.id);
    await syncOnce(home.admin.hearth, adas);
    await adas.enqueue("writePreferences", { path: { id: home.id }, body: {} });
    const same = await openStore(fileBackend(file), home.admin.id);
    deepEqual(same.entities("member"), adas.entities("member"));
    deepEqual(same.queue, adas.queue);
    const pats = await openStore(fileBackend(file), home.parent.id);
    deepEqual([pats.entities("member"), pats.queue, pats.cursor], [[], [], undefined]);
    const full: StoreBackend = {
      ...memoryBackend(), commit: () => Promise.reject(new Error("disk full")),
    };
    const store = await openStore(full, home.admin.id);
    await rejects(
      syncOnce(home.admin.hearth, store), (error) => error instanceof StorageError);
    deepEqual(store.entities("member"), []);
  });

// Devices that edit offline.

/** A device whose app is a process that the test kills, with its store and its network. */
class Device {
  readonly name: string;
  readonly person: Person;
  readonly #home: Home;
  readonly #file: string;
  readonly #proxy: Proxy;
  readonly lines: string[] = [];
  isOnline = true;
  #process: { child: Child; output: Promise<void> } | undefined;
  #word: (() => void) | undefined;
  /** Number of lines that the test has waited for. */
  #seen = 0;

  constructor(name: string, of: Person, home: Home, proxy: Proxy) {
    this.name = name;
    this.person = of;
    this.#home = home;
    this.#file = `${folder}/${randomUUID()}`;
    this.#proxy = proxy;
    proxy.fault = () => {
      if (!this.isOnline) return "dropRequest";
      return (["dropRequest", "dropResponse", "truncate", "repeat",
        { delayMs: Math.random() * 20 }] as const)[Math.floor(Math.random() * 15)] ?? "none";
    };
  }

  start(): void {
    this.#seen = this.lines.length;
    const child = spawn(process.execPath, [
      "out/device.js", this.#file, this.person.id, this.#home.id, this.#proxy.url,
      this.person === this.#home.admin ? "admin" : "member",
    ], {
      env: { ...process.env, HEARTH_TOKEN: this.person.token },
      stdio: ["ignore", "pipe", "inherit"],
    });
    const read = async () => {
      let rest = "";
      const decoder = new TextDecoder();
      for await (const bytes of child.stdout) {
        const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
        rest = lines.pop() ?? "";
        this.lines.push(...lines);
        if (lines.length > 0) this.#word?.();
      }
      this.#word?.();
    };
    this.#process = { child, output: read() };
  }

  /** Waits for the next line of the process, or for its end. */
  async awaitWord(): Promise<void> {
    this.#seen += 1;
    await Promise.race([this.#process?.output, new Promise<void>((resolve) => {
      this.#word = () => {
        if (this.lines.length >= this.#seen) resolve();
      };
      this.#word();
    })]);
  }

  async kill(): Promise<void> {
    this.#process?.child.kill("SIGKILL");
    await this.#process?.output;
    this.#process = undefined;
  }

  /** Returns the operations of all changes that were ever stored, also by a killed process. */
  queued(): string[] {
    const operations = new Map<string, string>();
    for (const line of readFileSync(this.#file, "utf8").trim().split("\n")) {
      for (const [key, value] of JSON.parse(line)) {
        if (key.startsWith("queue ") && value) operations.set(key, value.operation);
      }
    }
    return [...operations.values()];
  }

  /** Opens the app's store. No process may have it open. */
  store(): Promise<FamilyStore> {
    return openStore(fileBackend(this.#file), this.person.id);
  }
}

async function settle(device: Device): Promise<FamilyStore> {
  const store = await device.store();
  for (let count = 0; count < 1000; count += 1) {
    try {
      await syncOnce(device.person.hearth, store);
      return store;
    } catch (error) {
      // A request of a killed process is still in progress.
      if (!(error instanceof HearthError) || error.nextStep !== "retry") throw error;
    }
  }
  throw new Error(`${device.name} does not settle`);
}

test("devices killed at any moment end up with the server's data, and each change is made once",
  async () => {
    const home = await Home.create();
    const proxies = await Promise.all([0, 1, 2].map(() => Proxy.start(url)));
    const devices = ([
      ["phone", home.admin], ["tablet", home.admin], ["other phone", home.parent],
    ] as const).map(([name, of], index) =>
      new Device(name, of, home, proxies[index] as Proxy));
    const refused = { child: 0, name: 0 };
    const rounds = Number(process.env["HEARTH_TEST_DEVICE_ROUNDS"] ?? 4);
    let kills = 0;
    for (let round = 0; round < rounds; round += 1) {
      const two = [...devices].sort(() => Math.random() - 0.5).slice(0, 2);
      for (const one of two) {
        one.isOnline = Math.random() < 0.5;
        one.start();
      }
      for (let step = 0; step < 3; step += 1) {
        for (const one of two) {
          await one.awaitWord();
          if (Math.random() < 0.25) one.isOnline = Math.random() < 0.5;
          if (Math.random() < 0.25) {
            await one.kill();
            one.start();
            kills += 1;
          }
        }
      }
      for (const one of two) await one.kill();
      for (const one of devices) await settle(one);
      for (const one of devices) {
        const store = await settle(one);
        deepEqual(store.queue, []);
        await expectEqual(store, one.person.hearth, `${one.name}, round ${round}`);
        for (const conflict of store.conflicts) {
          if (conflict.outcome === "refused") {
            const { operation } = conflict.details as { operation: string };
            if (operation === "addManagedMember") refused.child += 1;
            if (operation === "updateFamily") refused.name += 1;
          }
          await store.dismiss(conflict.id);
        }
      }
    }
    const actions = new Map<string, number>();
    for (let cursor: string | null = ""; cursor !== null;) {
      const query = { familyId: home.id, limit: 100, ...(cursor === "" ? {} : { cursor }) };
      const page = await home.admin.hearth.call("readAudit", { query }) as
        { entries: { action: string }[]; nextCursor: string | null };
      for (const { action } of page.entries) actions.set(action, (actions.get(action) ?? 0) + 1);
      cursor = page.nextCursor;
    }
    const queued = devices.flatMap((one) => one.queued());
    const made = (operation: string) => queued.filter((one) => one === operation).length;
    equal(actions.get("family.update") ?? 0, made("updateFamily") - refused.name);
    equal(actions.get("managed.create") ?? 0, made("addManagedMember") - refused.child);
    ok(queued.length >= devices.flatMap((one) => one.lines).length);
    console.log(`${rounds} rounds, ${kills + 2 * rounds} kills, ${queued.length} changes`);
    for (const proxy of proxies) proxy.close();
  });
