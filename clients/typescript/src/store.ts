import type {
  Change, Family, Invitation, Member, MemberPreferences, OperationName, OwnProfile, PlayerDetails,
  Operations, ReceivedInvitation, RefusalCode, SyncPage,
} from "./api.js";
import { newKey, requestOf } from "./client.js";
import type { HeaderOptions, RequestOf } from "./client.js";
import { QueueFullError, StorageError } from "./errors.js";
import { notify, TabGroup } from "./timing.js";

/** Value of an entity of each kind. */
export interface EntityValues {
  family: Family;
  member: Member;
  invitation: Invitation;
  receivedInvitation: ReceivedInvitation;
  profile: OwnProfile;
  preferences: MemberPreferences;
  playerDetails: PlayerDetails;
  attributes: Record<string, unknown>;
}

/** Kind of an entity. */
export type EntityKind = keyof EntityValues;

/** An entity that the person may see. */
export interface Entity<Kind extends EntityKind = EntityKind> {
  readonly kind: Kind;
  readonly id: string;
  /** Family of the entity; null for a profile and a received invitation. */
  readonly familyId: string | null;
  /** Version of the family, or of the person, with which the value came. */
  readonly version: number;
  readonly value: EntityValues[Kind];
}

/** What a change made offline shows until Hearth has responded. */
export interface Effect {
  readonly kind: EntityKind;
  readonly id: string;
  readonly familyId: string | null;
  /**
   * Merge patch (RFC 7396) of the value; null if the entity is removed. In attributes and
   * preferences a null removes a member; other entities have null where they have no value. The
   * first patch of attributes or preferences creates them.
   */
  readonly patch: Record<string, unknown> | null;
}

/** A change that waits to be sent. */
export interface QueuedChange {
  /** Idempotency key of the change. */
  readonly key: string;
  /** Position in the queue. */
  readonly order: number;
  readonly operation: OperationName;
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly headers: Record<string, string>;
  readonly body: unknown;
  readonly effects: readonly Effect[];
  /**
   * Time at which the change was first sent, in milliseconds, if Hearth may have made it. Only
   * changes that could be made twice have it.
   */
  readonly sentAt?: number;
}

/** A change that turned out differently than its author expected, for a banner. */
export interface Conflict {
  readonly id: string;
  /**
   * `theirs`: a later change of others is kept; `yours`: the person's change overwrote one that the
   * person had not seen; `overwritten`: others overwrote it; `refused`: Hearth refused the change;
   * `unknown`: Hearth may have made the change, but sending it again could make it twice.
   */
  readonly outcome: "theirs" | "yours" | "overwritten" | "refused" | "unknown";
  readonly entity: Pick<Entity, "kind" | "id" | "familyId"> | null;
  /** Refused or unclear change, or the details that Hearth sent about the other change. */
  readonly details: unknown;
  readonly code?: RefusalCode;
  /** Sentence about a refusal or an unknown outcome, which can be shown. */
  readonly message?: string;
}

/** Records of a store: each has a key and a value that can be cloned. */
export type StoreWrite = readonly [key: string, value: unknown];

/** Place where a store keeps its records. */
export interface StoreBackend {
  /** Name that tabs of one browser share; undefined if the records belong to this tab alone. */
  readonly name: string | undefined;
  load(): Promise<readonly StoreWrite[]>;
  /** Writes records in one step: all or none. A value of undefined deletes the record. */
  commit(writes: readonly StoreWrite[]): Promise<void>;
}

/** Returns a backend that is lost with the page or process. */
export function memoryBackend(): StoreBackend {
  return { name: undefined, load: async () => [], commit: async () => {} };
}

/** Position of a store in the changes of Hearth. */
interface Progress {
  readonly userId: string;
  readonly cursor: string | undefined;
  /** Raised by each reset: entities of earlier generations go when the reset is complete. */
  readonly generation: number;
  readonly isResetting: boolean;
}

type StoredEntity = Entity & { readonly generation: number };

/** Maximum number of changes that wait to be sent. */
export const queueLimit = 1000;

/**
 * Operation that a store can queue: one with an idempotency key, which has its effect once, and of
 * a path that a batch takes.
 */
