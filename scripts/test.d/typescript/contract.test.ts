// The contract that the Swift client's suite (Tests/HearthClientTests/Contract) checks, for this
// client against a running server.

import { deepEqual, equal, ok } from "node:assert/strict";
import { test } from "node:test";
import type { Member } from "hearth-client";
import { Home, join, person, refusal } from "./support.js";
import type { Person } from "./support.js";

const names = (members: readonly { display_name: string }[]) =>
  members.map((one) => one.display_name).sort();
const families = async (of: Person) =>
  (await of.hearth.call("listFamilies")).families.map((one) => one.familyId);
const setRole = (by: Person, memberId: string, householdRole: Member["household_role"]) =>
  by.hearth.call("setHouseholdRole", { path: { memberId }, body: { householdRole } });

// Families, codes and members.

test("a newcomer has a profile and no family", async () => {
  const kim = person("player", "Kim");
  const profile = await kim.hearth.call("readProfile");
  ok(profile.fullName === "Kim" && profile.role === "player" && profile.families.length === 0);
  ok(profile.email === kim.email && !profile.isManaged && profile.actor === undefined);
  deepEqual(await families(kim), []);
  equal(await refusal(kim.hearth.call("listMembers")), "family_required");
});

test("each profile field changes on its own", async () => {
  const ada = person();
  const update = (body: object) => ada.hearth.call("updateProfile", { body });
  await update({ avatarKey: "fox" });
  const changed = await update({ fullName: "Zoë" });
  ok(changed.fullName === "Zoë" && changed.avatarKey === "fox");
  const cleared = await update({ role: "player", avatarKey: "" });
  ok(cleared.avatarKey === "" && cleared.role === "player");
  const speaking = await update({ locale: "es-MX" });
  ok(speaking.locale === "es-MX" && speaking.fullName === "Zoë");
  const family = await ada.hearth.call("createFamily");
  equal((await update({ role: "parent" })).role, "parent");
  const [listed] = (await ada.hearth.call("listFamilies")).families;
  ok(listed?.role === "parent" && listed.householdRole === "parent_admin");
  await join(person("parent", "Noa"), family.familyCode);
  equal(await refusal(update({ role: "player" })), "role_fixed_in_family");
});

test("a default role can be chosen once, even in a family", async () => {
  const home = await Home.create();
  const sam = person(null, "Sam");
  const choose = (by: Person, role: "player" | "parent") =>
    by.hearth.call("updateProfile", { body: { role } });
  const profile = await sam.hearth.call("readProfile");
  ok(profile.role === "parent" && profile.roleIsDefault);
  await join(sam, home.code);
  const said = await choose(sam, "player");
  ok(said.role === "player" && !said.roleIsDefault);
  ok(said.families[0]?.role === "player" && said.families[0].householdRole === "kid");
  equal(await refusal(choose(sam, "parent")), "role_fixed_in_family");
  const guardian = person(null);
  await guardian.hearth.call("createFamily");
  await guardian.hearth.call("addManagedMember", { body: { displayName: "Wren" } });
  equal(await refusal(choose(guardian, "player")), "guardian_has_managed_members");
  ok(!(await choose(guardian, "parent")).roleIsDefault);
});

test("creating a family returns the existing one", async () => {
  const ada = person();
  const made = await ada.hearth.call("createFamily", { body: { familyName: "The Terns" } });
  ok(made.familyName === "The Terns" && made.message === undefined);
  const again = await ada.hearth.call("createFamily", { body: { familyName: "Others" } });
  ok(again.familyId === made.familyId && again.message !== undefined);
  const other = await ada.hearth.call("createAnotherFamily", { body: { familyName: "Others" } });
  deepEqual((await families(ada)).sort(), [made.familyId, other.familyId].sort());
  const family = await ada.hearth.call("readFamily", { path: { id: made.familyId } });
  ok(family.householdRole === "parent_admin" && family.role === "parent");
  ok(family.memberCount === 1 && !family.approvalRequired && family.homeLatitude === null);
  equal(family.createdByUserId, ada.id);
});

test("a family's name, home location and approval setting can be changed", async () => {
  const home = await Home.create();
  const update = (body: object) =>
    home.admin.hearth.call("updateFamily", { path: { id: home.id }, body });
  const changed = await update({
    familyName: "Gulls", homeLatitude: 54.25, homeLongitude: 8, approvalRequired: true,
  });
  ok(changed.familyName === "Gulls" && changed.approvalRequired && changed.homeLatitude === 54.25);
  const cleared = await update({ homeLatitude: null, homeLongitude: null });
  ok(cleared.familyName === "Gulls" && cleared.homeLatitude === null && cleared.approvalRequired);
});

