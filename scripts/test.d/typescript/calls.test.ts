// Requests of the client as a network with faults, and a server's headers, need them.

import { deepEqual, equal, ok } from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import {
  createHearth, HearthError, isRefusal, live, NetworkError, operations, Refusal, RefusalStatuses,
  serverOperations, UnexpectedResponse,
} from "hearth-client";
import type { HearthOptions, LiveEvent, OperationName } from "hearth-client";
import { Proxy } from "./proxy.js";
import { Home, person, refusal, tokenOf, url } from "./support.js";

const fast = { firstPauseMs: 1, longestPauseMs: 50 };

async function proxied(
  options: Partial<HearthOptions> = {}, who = person()
): Promise<{ proxy: Proxy; hearth: ReturnType<typeof createHearth> }> {
  const proxy = await Proxy.start(url);
  const hearth = createHearth(
    { baseURL: proxy.url, credentials: () => who.token, retry: fast, ...options });
  return { proxy, hearth };
}

async function thrown(work: Promise<unknown>): Promise<unknown> {
  try {
    await work;
  } catch (error) {
    return error;
  }
  throw new Error("it succeeded");
}

test("every operation of the API has a call, or is listed with the reason", async () => {
  const document = await (await fetch(`${url}/openapi.json`)).json();
  const declared: string[] = [];
  for (const methods of Object.values(document.paths) as Record<string, any>[]) {
    for (const operation of Object.values(methods)) declared.push(operation.operationId);
  }
  const types = readFileSync("node_modules/hearth-client/dist/api.d.ts", "utf8");
  const listed = /interface OperationsWithoutCall \{(.*?)^\}/ms.exec(types)?.[1] ?? "";
  const reasons = [...listed.matchAll(/^ +(\w+): "(.+)";$/gm)].map((found) => found[1] ?? "");
  deepEqual([...Object.keys(operations), ...reasons].sort(), declared.sort());
  // A reason is not a way to leave out a call of the API itself.
  for (const [path, methods] of Object.entries(document.paths) as [string, any][]) {
    for (const { operationId } of Object.values(methods) as any[]) {
      if (!reasons.includes(operationId) || operationId in serverOperations) continue;
      ok(!/^\/(api|groups|functions)\//.test(path) || operationId === "live", operationId);
    }
  }
});

test("modules have no side effects, so bundlers can omit what an app does not use", async () => {
  const folder = "node_modules/hearth-client/dist";
  const others = new Set<string>();
  for (const name of readFileSync(`${folder}/index.js`, "utf8").matchAll(/".\/(\w+)\.js"/g)) {
    const text = readFileSync(`${folder}/${name[1]}.js`, "utf8").replace(/\/\*.*?\*\//gs, "");
    for (const [line = ""] of text.matchAll(/^[^\s}\]].*$/gm)) {
      if (!/^(import|export|const|class|async function|function|\/\/)/.test(line)) others.add(line);
    }
  }
  deepEqual([...others], []);
  const { sideEffects, version } = JSON.parse(readFileSync(`${folder}/../package.json`, "utf8"));
  equal(sideEffects, false);
  // The client is always in the server's version.
  const description = await (await fetch(`${url}/openapi.json`)).json();
  equal(version, description.info.version);
});

test("an operation takes the headers that the API declares for it, and no others", async () => {
  const document = await (await fetch(`${url}/openapi.json`)).json();
  const all = {
    actingAs: "managed_x", idempotencyKey: "k", ifMatch: '"m"', ifNoneMatch: '"n"',
    confirmationCode: "123456", changedAt: new Date(0), baseVersion: 1,
  };
  let sent: Headers | undefined;
  const hearth = createHearth({
    baseURL: url,
    fetch: async (_, init) => {
      sent = new Headers(init?.headers);
      return new Response(null, { status: 304 });
    },
  });
  for (const [path, methods] of Object.entries(document.paths) as [string, any][]) {
    for (const operation of Object.values(methods) as any[]) {
      if (!(operation.operationId in operations)) continue;
      const names = (operation.parameters ?? []).map((one: any) => one.$ref === undefined
        ? one : document.components.parameters[one.$ref.split("/").pop()])
        .filter((one: any) => one.in === "header").map((one: any) => one.name.toLowerCase());
      const parts = Object.fromEntries(
        [...path.matchAll(/\{(\w+)\}/g)].map((found) => [found[1], "x"]));
      await hearth.result(
        operation.operationId as OperationName, { path: parts } as never, all as never);
      deepEqual([...(sent ?? new Headers()).keys()].sort(), names.sort());
    }
  }
});

