// An app on a device, for the test that kills it: makes eight changes of many kinds while it syncs,
// prints a line for each that is stored, and follows until it is killed.
//
// usage: device.js FILE ACCOUNT FAMILY URL admin|member        the token is in HEARTH_TOKEN

import { randomUUID } from "node:crypto";
import { createHearth, openStore, sync, syncOnce } from "hearth-client";
import { fileBackend } from "./file-backend.js";

const [file = "", account = "", family = "", baseURL = "", kind] = process.argv.slice(2);
const token = process.env["HEARTH_TOKEN"] ?? "";
// The client never repeats a request by itself: the test examines how the queue sends it again.
const hearth = createHearth({ baseURL, credentials: () => token, retry: { attempts: 1 } });
const store = await openStore(fileBackend(file), account);
const random = (below: number) => Math.floor(Math.random() * below);

process.on("unhandledRejection", (error) => {
  console.error(error);
  process.exit(70);
});

async function change(): Promise<string | undefined> {
  const word = `w${randomUUID().replace(/-/g, "").slice(0, 20)}`;
  switch (kind === "admin" ? random(8) : 6 + random(2)) {
    case 0: case 1:
      await store.enqueue(
        "updateFamily", { path: { id: family }, body: { familyName: word } },
        [{ kind: "family", id: family, familyId: null, patch: { familyName: word } }]);
      return `name ${word}`;
    case 2:
      await store.enqueue("writePlayerDetails", { body: { familyId: family, sport: word } });
      return `sport ${word}`;
    case 3:
      await store.enqueue(
        "addManagedMember", { body: { familyId: family, displayName: word } });
      return `child ${word}`;
    case 4: case 5: {
      const children = store.entities("member", family).filter((one) => one.value.is_managed);
      const child = children[random(children.length)];
      if (children.length < 3 || child === undefined) return undefined;
      await store.enqueue("removeManagedMember", { path: { id: child.id } },
        [{ kind: "member", id: child.id, familyId: family, patch: null }]);
      return undefined;
    }
    case 6:
      await store.enqueue("writePreferences", { path: { id: family }, body: { word } });
      return `liked ${word}`;
    default: {
      const other = store.entities("member", family).find(({ value }) => !value.is_managed
        && (kind === "admin" ? value.user_id !== account : value.user_id === account));
      const householdRole = (["adult", "kid", "visitor"] as const)[random(3)];
      if (other === undefined || householdRole === undefined) return undefined;
      await store.enqueue(
        "setHouseholdRole", { path: { memberId: other.id }, body: { householdRole } }, [{
          kind: "member", id: other.id, familyId: family, patch: { household_role: householdRole },
        }]);
      return undefined;
    }
  }
}

const running = sync(hearth, store, { firstPauseMs: 10, pollMs: 100 });
for (let words = 0; words < 8;) {
  const line = await change();
  if (line !== undefined) {
    words += 1;
    process.stdout.write(`${line}\n`);
  }
  // Half of the time, wait for the response or for its failure.
  if (random(2) === 0) await syncOnce(hearth, store).catch(() => {});
}
await running;