test("a code previews its family, and joining again is refused", async () => {
  const home = await Home.create();
  const aunt = person("parent", "Aunt");
  const preview = await aunt.hearth.call("previewFamilyCode", { path: { code: home.code } });
  deepEqual(preview, { familyName: "The Terns", memberCount: 3, approvalRequired: false });
  const joined = await join(aunt, home.code);
  ok(joined.familyId === home.id && joined.message === "Successfully joined family");
  equal(await refusal(join(aunt, home.code)), "already_member");
  equal(await refusal(join(aunt, "FAM-QQQQQ1")), "code_unknown");
});

test("a player can't join a second family", async () => {
  const [home, other] = [await Home.create(), await Home.create()];
  equal(await refusal(join(home.player, other.code)), "player_has_family");
});

test("a player's family without other members ends when the player joins another", async () => {
  const home = await Home.create();
  const lone = person("player", "Lou");
  const own = await lone.hearth.call("createFamily", { body: { familyName: "On my own" } });
  await lone.hearth.call("createInvitation", { body: { role: "parent", delivery: "link" } });
  await join(lone, home.code);
  deepEqual(await families(lone), [home.id]);
  const gone = lone.hearth.call("readFamily", { path: { id: own.familyId } });
  equal(await refusal(gone), "family_not_found");

  const waiting = person("player", "Max");
  const kept = await waiting.hearth.call("createFamily", { body: { familyName: "For now" } });
  await home.admin.hearth.call(
    "updateFamily", { path: { id: home.id }, body: { approvalRequired: true } });
  await join(waiting, home.code);
  deepEqual(await families(waiting), [kept.familyId]);
  const { id: memberId } = await home.member(waiting);
  await home.admin.hearth.call("approveMember", { path: { memberId } });
  deepEqual(await families(waiting), [home.id]);
});

test("members are listed with their household roles", async () => {
  const home = await Home.create();
  const members = await home.members(home.parent);
  ok(members.length === 3 && members.every((one) => one.family_unit_id === home.id));
  const admin = await home.member(home.admin);
  ok(admin.display_name === "Ada" && admin.household_role === "parent_admin");
  ok(admin.role === "parent" && admin.status === "active" && !admin.is_managed);
  const player = await home.member(home.player);
  ok(player.role === "player" && player.household_role === "kid" && player.added_at !== null);
  const group = await home.player.hearth.call("readGroup", { path: { id: home.id } });
  deepEqual(names(group.members), ["Ada", "Kim", "Pat"]);
});

test("people who join have to wait if the family requires approval", async () => {
  const home = await Home.create();
  const { hearth } = home.admin;
  const approve = (memberId: string) => hearth.call("approveMember", { path: { memberId } });
  const reject = (memberId: string) => hearth.call("rejectMember", { path: { memberId } });
  const requests = async (of: Person) => (await of.hearth.call("readProfile")).joinRequests;
  const withdraw = (by: Person) => by.hearth.call("withdrawRequest", { path: { id: home.id } });
  await hearth.call("updateFamily", { path: { id: home.id }, body: { approvalRequired: true } });
  const aunt = person("parent", "Aunt");
  const preview = await aunt.hearth.call("previewFamilyCode", { path: { code: home.code } });
  ok(preview.approvalRequired);
  const joined = await aunt.hearth.result("joinFamily", { body: { familyCode: home.code } });
  ok(joined.ok && joined.status === 202 && joined.body.status === "invited");
  const read = aunt.hearth.call("readFamily", { path: { id: home.id } });
  equal(await refusal(read), "family_not_found");
  equal((await home.members(home.parent)).length, 3);
  const [request] = await requests(aunt);
  ok(request?.familyId === home.id && request.familyName === "The Terns");
  await withdraw(aunt);
  equal(await refusal(withdraw(aunt)), "family_not_found");
  const uncle = person("parent", "Uncle");
  await join(uncle, home.code);
  await reject((await home.member(uncle)).id);
  deepEqual(await requests(uncle), []);
  await join(aunt, home.code);
  const waiting = await home.member(aunt);
  equal(waiting.status, "invited");
  const accepted = await approve(waiting.id);
  ok(accepted.status === "active" && accepted.household_role === "adult");
  const family = await aunt.hearth.call("readFamily", { path: { id: home.id } });
  equal(family.memberCount, 4);
  equal(await refusal(approve(waiting.id)), "member_is_not_waiting");
  equal(await refusal(withdraw(aunt)), "member_is_not_waiting");
  equal(await refusal(reject(waiting.id)), "member_is_not_waiting");
});