test("a change whose response is lost takes effect once", async () => {
  const { proxy, hearth } = await proxied();
  const faults = ["dropResponse", "truncate", "dropRequest"] as const;
  proxy.fault = () => faults[proxy.paths.length - 1] ?? "none";
  const made = await hearth.call("createAnotherFamily", { body: { familyName: "Gulls" } });
  equal(proxy.paths.length, 4);
  const { families } = await hearth.call("listFamilies");
  deepEqual(families.map((one) => one.familyId), [made.familyId]);
  proxy.close();
});

test("calls without a response throw NetworkError with the number of attempts", async () => {
  const { proxy, hearth } = await proxied();
  proxy.fault = () => "dropRequest";
  const lost = await thrown(hearth.call("readProfile"));
  ok(lost instanceof NetworkError && lost.reason === "connection" && lost.attempts === 4);
  ok(lost instanceof HearthError && lost.nextStep === "retry" && lost.cause !== undefined);
  const once = await thrown(hearth.call("readProfile", {}, { retry: false }));
  ok(once instanceof NetworkError && once.attempts === 1);
  // Without an idempotency key a lost response may mean that it took effect.
  const before = proxy.paths.length;
  await thrown(hearth.call("sendSignInCode", { body: { email: "a@example.com" } }));
  equal(proxy.paths.length, before + 1);
  proxy.close();
});

test("a deadline and a signal end a call that gets no response", async () => {
  const { proxy, hearth } = await proxied({ timeoutMs: 20 });
  proxy.fault = () => ({ delayMs: 5000 });
  const late = await thrown(hearth.call("readProfile", {}, { retry: false }));
  ok(late instanceof NetworkError && late.reason === "timeout");
  const controller = new AbortController();
  const call = hearth.call(
    "readProfile", {}, { signal: controller.signal, timeoutMs: 60_000 });
  controller.abort(new Error("the person left"));
  equal(((await thrown(call)) as Error).message, "the person left");
  const early = await thrown(hearth.call("readProfile", {}, { signal: controller.signal }));
  equal((early as Error).message, "the person left");
  proxy.close();
});

test("Retry-After is waited for if it is short, and returned if it is long", async () => {
  const { proxy, hearth } = await proxied({ retry: { ...fast, longestPauseMs: 1500 } });
  proxy.fault = () => proxy.paths.length === 1
    ? { status: 503, headers: { "Retry-After": "1" } } : "none";
  const start = Date.now();
  await hearth.call("readProfile");
  ok(Date.now() - start >= 1000 && proxy.paths.length === 2);
  proxy.fault = () => ({ status: 503, headers: { "Retry-After": "7" }, body: "<html>" });
  const error = await thrown(hearth.call("readProfile"));
  ok(error instanceof UnexpectedResponse && error.retryAfterSeconds === 7);
  ok(error.nextStep === "retry" && error.body === "<html>");
  deepEqual(proxy.paths, ["/api/me", "/api/me", "/api/me"]);
  proxy.close();
});

