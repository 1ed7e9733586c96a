// People, families and checks that the tests share.

import { createHmac, randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { createHearth, isRefusal } from "hearth-client";
import type { Hearth, Member, RefusalCode } from "hearth-client";

function setting(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is missing: run scripts/test-clients`);
  return value;
}

/** Address of the API. */
export const url = setting("HEARTH_TEST_URL");
const secret = readFileSync(setting("HEARTH_TEST_SECRET_FILE"), "utf8").trim();

/** Returns a token of a person who signed up at the local issuer; `ageSeconds` ago. */
export function tokenOf(
  id: string, email: string, name: string | null, role: string | null, ageSeconds = 0
): string {
  const now = Math.floor(Date.now() / 1000);
  const claims = {
    iss: "https://hearth.localhost/auth/v1", sub: id, aud: "authenticated",
    iat: now - ageSeconds, exp: now + 3600, email, role: "authenticated", is_anonymous: false,
    user_metadata: {
      ...(name === null ? {} : { full_name: name }), ...(role === null ? {} : { role }),
    },
  };
  const part = (value: object) => btoa(JSON.stringify(value))
    .replace(/\+/g, "-").replace(/\//g, "_").replace(/=/g, "");
  const signed = `${part({ alg: "HS256", typ: "JWT" })}.${part(claims)}`;
  return `${signed}.${createHmac("sha256", secret).update(signed).digest("base64url")}`;
}

/** A person, with the client on that person's device. */
export interface Person {
  readonly id: string;
  readonly email: string;
  readonly token: string;
  readonly hearth: Hearth;
}

/** Creates a person with a confirmed address; a null role means that none was chosen. */
export function person(
  role: "parent" | "player" | null = "parent", name: string | null = "Somebody"
): Person {
  const id = randomUUID();
  const email = `${id}@example.com`;
  const token = tokenOf(id, email, name, role);
  return { id, email, token, hearth: createHearth({ baseURL: url, credentials: () => token }) };
}

/** Returns the code with which a call is refused; undefined if it succeeds. */
export async function refusal(work: Promise<unknown>): Promise<RefusalCode | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    if (isRefusal(error)) return error.code;
    throw error;
  }
}

/** A family of three: the Parent Admin who created it, another parent and a player. */
export class Home {
  private constructor(
    admin: Person, parent: Person, player: Person, id: string, code: string
  ) {
    this.admin = admin;
    this.parent = parent;
    this.player = player;
    this.id = id;
    this.code = code;
  }

  readonly admin: Person;
  readonly parent: Person;
  readonly player: Person;
  readonly id: string;
  readonly code: string;

  static async create(): Promise<Home> {
    const [admin, parent, player] =
      [person("parent", "Ada"), person("parent", "Pat"), person("player", "Kim")];
    const made = await admin.hearth.call("createFamily", { body: { familyName: "The Terns" } });
    for (const one of [parent, player]) await join(one, made.familyCode);
    return new Home(admin, parent, player, made.familyId, made.familyCode);
  }

  /** Returns the active members. */
  async members(by: Person = this.admin): Promise<readonly Member[]> {
    return (await by.hearth.call("listMembers", { query: { familyId: this.id } })).members;
  }

  /** Returns a person's membership, active or waiting. */
  async member(of: Person): Promise<Member> {
    for (const status of ["active", "invited"] as const) {
      const { members } = await this.admin.hearth.call(
        "listMembers", { query: { familyId: this.id, status } });
      const found = members.find((one) => one.user_id === of.id);
      if (found !== undefined) return found;
    }
    throw new Error("no member");
  }
}

export function join(by: Person, familyCode: string) {
  return by.hearth.call("joinFamily", { body: { familyCode } });
}

/** Waits until a condition holds; it is checked at each event. Fails after a minute. */
export async function until(
  subscribe: (listener: () => void) => () => void, holds: () => boolean
): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => end(() => reject(new Error("nothing happened"))), 60_000);
    const stop = subscribe(() => {
      if (holds()) end(resolve);
    });
    const end = (how: () => void) => {
      clearTimeout(timer);
      // `subscribe` may call the listener before it returns.
      queueMicrotask(() => stop());
      how();
    };
    if (holds()) end(resolve);
  });
}