test("a new code replaces the old one", async () => {
  const home = await Home.create();
  const made = await home.admin.hearth.call(
    "regenerateFamilyCode", { body: { familyId: home.id, expiresInDays: 3 } });
  ok(made.familyCode !== home.code && made.codeExpiresAt !== null);
  const aunt = person();
  equal(await refusal(join(aunt, home.code)), "code_unknown");
  await join(aunt, made.familyCode);
});

test("the Parent Admin changes household roles, others can't", async () => {
  const home = await Home.create();
  const { id: pat } = await home.member(home.parent);
  const { id: kim } = await home.member(home.player);
  equal(await refusal(setRole(home.parent, pat, "parent_admin")), "parent_admin_exists");
  equal(await refusal(setRole(home.parent, kim, "visitor")), "standing_too_low");
  equal((await setRole(home.admin, pat, "visitor")).household_role, "visitor");
  const invited = home.parent.hearth.call(
    "createInvitation", { body: { role: "parent", delivery: "link" } });
  equal(await refusal(invited), "visitors_only_read");
  equal((await setRole(home.admin, pat, "adult")).household_role, "adult");
  const { members } = await home.admin.hearth.call(
    "transferAdmin", { body: { familyId: home.id, memberId: pat } });
  deepEqual(members.map((one) => one.household_role).sort(), ["adult", "parent_admin"]);
});

test("a removed member sees nothing, may ask to join again, and is blocked after two rejections",
  async () => {
    const home = await Home.create();
    const [ada, pat] = [await home.member(home.admin), await home.member(home.parent)];
    const remove = (by: Person, memberId: string) =>
      by.hearth.call("removeMember", { path: { memberId } });
    equal(await refusal(remove(home.admin, ada.id)), "oneself");
    equal(await refusal(remove(home.player, pat.id)), "standing_too_low");
    await remove(home.admin, pat.id);
    equal((await home.members()).length, 2);
    deepEqual(await families(home.parent), []);
    for (let count = 0; count < 2; count += 1) {
      const asked = await join(home.parent, home.code);
      ok("status" in asked && asked.status === "invited");
      await home.admin.hearth.call("rejectMember", { path: { memberId: pat.id } });
    }
    equal(await refusal(join(home.parent, home.code)), "removed_from_family");
    equal(await refusal(remove(home.admin, pat.id)), "member_not_found");
  });

test("members can leave; the Parent Admin must hand over first", async () => {
  const home = await Home.create();
  const leave = () => home.admin.hearth.call("leaveFamily", { query: { familyId: home.id } });
  equal(await refusal(leave()), "transfer_admin_first");
  const { id: memberId } = await home.member(home.parent);
  await home.admin.hearth.call("transferAdmin", { body: { familyId: home.id, memberId } });
  await leave();
  deepEqual(await families(home.admin), []);
  equal((await home.members(home.player)).length, 2);
});

test("strangers get family_not_found or member_not_found", async () => {
  const home = await Home.create();
  const { hearth } = person();
  const { id: memberId } = await home.member(home.player);
  const path = { id: home.id };
  for (const call of [
    () => hearth.call("readFamily", { path }), () => hearth.call("readGroup", { path }),
    () => hearth.call("listMembers", { query: { familyId: home.id } }),
    () => hearth.call("listInvitations", { query: { familyId: home.id } }),
    () => hearth.call("readPreferences", { path }),
    () => hearth.call("updateFamily", { path, body: { familyName: "X" } }),
  ]) equal(await refusal(call()), "family_not_found");
  const removed = hearth.call("removeMember", { path: { memberId } });
  equal(await refusal(removed), "member_not_found");
  const changed = hearth.call(
    "setHouseholdRole", { path: { memberId }, body: { householdRole: "kid" } });
  equal(await refusal(changed), "member_not_found");
});

// Household roles and sides.

async function choices(of: Person, home: Home) {
  const family = await of.hearth.call("readFamily", { path: { id: home.id } });
  return { roles: family.selectableRoles, seat: family.parentAdmin };
}