test("refusals have typed codes, and their types narrow", async () => {
  const home = await Home.create();
  const stranger = person();
  const error = await thrown(stranger.hearth.call("readFamily", { path: { id: home.id } }));
  ok(isRefusal(error, "family_not_found", "consent_required"));
  const code: "family_not_found" | "consent_required" = error.code;
  ok(code === "family_not_found" && error.status === 404 && error.requestId !== "");
  ok(error.nextStep === "refresh" && !isRefusal(error, "code_unknown"));
  const result = await stranger.hearth.result("joinFamily", { body: { familyCode: "x" } });
  ok(!result.ok && result.problem.code === "code_malformed");
  const status: 400 = result.problem.status;
  equal(status, 400);
  // @ts-expect-error This operation has no such code.
  ok(result.problem.code !== "passkey_exists");
  // @ts-expect-error There is no such operation.
  const nothing = () => stranger.hearth.call("readNothing");
  // @ts-expect-error This operation takes no confirmation code.
  const wrong = () => stranger.hearth.call("readProfile", {}, { confirmationCode: "1" });
  // @ts-expect-error The family's id is missing.
  const incomplete = () => stranger.hearth.call("readFamily", {});
  ok([nothing, wrong, incomplete].length === 3);
  const known: keyof RefusalStatuses = "family_full";
  ok(new Refusal({ ...result.problem, code: known, status: 409 }, new Headers())
    .nextStep === "resolve");
});

test("the next step after each code is the same as in the Swift client", () => {
  const source = readFileSync(`${process.env["HEARTH_TEST_CHECKOUT"]}/Sources/Client/HearthClient`
    + "/Errors/ErrorCode.swift", "utf8");
  const codes = new Map([...source.matchAll(/^    case (\w+)(?: = "(\w+)")?$/gm)]
    .map((found) => [found[1] ?? "", found[2] ?? found[1] ?? ""]));
  const table = source.slice(source.indexOf("public var nextStep"));
  const steps = new Map<string, string>();
  for (const [, names = "", step = ""] of table.matchAll(/case ([^:]*):\s*\.(\w+)/g)) {
    for (const name of names.match(/\w+/g) ?? []) steps.set(codes.get(name) ?? "", step);
  }
  const types = readFileSync("node_modules/hearth-client/dist/api.d.ts", "utf8");
  const statuses = /interface RefusalStatuses \{(.*?)^\}/ms.exec(types)?.[1] ?? "";
  let count = 0;
  for (const [, code = "", status = ""] of statuses.matchAll(/^ +(\w+): (\d+);$/gm)) {
    const problem = { code, status: Number(status), message: "" };
    equal(new Refusal(problem as never, new Headers()).nextStep, steps.get(code), code);
    count += 1;
  }
  ok(count > 90, String(count));
});

test("ifMatch refuses a change of an outdated value, ifNoneMatch confirms a copy", async () => {
  const home = await Home.create();
  const { hearth } = home.admin;
  const path = { id: home.id };
  const read = await hearth.result("readFamily", { path });
  ok(read.ok && read.etag !== null);
  const same = await hearth.result("readFamily", { path }, { ifNoneMatch: read.etag });
  ok(!same.ok && same.notModified === true);
  const change = (familyName: string) => hearth.result(
    "updateFamily", { path, body: { familyName } }, { ifMatch: read.etag ?? "" });
  const first = await change("Gulls");
  ok(first.ok && first.etag !== read.etag);
  const second = await change("Auks");
  ok(!second.ok && second.problem.code === "precondition_failed");
  equal((second.problem.current as { familyName?: string }).familyName, "Gulls");
  const changed = await hearth.result("readFamily", { path }, { ifNoneMatch: read.etag });
  ok(changed.ok && changed.body.familyName === "Gulls");
});

test("a value that has not changed is served from memory, and is a copy of its own", async () => {
  const { proxy, hearth } = await proxied();
  await hearth.call("createFamily", { body: { familyName: "Gulls" } });
  const statuses: number[] = [];
  const counted = createHearth({
    baseURL: proxy.url, credentials: () => counting.token,
    fetch: async (...request) => {
      const response = await fetch(...request);
      statuses.push(response.status);
      return response;
    },
  });
  const counting = person();
  await counted.call("createFamily");
  const first = await counted.call("listFamilies");
  (first.families as unknown[]).length = 0;
  const second = await counted.result("listFamilies");
  ok(second.ok && second.status === 200 && second.body.families.length === 1);
  deepEqual(statuses, [200, 200, 304]);
  proxy.close();
});

