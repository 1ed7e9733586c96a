// Calls a running API with the types that typescript.py printed: the compiler knows, from a
// response's status, which codes a refusal can have.
//
// usage: client.js BASE-URL TOKEN-OF-A-PARENT TOKEN-OF-ANOTHER

import { Operations, paths, Problem409 } from "./hearth";

declare const process: { argv: string[]; exitCode: number };
const [base, admin, parent] = process.argv.slice(2);

async function call<Name extends keyof Operations>(
  name: Name, token: string, body: Operations[Name]["body"], id = "",
): Promise<Operations[Name]["answer"]> {
  const [method, path] = paths[name];
  const response = await fetch(base + path.replace(/\{\w+\}/, id), {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  return { status: response.status, body: await response.json() } as Operations[Name]["answer"];
}

function expect(isMet: boolean, words: string): asserts isMet {
  if (!isMet) throw new Error(words);
}

async function main() {
  const created = await call("createFamily", admin, { familyName: "Gulls" });
  expect(created.status === 200, "no family");
  const code: string = created.body.familyCode;
  const joined = await call("joinFamily", parent, { familyCode: code });
  expect(joined.status === 200 || joined.status === 400, "not joined");
  const members = await call("listMembers", parent, undefined);
  expect(members.status === 200, "no list");
  const own = members.body.members.find((one) => one.household_role === "adult");
  expect(own !== undefined, "nobody joined");

  const claimed = await call(
    "setHouseholdRole", parent, { householdRole: "parent_admin" }, own.id);
  expect(claimed.status === 409, "the seat is taken");
  const refusal: Problem409["code"] = claimed.body.code;
  expect(refusal === "parent_admin_exists", refusal);
  // @ts-expect-error No 409 has this code.
  expect(claimed.body.code !== "family_not_found", "the compiler does not know the codes");
  // @ts-expect-error There is no such household role.
  const bad = await call("setHouseholdRole", parent, { householdRole: "king" }, own.id);
  expect(bad.status === 400 && bad.body.code === "invalid_field", "a wrong field");
  console.error("  ok: the TypeScript client gets typed answers and typed refusals");
}

main().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