test("members can lower their role and return, even from visitor", async () => {
  const home = await Home.create();
  for (const [one, all] of [
    [home.parent, ["adult", "kid", "visitor"]], [home.player, ["kid", "visitor"]],
  ] as const) {
    const { id } = await home.member(one);
    for (const role of [...all].reverse().concat(all)) {
      equal((await setRole(one, id, role)).household_role, role);
      deepEqual(await choices(one, home), { roles: [...all], seat: "taken" });
    }
  }
  const { id } = await home.member(home.player);
  equal(await refusal(setRole(home.player, id, "adult")), "visitors_only_read");
});

test("a granted role is the ceiling, even after leaving and rejoining", async () => {
  const home = await Home.create();
  const { hearth } = home.parent;
  const choose = async (role: Member["household_role"]) =>
    refusal(setRole(home.parent, (await home.member(home.parent)).id, role));
  const rejoin = async () => {
    await hearth.call("leaveFamily");
    await join(home.parent, home.code);
    return (await home.member(home.parent)).household_role;
  };
  await setRole(home.admin, (await home.member(home.parent)).id, "kid");
  deepEqual((await choices(home.parent, home)).roles, ["kid", "visitor"]);
  equal(await choose("adult"), "standing_too_low");
  equal(await choose("visitor"), undefined);
  equal(await choose("adult"), "visitors_only_read");
  equal(await choose("parent_admin"), "parent_admin_exists");
  equal(await rejoin(), "kid");
  deepEqual((await choices(home.parent, home)).roles, ["kid", "visitor"]);
  await setRole(home.admin, (await home.member(home.parent)).id, "adult");
  equal(await choose("visitor"), undefined);
  equal(await rejoin(), "adult");
});

test("a Parent Admin who steps down can take the reserved seat back", async () => {
  const home = await Home.create();
  const { id: own } = await home.member(home.admin);
  const { id: pat } = await home.member(home.parent);
  await setRole(home.admin, own, "kid");
  deepEqual(
    await choices(home.admin, home), { roles: ["adult", "kid", "visitor"], seat: "reserved" });
  const renamed = home.admin.hearth.call(
    "updateFamily", { path: { id: home.id }, body: { familyName: "Gulls" } });
  equal(await refusal(renamed), "standing_too_low");
  equal(await refusal(setRole(home.admin, own, "parent_admin")), "standing_too_low");
  await setRole(home.admin, own, "adult");
  equal((await choices(home.admin, home)).seat, "free");
  equal((await choices(home.parent, home)).seat, "reserved");
  equal(await refusal(setRole(home.parent, pat, "parent_admin")), "seat_reserved");
  await setRole(home.admin, own, "parent_admin");
  equal((await choices(home.parent, home)).seat, "taken");
});

test("an account alone in a family takes an invitation's role, any other is refused", async () => {
  const [home, other] = [await Home.create(), await Home.create()];
  const accept = async (one: Person, role: "player" | "parent") => {
    const sent = await other.admin.hearth.call(
      "createInvitation", { body: { email: one.email, role } });
    return refusal(
      one.hearth.call("acceptMyInvitation", { path: { id: sent.invitationId } }));
  };
  equal(await accept(home.parent, "player"), "role_mismatch");
  equal(await accept(home.player, "parent"), "role_mismatch");
  const rival = person("player", "Rio");
  await join(rival, home.code);
  equal(await accept(rival, "player"), "player_has_family");
  const newcomer = person("parent", "Noa");
  equal(await accept(newcomer, "player"), undefined);
  equal((await newcomer.hearth.call("readProfile")).role, "player");
  const lone = person("player", "Lou");
  await lone.hearth.call("createFamily");
  equal(await accept(lone, "parent"), undefined);
  deepEqual(await families(lone), [other.id]);
  equal((await lone.hearth.call("readProfile")).role, "parent");
});

// Invitations.

async function inviteByLink(
  by: Person, role: "player" | "parent", householdRole?: "visitor"
): Promise<{ id: string; token: string }> {
  const sent = await by.hearth.call("createInvitation", {
    body: { role, delivery: "link", ...(householdRole ? { householdRole } : {}) },
  });
  const token = new URL(sent.inviteUrl ?? "").searchParams.get("token");
  ok(token !== null);
  return { id: sent.invitationId, token };
}

const pending = async (of: Person) => (await of.hearth.call("listInvitations")).invitations;