test("a role changed offline loses against a later one, and the response has the conflict",
  async () => {
    const home = await Home.create();
    const { id: memberId } = await home.member(home.parent);
    const set = (householdRole: "kid" | "visitor", changedAt: Date) => home.admin.hearth.call(
      "setHouseholdRole", { path: { memberId }, body: { householdRole } },
      { changedAt, baseVersion: 1 });
    await home.parent.hearth.call(
      "setHouseholdRole", { path: { memberId }, body: { householdRole: "visitor" } });
    const answer = await set("kid", new Date(Date.now() - 60_000));
    equal(answer.household_role, "visitor");
    equal((answer.conflict as { kept?: string } | undefined)?.kept, "theirs");
  });

test("an old token needs the mailed code as X-Confirmation-Code to erase the account",
  async () => {
    const { id, email } = person();
    const token = tokenOf(id, email, "Ada", "parent", 1200);
    const hearth = createHearth({ baseURL: url, credentials: () => token });
    await hearth.call("readProfile");
    equal(await refusal(hearth.call("eraseAccount")), "fresh_sign_in_required");
    await hearth.call("sendDeletionCode");
    const wrong = hearth.call("eraseAccount", {}, { confirmationCode: "000000" });
    equal(await refusal(wrong), "code_wrong");
  });

test("a QR code is read as bytes or as text", async () => {
  const home = await Home.create();
  const path = { id: home.id };
  const image = new Uint8Array(await home.admin.hearth.call("readQRCodePNG", { path }));
  deepEqual([...image.slice(0, 4)], [0x89, 0x50, 0x4e, 0x47]);
  ok((await home.admin.hearth.call("readQRCodeSVG", { path })).includes("<svg"));
});

// The stream of changes.

async function next(events: AsyncGenerator<LiveEvent>): Promise<LiveEvent | undefined> {
  const { value } = await events.next();
  return value ?? undefined;
}

test("live reports changes, and continues after the connection broke", async () => {
  const home = await Home.create();
  const { proxy, hearth } = await proxied({}, home.parent);
  const controller = new AbortController();
  const failures: HearthError[] = [];
  const events = live(hearth, {
    signal: controller.signal, firstPauseMs: 1, onFailure: (error) => failures.push(error),
  });
  deepEqual(await next(events), { type: "open" });
  const rename = (familyName: string) =>
    home.admin.hearth.call("updateFamily", { path: { id: home.id }, body: { familyName } });
  const first = next(events);
  await rename("Gulls");
  deepEqual(await first, { type: "change", families: [home.id], self: false });
  const second = next(events);
  proxy.fault = () => failures.length < 2 ? "dropRequest" : "none";
  proxy.cut();
  await rename("Auks");
  deepEqual(await second, { type: "open" });
  ok(failures.length >= 2 && failures.every((error) => error instanceof NetworkError));
  // The change while the connection was broken is not lost.
  equal((await next(events))?.type, "change");
  const last = next(events);
  controller.abort();
  equal(await last, undefined);
  // The first stream, a request that was dropped, and the last stream: the break is a failure, too.
  equal(proxy.paths.filter((path) => path === "/api/live").length >= 3, true);
  proxy.close();
});

test("live opens a stream again on which nothing arrives", async () => {
  const { proxy, hearth } = await proxied();
  const events = live(hearth, { idleMs: 20, firstPauseMs: 1 });
  for (let count = 0; count < 3; count += 1) deepEqual(await next(events), { type: "open" });
  await events.return();
  proxy.close();
});

test("live throws if the token is refused, and after the given number of failures", async () => {
  const refused = live(createHearth({ baseURL: url, credentials: () => "nonsense" }));
  ok(isRefusal(await thrown(next(refused)), "invalid_token"));
  const { proxy, hearth } = await proxied();
  proxy.fault = () => ({ status: 502, body: "Bad gateway" });
  const failing = live(hearth, { maximumFailures: 3, firstPauseMs: 1 });
  ok(await thrown(next(failing)) instanceof UnexpectedResponse);
  equal(proxy.paths.length, 3);
  proxy.close();
});