export type QueueableOperation = Exclude<{
  [Name in OperationName]: "idempotencyKey" extends Operations[Name]["options"] ? Name : never;
}[OperationName], "joinFamilyByFunction">;

/**
 * A key expires 24 hours after Hearth has made the change. An attempt can take minutes.
 */
const keyLifetimeMs = 23 * 3_600_000;

/** Operations by POST that set a value, or do nothing if they are done already. */
const repeatablePosts: readonly OperationName[] = [
  "acceptInvitation", "acceptMyInvitation", "addGuardian", "approveMember", "createFamily",
  "declineInvitation", "declineMyInvitation", "reassignManagedMember", "rejectMember",
  "writePlayerDetails",
];

/** Returns whether a change could be made twice if it is sent again without a known key. */
export function couldBeMadeTwice(change: QueuedChange): boolean {
  return change.method === "POST" && !repeatablePosts.includes(change.operation);
}

/**
 * A local copy of the family data that the person may see, with a queue of changes. Reads and
 * changes need no network; `sync` sends the queue and fetches changes. Values that it returns must
 * not be modified.
 */
export class FamilyStore {
  readonly #backend: StoreBackend;
  readonly #tabs: TabGroup;
  readonly #listeners = new Set<(store: FamilyStore) => void>();
  #progress: Progress;
  readonly #entities = new Map<string, StoredEntity>();
  readonly #queue = new Map<string, QueuedChange>();
  readonly #conflicts = new Map<string, Conflict & { order: number; isDismissed?: boolean }>();
  /** Sent changes whose effects the next page of changes brings. */
  #sent: QueuedChange[] = [];
  #lastWrite: Promise<void> = Promise.resolve();
  #lastOrder = 0;
  #erasures = 0;
  /** Results of `entities`, which stay the same objects until something changes. */
  readonly #views = new Map<string, readonly Entity[]>();
  /** Messages of other tabs that came before the records were loaded. */
  #early: (readonly StoreWrite[])[] | undefined = [];

  private constructor(backend: StoreBackend, userId: string) {
    this.#backend = backend;
    this.#progress = { userId, cursor: undefined, generation: 0, isResetting: false };
    this.#tabs = new TabGroup(
      backend.name === undefined ? undefined : `hearth.store.${backend.name}`,
      (message) => {
        const writes = message as readonly StoreWrite[];
        if (this.#early) this.#early.push(writes);
        else this.#remember(writes);
      });
  }