test("an e-mail invitation is visible to both sides and accepted once", async () => {
  const home = await Home.create();
  const aunt = person("parent", "Aunt");
  const received = async (of: Person) =>
    (await of.hearth.call("listMyInvitations")).invitations;
  const invite = () => home.admin.hearth.call(
    "createInvitation", { body: { email: aunt.email, role: "parent" } });
  const sent = await invite();
  equal(sent.inviteUrl, undefined);
  const [listed] = await pending(home.parent);
  ok(listed?.id === sent.invitationId && listed.invited_email === aunt.email);
  ok(listed.status === "pending" && listed.family_unit_id === home.id);
  const [invitation] = await received(aunt);
  ok(invitation?.id === sent.invitationId && invitation.familyName === "The Terns");
  ok(invitation.inviterName === "Ada" && invitation.role === "parent");
  deepEqual(await received(person()), []);
  const path = { id: sent.invitationId };
  const accepted = await aunt.hearth.call("acceptMyInvitation", { path });
  equal(accepted.familyUnitId, home.id);
  deepEqual(await pending(home.admin), []);
  deepEqual(await received(aunt), []);
  equal(await refusal(invite()), "person_already_member");
});

test("a link can be previewed by anybody and accepted by one account", async () => {
  const home = await Home.create();
  const { token } = await inviteByLink(home.admin, "parent", "visitor");
  const [aunt, uncle] = [person("parent", "Aunt"), person()];
  const preview = await aunt.hearth.call("previewInvitation", { path: { token } });
  ok(preview.familyName === "The Terns" && preview.inviterName === "Ada");
  const accept = (by: Person) => by.hearth.call("acceptInvitation", { path: { token } });
  equal((await accept(aunt)).familyUnitId, home.id);
  equal((await home.member(aunt)).household_role, "visitor");
  equal((await accept(aunt)).familyUnitId, home.id);
  equal(await refusal(accept(uncle)), "invitation_answered");
  const nothing = uncle.hearth.call("previewInvitation", { path: { token: "a".repeat(43) } });
  equal(await refusal(nothing), "invitation_not_found");
});

test("an invitation can't be resent within a minute, and can be revoked", async () => {
  const home = await Home.create();
  const { id, token } = await inviteByLink(home.admin, "player");
  const resent = await home.admin.hearth.result("resendInvitation", { path: { id } });
  ok(!resent.ok && resent.problem.code === "invitation_just_sent");
  const revoke = (by: Person) => by.hearth.call("revokeInvitation", { path: { id } });
  equal(await refusal(revoke(home.player)), "standing_too_low");
  await revoke(home.admin);
  const preview = person().hearth.call("previewInvitation", { path: { token } });
  equal(await refusal(preview), "invitation_not_found");
  equal(await refusal(revoke(home.admin)), "invitation_not_found");
});

test("a declined invitation can't be accepted", async () => {
  const home = await Home.create();
  const aunt = person("parent", "Aunt");
  const sent = await home.parent.hearth.call(
    "createInvitation", { body: { email: aunt.email, role: "parent" } });
  const path = { id: sent.invitationId };
  const stranger = person().hearth.call("declineMyInvitation", { path });
  equal(await refusal(stranger), "invitation_not_found");
  await aunt.hearth.call("declineMyInvitation", { path });
  const accepted = aunt.hearth.call("acceptMyInvitation", { path });
  equal(await refusal(accepted), "invitation_answered");
  deepEqual(await pending(home.admin), []);
  const { token } = await inviteByLink(home.admin, "parent");
  await aunt.hearth.call("declineInvitation", { path: { token } });
  const late = aunt.hearth.call("acceptInvitation", { path: { token } });
  equal(await refusal(late), "invitation_answered");
});

// Children, acting, preferences.

const addChild = (by: Person, displayName: string, avatarKey?: string) =>
  by.hearth.call(
    "addManagedMember", { body: { displayName, ...(avatarKey ? { avatarKey } : {}) } });
const profiles = async (of: Person) =>
  (await of.hearth.call("listProfiles")).profiles.map((one) => one.displayName);

