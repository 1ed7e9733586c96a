// Calls a running API with the file that 'hearth-api --typescript' prints. The compiler checks the
// inputs and responses of each operation, and the codes of its problems.
//
// usage: client.js BASE-URL TOKEN-OF-A-PARENT TOKEN-OF-ANOTHER

import { AnyProblem, Hearth, HearthError, Member, Operations, Problem409 } from "./hearth";

declare const process: { argv: string[]; exitCode: number };
const [baseURL, adminToken, parentToken] = process.argv.slice(2);

const admin = new Hearth({ baseURL: baseURL + "/", token: () => adminToken });
const parent = new Hearth({ baseURL, token: async () => parentToken });
const nobody = new Hearth({ baseURL });

function expect(isMet: boolean, words: string): asserts isMet {
  if (!isMet) throw new Error(words);
}

async function refused(work: Promise<unknown>): Promise<HearthError> {
  try {
    await work;
  } catch (error) {
    if (error instanceof HearthError) return error;
    throw error;
  }
  throw new Error("it was not refused");
}

async function main() {
  const key = { idempotencyKey: "a family's first" };
  const created = await admin.call("createFamily", { body: { familyName: "Gulls & Söhne" } }, key);
  const again = await admin.call("createFamily", { body: { familyName: "Gulls & Söhne" } }, key);
  expect(created.familyId === again.familyId, "two families under one key");
  const code: string = created.familyCode;
  const joined = await parent.result("joinFamily", { body: { familyCode: code } });
  expect(joined.ok || joined.problem.status === 400, "not joined");
  const list = await parent.call("listMembers");
  const own: Member | undefined = list.members.find((one) => one.household_role === "adult");
  expect(own !== undefined, "nobody joined");

  const claimed = await parent.result(
    "setHouseholdRole", { path: { memberId: own.id }, body: { householdRole: "parent_admin" } });
  expect(!claimed.ok && claimed.problem.status === 409, "the seat is taken");
  const refusal: Problem409["code"] = claimed.problem.code;
  expect(refusal === "parent_admin_exists", refusal);
  // @ts-expect-error No 409 has this code.
  expect(claimed.problem.code !== "family_not_found", "the compiler does not know the codes");
  const bad = await refused(parent.call(
    // @ts-expect-error There is no such household role.
    "setHouseholdRole", { path: { memberId: own.id }, body: { householdRole: "king" } }));
  const problem: AnyProblem = bad.problem;
  expect(problem.code === "invalid_field" && bad.message.includes("householdRole"), bad.message);
  // @ts-expect-error The path's id is needed.
  expect((await refused(parent.call("readFamily", { path: {} }))).status === 404, "no id");
  expect((await refused(nobody.call("readProfile"))).code === "not_signed_in", "signed in");

  const child = await parent.call(
    "addManagedMember", { body: { familyId: created.familyId, displayName: "Robin" } });
  const shown: Operations["addManagedMember"]["success"]["body"] = child;
  const profile = await parent.call("readProfile", {}, { actingAs: idOf(shown) });
  expect(profile.actor !== undefined, "not acting for the child");
  const audit = await admin.call(
    "readAudit", { query: { familyId: created.familyId, limit: 1 } });
  expect(audit.entries.length === 1 && audit.nextCursor !== null, "no page of one");
  const image = await admin.call("readQRCodePNG", { path: { id: created.familyId } });
  expect(new Uint8Array(image)[1] === "P".charCodeAt(0), "no picture");
  const drawing = await admin.call("readQRCodeSVG", { path: { id: created.familyId } });
  expect(drawing.includes("<svg"), "no drawing");
  console.error("  ok: the TypeScript client gets typed answers and typed refusals");
}

function idOf(member: { id: string }): string {
  return member.id;
}

main().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