  /**
   * Opens the store of a person. It needs no network: take the id from `account.state`. A store of
   * another person is emptied first.
   */
  static async open(backend: StoreBackend, userId: string): Promise<FamilyStore> {
    const store = new FamilyStore(backend, userId);
    let writes: readonly StoreWrite[];
    try {
      writes = await backend.load();
    } catch (error) {
      store.close();
      throw new StorageError(error);
    }
    const progress = writes.find(([key]) => key === "progress")?.[1] as Progress | undefined;
    const early = store.#early ?? [];
    store.#early = undefined;
    if (progress !== undefined && progress.userId !== userId) {
      await store.#write(() => writes.map(([key]) => [key, undefined])).catch((error: unknown) => {
        store.close();
        throw error;
      });
    } else {
      for (const list of [writes, ...early]) store.#remember(list);
    }
    return store;
  }

  // Reading.

  /**
   * Returns the entities of a kind, with the queued changes applied. The list is the same object
   * until something changes.
   */
  entities<Kind extends EntityKind>(kind: Kind, familyId?: string): readonly Entity<Kind>[] {
    const key = `${kind} ${familyId ?? ""}`;
    let found = this.#views.get(key);
    if (found === undefined) {
      const entities = new Map<string, Entity>();
      for (const [id, entity] of this.#entities) {
        if (entity.kind === kind && (familyId === undefined || entity.familyId === familyId)) {
          entities.set(id, entity);
        }
      }
      for (const change of [...this.#sent, ...this.queue]) {
        for (const effect of change.effects) {
          const belongs = effect.kind === kind
            && (familyId === undefined || effect.familyId === familyId);
          show(effect, entities, belongs);
        }
      }
      found = [...entities.values()];
      this.#views.set(key, found);
    }
    return found as readonly Entity<Kind>[];
  }

  /** Returns an entity with the queued changes applied. */
  entity<Kind extends EntityKind>(
    kind: Kind, id: string, familyId?: string
  ): Entity<Kind> | undefined {
    return this.entities(kind, familyId).find((entity) => entity.id === id);
  }

  /** Changes that wait to be sent, in order. */
  get queue(): readonly QueuedChange[] {
    return [...this.#queue.values()].sort(
      (one, other) => one.order - other.order || (one.key < other.key ? -1 : 1));
  }

  /** Conflicts that were not dismissed, in order. */
  get conflicts(): readonly Conflict[] {
    return [...this.#conflicts.values()].filter((conflict) => conflict.isDismissed !== true)
      .sort((one, other) => one.order - other.order);
  }

  /** Calls the listener after each change of the store. Returns a function to unsubscribe. */
  subscribe(listener: (store: FamilyStore) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  // Changing.

  /**
   * Queues a change. It is stored when the promise resolves, reads show its effects at once, and
   * `sync` sends it. If Hearth refuses it, it disappears, and `conflicts` has the refusal.
   */
  async enqueue<Name extends QueueableOperation>(
    operation: Name, request: RequestOf<Name>, effects: readonly Effect[] = [],
    options: Pick<HeaderOptions, "actingAs"> = {}
  ): Promise<QueuedChange> {
    const key = newKey();
    const family = effects[0]?.kind === "family" ? effects[0].id : effects[0]?.familyId;
    let made: QueuedChange | undefined;
    await this.#write(() => {
      if (this.#queue.size >= queueLimit) throw new QueueFullError();
      const { method, target, headers, body } = requestOf(operation, request, {
        ...options, idempotencyKey: key, changedAt: new Date(), baseVersion: this.#version(family),
      });
      // A change without a key could take effect twice, and a batch refuses other paths.
      if (headers["Idempotency-Key"] === undefined || !/^\/(api|groups)\//.test(target)) {
        throw new TypeError(`${operation} can't be queued`);
      }
      delete headers["Content-Type"];
      // Hearth accepts no larger ones, and one that is never accepted would block the queue.
      if ((body ?? "").length > 20_000) {
        throw new TypeError(`the body of ${operation} is too large`);
      }
      const order = this.#lastOrder = Math.max(Date.now(), this.#lastOrder + 1);
      made = {
        key, order, operation, method, target, headers, effects,
        body: body === undefined ? undefined : JSON.parse(body),
      };
      return [[`queue ${key}`, made]];
    });
    return made as unknown as QueuedChange;
  }

  /** Removes a change from the queue. It may have been sent already. */
  cancel(key: string): Promise<void> {
    return this.#write(() => [[`queue ${key}`, undefined]]);
  }

  /** Removes a conflict that was shown. */
  dismiss(id: string): Promise<void> {
    return this.#write(() => {
      const conflict = this.#conflicts.get(id);
      return conflict ? [[`conflict ${id}`, { ...conflict, isDismissed: true }]] : [];
    });
  }

  /** Empties the store and its queue. Call it when the person signs out. */
  erase(): Promise<void> {
    return this.#write(() => {
      this.#sent = [];
      return [...this.#keys()].map((key) => [key, undefined]);
    });
  }

  /** Stops listening to other tabs. */
  close(): void {
    this.#tabs.close();
    this.#listeners.clear();
  }

  // For `sync`.

  /** @internal */
  get cursor(): string | undefined {
    return this.#progress.cursor;
  }

  /** @internal */
  get tabs(): TabGroup {
    return this.#tabs;
  }

  /**
   * Number of times that the store was erased. What was asked for before belongs to nobody here.
   * @internal
   */
  get erasures(): number {
    return this.#erasures;
  }

  /**
   * Stores a page of changes and its cursor in one step, unless the store was erased since the
   * request. @internal
   */
  apply(page: SyncPage, erasures = this.#erasures): Promise<void> {
    return this.#write(() => {
      if (erasures !== this.#erasures) return [];
      const writes = new Map<string, unknown>();
      const isResetting = page.reset || this.#progress.isResetting;
      const generation = this.#progress.generation + (page.reset ? 1 : 0);
      for (const change of page.changes) {
        const key = entityKey(change);
        if (change.deleted) {
          writes.set(key, undefined);
          if (change.kind === "family") {
            for (const [other, entity] of this.#entities) {
              if (entity.familyId === change.id) writes.set(other, undefined);
            }
          }
          continue;
        }
        const { conflict, ...value } = change.value as Record<string, unknown>;
        const { kind, id, familyId, version } = change;
        writes.set(key, { kind, id, familyId, version, value, generation });
        if (conflict !== undefined && conflict !== null) {
          const cause = `${id} ${(conflict as { at?: unknown }).at}`;
          if (!this.#conflicts.has(cause)) {
            this.#addConflict(writes, {
              id: cause, outcome: "overwritten", entity: { kind, id, familyId }, details: conflict,
            });
          }
        }
      }
      if (isResetting && !page.hasMore) {
        for (const [key, entity] of this.#entities) {
          if (entity.generation < generation && !writes.has(key)) writes.set(key, undefined);
        }
      }
      writes.set("progress", {
        userId: this.#progress.userId, cursor: page.cursor, generation,
        isResetting: isResetting && page.hasMore,
      });
      if (!page.hasMore) this.#sent = [];
      return [...writes];
    });
  }

  /** Removes a change that was done or refused from the queue. @internal */
  settle(
    change: QueuedChange, status: number, body: unknown, erasures = this.#erasures
  ): Promise<void> {
    return this.#write(() => {
      if (erasures !== this.#erasures) return [];
      const writes = new Map<string, unknown>([[`queue ${change.key}`, undefined]]);
      const answer = (body ?? {}) as Record<string, unknown>;
      const conflict = answer["conflict"] as Record<string, unknown> | null | undefined;
      const about = entityOf(change);
      if (status >= 300) {
        this.#addConflict(writes, {
          id: change.key, outcome: "refused", entity: about, details: change,
          code: answer["code"] as RefusalCode, message: String(answer["message"] ?? ""),
        });
      } else {
        if (conflict) {
          const outcome = conflict["kept"] === "theirs" ? "theirs" : "yours";
          this.#addConflict(writes, { id: change.key, outcome, entity: about, details: conflict });
        }
        if (conflict?.["kept"] !== "theirs") this.#sent.push(change);
      }
      return [...writes];
    });
  }

  /**
   * Stores the time at which changes are first sent; undefined if Hearth has not made them.
   * @internal
   */
  async markSent(changes: readonly QueuedChange[], at: number | undefined): Promise<void> {
    if (changes.length === 0) return;
    await this.#write(() => changes.filter(({ key }) => this.#queue.has(key)).map((change) => {
      const { sentAt: _, ...unsent } = change;
      return [`queue ${change.key}`, at === undefined ? unsent : { ...unsent, sentAt: at }];
    }));
  }

  /**
   * Replaces changes by conflicts if Hearth may have made them and their keys may have
   * expired. @internal
   */
  async expire(): Promise<void> {
    // If the clock was set back by a day or more, the age of the key is unknown.
    const isExpired = ({ sentAt }: QueuedChange) =>
      sentAt !== undefined && Math.abs(Date.now() - sentAt) >= keyLifetimeMs;
    if (!this.queue.some(isExpired)) return;
    await this.#write(() => {
      const writes = new Map<string, unknown>();
      for (const change of this.queue.filter(isExpired)) {
        writes.set(`queue ${change.key}`, undefined);
        this.#addConflict(writes, {
          id: change.key, outcome: "unknown", entity: entityOf(change), details: change,
          message: "It is unclear whether this was done. Please check before you do it again.",
        });
      }
      return [...writes];
    });
  }

  // Details.

  #addConflict(writes: Map<string, unknown>, conflict: Conflict): void {
    const order = this.#lastOrder = Math.max(Date.now(), this.#lastOrder + 1);
    writes.set(`conflict ${conflict.id}`, { ...conflict, order });
    const all = [...this.#conflicts.values()].sort((one, other) => one.order - other.order);
    for (const old of all.slice(0, Math.max(0, all.length - 99))) {
      writes.set(`conflict ${old.id}`, undefined);
    }
  }

  /** Returns the highest known version of a family. */
  #version(family: string | null | undefined): number | undefined {
    let version: number | undefined;
    for (const entity of this.#entities.values()) {
      if (entity.familyId === family || entity.kind === "family" && entity.id === family) {
        version = Math.max(version ?? 0, entity.version);
      }
    }
    return version;
  }

  *#keys(): Iterable<string> {
    yield "progress";
    yield* this.#entities.keys();
    for (const key of this.#queue.keys()) yield `queue ${key}`;
    for (const key of this.#conflicts.keys()) yield `conflict ${key}`;
  }

  /** Writes records after all earlier writes: first to the backend, then to memory. */
  #write(make: () => readonly StoreWrite[]): Promise<void> {
    const write = this.#lastWrite.then(async () => {
      const writes = make();
      try {
        if (writes.length > 0) await this.#backend.commit(writes);
      } catch (error) {
        throw new StorageError(error);
      }
      this.#remember(writes);
      this.#tabs.send(writes);
    });
    this.#lastWrite = write.catch(() => {});
    return write;
  }

  #remember(writes: readonly StoreWrite[]): void {
    for (const [key, value] of writes) {
      const [type, id = ""] = key.split(/ (.*)/s);
      if (type === "entity") put(this.#entities, key, value);
      else if (type === "queue") put(this.#queue, id, value);
      else if (type === "conflict") put(this.#conflicts, id, value);
      else if (value !== undefined) this.#progress = value as Progress;
      else {
        const { userId, generation } = this.#progress;
        this.#progress = { userId, cursor: undefined, generation, isResetting: false };
        this.#erasures += 1;
      }
      const order = (value as { order?: number } | undefined)?.order;
      if (order !== undefined) this.#lastOrder = Math.max(this.#lastOrder, order);
    }
    this.#views.clear();
    notify(this.#listeners, this as FamilyStore);
  }
}

/** Opens the store of a person. */
export function openStore(backend: StoreBackend, userId: string): Promise<FamilyStore> {
  return FamilyStore.open(backend, userId);
}

function put<Value>(map: Map<string, Value>, key: string, value: unknown): void {
  if (value === undefined) map.delete(key);
  else map.set(key, value as Value);
}

/** Returns the entity that a conflict about a change names. */
function entityOf({ effects: [effect] }: QueuedChange): Conflict["entity"] {
  return effect ? { kind: effect.kind, id: effect.id, familyId: effect.familyId } : null;
}

function entityKey(of: Pick<Change, "kind" | "id" | "familyId">): string {
  return `entity ${of.kind} ${of.kind === "family" ? "" : of.familyId ?? ""} ${of.id}`;
}

/** Applies an effect to the entities of a view, to which a new entity `belongs` or not. */
function show(effect: Effect, entities: Map<string, Entity>, belongs: boolean): void {
  const key = entityKey(effect);
  const entity = entities.get(key) ?? (belongs ? firstEntity(effect) : undefined);
  if (entity === undefined) return;
  if (effect.patch === null) entities.delete(key);
  else {
    const removesNull = effect.kind === "attributes" || effect.kind === "preferences";
    const value = merged(entity.value, effect.patch, removesNull) as EntityValues[EntityKind];
    entities.set(key, { ...entity, value });
  }
}

/** Returns the entity to which its first patch applies; undefined if a patch creates none. */
function firstEntity({ kind, id, familyId }: Effect): Entity | undefined {
  const entity = { kind, id, familyId, version: 0 };
  if (kind === "attributes") return { ...entity, value: {} };
  if (kind === "preferences") {
    const value = { user_id: id, group_id: familyId ?? "", preferences: {}, updated_at: null };
    return { ...entity, value };
  }
  return undefined;
}

/** Returns a value with a merge patch (RFC 7396), in which a null removes a member or stays. */
function merged(value: unknown, patch: unknown, removesNull: boolean): unknown {
  if (!isObject(patch)) return patch;
  const made: Record<string, unknown> = isObject(value) ? { ...value } : {};
  for (const [name, part] of Object.entries(patch)) {
    if (part === null && removesNull) delete made[name];
    else made[name] = merged(made[name], part, removesNull);
  }
  return made;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