test("a guardian can add, change and remove a child", async () => {
  const home = await Home.create();
  const max = await addChild(home.parent, "Max", "fox");
  ok(max.is_managed && max.id.startsWith("managed_") && max.household_role === "kid");
  ok(max.display_name === "Max" && max.avatar_key === "fox");
  equal(max.parent_user_id, home.parent.id);
  const path = { id: max.id };
  const update = (by: Person, displayName: string) => by.hearth.call(
    "updateManagedMember", { path, body: { displayName, avatarKey: "" } });
  const renamed = await update(home.parent, "Maxi");
  ok(renamed.display_name === "Maxi" && renamed.avatar_key === "");
  equal(await refusal(update(home.player, "X")), "standing_too_low");
  equal(await refusal(addChild(home.player, "X")), "standing_too_low");
  equal(await refusal(addChild(home.parent, "x".repeat(31))), "invalid_field");
  const orphan = home.parent.hearth.call("leaveFamily");
  equal(await refusal(orphan), "guardian_has_managed_members");
  await home.parent.hearth.call("removeManagedMember", { path });
  equal((await home.members()).length, 3);
});

test("a guardian can hand a child to another guardian", async () => {
  const home = await Home.create();
  const { id } = await addChild(home.parent, "Max");
  const admin = await home.member(home.admin);
  const reassign = (by: Person, memberId: string) =>
    by.hearth.call("reassignManagedMember", { path: { id }, body: { memberId } });
  equal((await reassign(home.parent, admin.id)).parent_user_id, home.admin.id);
  deepEqual(await profiles(home.parent), ["Pat"]);
  deepEqual(await profiles(home.admin), ["Ada", "Max"]);
  const player = await home.member(home.player);
  equal(await refusal(reassign(home.admin, player.id)), "guardian_not_adult");
});

test("a guardian can act for its children, and for nobody else", async () => {
  const home = await Home.create();
  const { hearth } = home.parent;
  const max = await addChild(home.parent, "Max");
  await addChild(home.parent, "Mia");
  deepEqual(await profiles(home.parent), ["Pat", "Max", "Mia"]);
  const acting = hearth.actingAs(max.id);
  const profile = await acting.call("readProfile");
  ok(profile.fullName === "Max" && profile.isManaged && profile.actor?.id === home.parent.id);
  equal((await acting.call("listMembers")).members.length, 5);
  // One call on behalf of the child, by an option.
  equal((await hearth.call("readProfile", {}, { actingAs: max.id })).fullName, "Max");
  equal((await acting.actingAs(undefined).call("readProfile")).fullName, "Pat");
  const left = await refusal(acting.call("leaveFamily"));
  ok(left === "standing_too_low" || left === "not_while_acting");
  const other = acting.call("removeMember", { path: { memberId: max.id } });
  equal(await refusal(other), "not_while_acting");
  await hearth.call("removeManagedMember", { path: { id: max.id } });
  equal(await refusal(acting.call("readProfile")), "acting_refused");
  deepEqual(await profiles(home.parent), ["Pat", "Mia"]);
});

test("preferences can be set for oneself and one's children", async () => {
  const home = await Home.create();
  const { hearth } = home.parent;
  const path = { id: home.id };
  const liked = { genres: ["comedy"], maximumMinutes: 120, rating: 4.5 };
  const read = async (by: typeof hearth, memberId?: string) => (await by.call("readPreferences", {
    path, ...(memberId ? { query: { member_id: memberId } } : {}),
  })).preferences;
  const written = await hearth.call("writePreferences", { path, body: liked });
  deepEqual(written.preferences, liked);
  deepEqual(await read(hearth), liked);
  const max = await addChild(home.parent, "Max");
  await hearth.call(
    "writePreferences", { path, query: { member_id: max.id }, body: { genres: [] } });
  deepEqual(await read(hearth.actingAs(max.id)), { genres: [] });
  deepEqual(await read(hearth), liked);
  equal(await refusal(read(home.admin.hearth, max.id)), "preferences_of_another");
  const large = hearth.call("writePreferences", { path, body: { text: "x".repeat(17_000) } });
  equal(await refusal(large), "preferences_too_large");
});

test("each player detail changes on its own", async () => {
  const { hearth } = (await Home.create()).parent;
  const write = async (body: Record<string, unknown>) =>
    (await hearth.call("writePlayerDetails", { body })).playerDetails;
  const first = await write({ playerName: "Kim", graduationYear: 2031 });
  ok(first?.playerName === "Kim" && first.graduationYear === 2031 && first.sport === null);
  const second = await write({ graduationYear: null, sport: "Sailing" });
  ok(second?.playerName === "Kim" && second.graduationYear === null);
  deepEqual((await hearth.call("readPlayerDetails")).playerDetails, second);
  const third = await write({ gender: "diverse", shoeSize: "39" });
  ok(third?.gender === "diverse" && third["shoeSize"] === "39");
});

// Several guardians, graduation, consent.

test("several guardians act for a child, and the primary guardian decides", async () => {
  const home = await Home.create();
  const [pat, ada] = [home.parent, home.admin];
  const { id } = await addChild(pat, "Max");
  const admin = await home.member(ada);
  const alone = pat.hearth.call("declineGuardianship", { path: { id } });
  equal(await refusal(alone), "guardian_has_managed_members");
  const add = (by: Person, memberId: string) =>
    by.hearth.call("addGuardian", { path: { id }, body: { memberId } });
  const two = await add(pat, admin.id);
  deepEqual(two.guardians.map((one) => one.displayName), ["Pat", "Ada"]);
  deepEqual(two.guardians.map((one) => one.isPrimary), [true, false]);
  deepEqual(await profiles(ada), ["Ada", "Max"]);
  const player = await home.member(home.player);
  equal(await refusal(add(pat, player.id)), "guardian_not_adult");
  const promote = (by: Person) => by.hearth.call(
    "promoteGuardian", { path: { id, memberId: admin.id }, body: { isPrimary: true } });
  equal(await refusal(promote(ada)), "standing_too_low");
  const sent = await pat.hearth.call(
    "startGraduation", { path: { id }, body: { delivery: "link" } });
  equal((await promote(pat)).parent_user_id, ada.id);
  const ended = ada.hearth.call("resendInvitation", { path: { id: sent.invitationId } });
  equal(await refusal(ended), "invitation_not_found");
  await pat.hearth.call("leaveFamily");
  const left = (await home.members()).find((one) => one.id === id);
  deepEqual(left?.guardians.map((one) => one.userId), [ada.id]);
});

test("a child who accepts a link stays the same member and has an account", async () => {
  const home = await Home.create();
  const { hearth } = home.parent;
  const path = { id: home.id };
  const max = await addChild(home.parent, "Max");
  await hearth.call(
    "writePreferences", { path, query: { member_id: max.id }, body: { genres: ["comedy"] } });
  const start = (by: Person) =>
    by.hearth.call("startGraduation", { path: { id: max.id }, body: { delivery: "link" } });
  equal(await refusal(start(home.admin)), "standing_too_low");
  const first = await start(home.parent);
  const sent = await start(home.parent);
  equal(sent.invitationId, first.invitationId);
  const token = new URL(sent.inviteUrl ?? "").searchParams.get("token") ?? "";
  const member = home.admin.hearth.call("acceptInvitation", { path: { token } });
  equal(await refusal(member), "not_the_graduate");
  const grown = person("player", null);
  const accepted = await grown.hearth.call("acceptInvitation", { path: { token } });
  equal(accepted.familyUnitId, home.id);
  const own = (await home.members(grown)).find((one) => one.user_id === grown.id);
  equal(`managed_${own?.id}`, max.id);
  ok(own?.is_managed === false && own.display_name === "Max");
  const preferences = await grown.hearth.call("readPreferences", { path });
  deepEqual(preferences.preferences, { genres: ["comedy"] });
  const former = hearth.call("readPreferences", { path, query: { member_id: max.id } });
  equal(await refusal(former), "preferences_of_another");
});

test("a server without consent purposes lists none and accepts none", async () => {
  const home = await Home.create();
  const { id } = await addChild(home.parent, "Max");
  const { consents } = await home.parent.hearth.call("listConsents", { path: { id } });
  deepEqual(consents, []);
  const given = home.parent.hearth.call("giveConsent", {
    path: { id, purpose: "profile" }, body: { version: "1", method: "signed_in" },
  });
  equal(await refusal(given), "purpose_not_found");
  const other = home.admin.hearth.call("listConsents", { path: { id } });
  equal(await refusal(other), "standing_too_low");
});

// Accounts and attributes.

test("ways to sign in are listed; the last one, and another of a provider, are refused", async () => {
  const ada = person("parent", "Ada");
  await ada.hearth.call("createFamily", { body: { familyName: "The Terns" } });
  const { identities } = await ada.hearth.call("listIdentities");
  const [own] = identities.filter((one) => one.kind === "issuer");
  ok(own !== undefined && own.issuer === "https://hearth.localhost/auth/v1");
  const other = person();
  const second = ada.hearth.call("addIdentity", { body: { token: other.token } });
  equal(await refusal(second), "identity_of_issuer_exists");
  const taken = other.hearth.call("addIdentity", { body: { token: ada.token } });
  ok(["identity_in_use", "identity_of_issuer_exists"].includes(await refusal(taken) ?? ""));
  const odd = ada.hearth.call("addIdentity", { body: { token: "odd" } });
  equal(await refusal(odd), "invalid_token");
  const foreign = other.hearth.call("removeIdentity", { path: { id: own.id } });
  equal(await refusal(foreign), "identity_not_found");
  for (const { id } of identities.slice(1)) {
    await ada.hearth.call("removeIdentity", { path: { id } });
  }
  const [last] = (await ada.hearth.call("listIdentities")).identities;
  ok(last !== undefined);
  const alone = ada.hearth.call("removeIdentity", { path: { id: last.id } });
  equal(await refusal(alone), "last_identity");
});

test("an address changes only by the right code", async () => {
  const ada = person("parent", "Ada");
  const own = ada.hearth.call("requestAddressChange", { body: { email: ada.email } });
  equal(await refusal(own), "invalid_field");
  const { ticket } = await ada.hearth.call(
    "requestAddressChange", { body: { email: `new-${ada.email}` } });
  const tried = async (code: string) =>
    refusal(ada.hearth.call("changeAddress", { body: { ticket, code } }));
  equal(await tried("12345"), "code_malformed");
  // One of two codes is wrong.
  ok([await tried("000000"), await tried("000001")].includes("code_wrong"));
  const unknown = ada.hearth.call(
    "changeAddress", { body: { ticket: "A".repeat(43), code: "000000" } });
  ok(["code_wrong", "code_expired"].includes(await refusal(unknown) ?? ""));
});

test("an account can be exported, and erased only if others take over seat and children",
  async () => {
    const home = await Home.create();
    const { admin, parent } = home;
    const max = await addChild(admin, "Max");
    ok(JSON.stringify(await admin.hearth.call("exportAccount")).includes(admin.email));
    equal(await refusal(admin.hearth.call("eraseAccount")), "erasure_blocked");
    const heir = await home.member(parent);
    const player = await home.member(home.player);
    const kid = admin.hearth.call("eraseAccount", {
      query: { reassignManagedTo: [player.id], transferAdminTo: [heir.id] } });
    equal(await refusal(kid), "guardian_not_adult");
    await admin.hearth.call("eraseAccount", {
      query: { reassignManagedTo: [heir.id], transferAdminTo: [heir.id] } });
    ok(await refusal(admin.hearth.call("readProfile")) !== undefined);
    const members = await home.members(parent);
    deepEqual(names(members), ["Kim", "Max", "Pat"]);
    equal(members.find((one) => one.id === heir.id)?.household_role, "parent_admin");
    const child = members.find((one) => one.id === max.id);
    deepEqual(child?.guardians?.map((one) => one.userId), [heir.user_id]);
    equal(await refusal(parent.hearth.call("eraseAccount")), "erasure_blocked");
    await parent.hearth.call("eraseAccount", { query: { eraseManaged: true } });
    deepEqual(names(await home.members(home.player)), ["Kim"]);
  });

test("attributes are merged, kept, and read by members only", async () => {
  const home = await Home.create();
  const path = { id: home.id };
  deepEqual(await home.player.hearth.call("readAttributes", { path }), {});
  const patched = (body: Record<string, unknown>) =>
    home.admin.hearth.call("patchAttributes", { path, body });
  deepEqual(await patched({ colour: "teal", size: 2 }), { colour: "teal", size: 2 });
  deepEqual(await patched({ colour: null, deep: { a: 1 } }), { size: 2, deep: { a: 1 } });
  deepEqual(
    await home.parent.hearth.call("readAttributes", { path }), { size: 2, deep: { a: 1 } });
  equal(await refusal(person().hearth.call("readAttributes", { path })), "family_not_found");
  equal(await refusal(patched({ text: "x".repeat(20_000) })), "attributes_too_large");
});

test("a server without purposes for accounts asks for none and accepts none", async () => {
  const { hearth } = person();
  deepEqual((await hearth.call("listOwnConsents")).consents, []);
  const given = hearth.call(
    "giveOwnConsent", { path: { purpose: "terms" }, body: { version: "1", method: "self" } });
  equal(await refusal(given), "purpose_not_found");
});
