import type { Family, Invitation, Member, MemberPreferences, OperationName, OwnProfile, PlayerDetails, Operations, ReceivedInvitation, RefusalCode, SyncPage } from "./api.js";
import type { HeaderOptions, RequestOf } from "./client.js";
import { TabGroup } from "./timing.js";
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
export declare type EntityKind = keyof EntityValues;
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
export declare type StoreWrite = readonly [key: string, value: unknown];
/** Place where a store keeps its records. */
export interface StoreBackend {
    /** Name that tabs of one browser share; undefined if the records belong to this tab alone. */
    readonly name: string | undefined;
    load(): Promise<readonly StoreWrite[]>;
    /** Writes records in one step: all or none. A value of undefined deletes the record. */
    commit(writes: readonly StoreWrite[]): Promise<void>;
}
/** Returns a backend that is lost with the page or process. */
export declare function memoryBackend(): StoreBackend;
/** Maximum number of changes that wait to be sent. */
export declare const queueLimit = 1000;
/**
 * Operation that a store can queue: one with an idempotency key, which has its effect once, and of
 * a path that a batch takes.
 */
export declare type QueueableOperation = Exclude<{
    [Name in OperationName]: "idempotencyKey" extends Operations[Name]["options"] ? Name : never;
}[OperationName], "joinFamilyByFunction">;
/** Returns whether a change could be made twice if it is sent again without a known key. */
export declare function couldBeMadeTwice(change: QueuedChange): boolean;
/**
 * A local copy of the family data that the person may see, with a queue of changes. Reads and
 * changes need no network; `sync` sends the queue and fetches changes. Values that it returns must
 * not be modified.
 */
export declare class FamilyStore {
    #private;
    private constructor();
    /**
     * Opens the store of a person. It needs no network: take the id from `account.state`. A store of
     * another person is emptied first.
     */
    static open(backend: StoreBackend, userId: string): Promise<FamilyStore>;
    /**
     * Returns the entities of a kind, with the queued changes applied. The list is the same object
     * until something changes.
     */
    entities<Kind extends EntityKind>(kind: Kind, familyId?: string): readonly Entity<Kind>[];
    /** Returns an entity with the queued changes applied. */
    entity<Kind extends EntityKind>(kind: Kind, id: string, familyId?: string): Entity<Kind> | undefined;
    /** Changes that wait to be sent, in order. */
    get queue(): readonly QueuedChange[];
    /** Conflicts that were not dismissed, in order. */
    get conflicts(): readonly Conflict[];
    /** Calls the listener after each change of the store. Returns a function to unsubscribe. */
    subscribe(listener: (store: FamilyStore) => void): () => void;
    /**
     * Queues a change. It is stored when the promise resolves, reads show its effects at once, and
     * `sync` sends it. If Hearth refuses it, it disappears, and `conflicts` has the refusal.
     */
    enqueue<Name extends QueueableOperation>(operation: Name, request: RequestOf<Name>, effects?: readonly Effect[], options?: Pick<HeaderOptions, "actingAs">): Promise<QueuedChange>;
    /** Removes a change from the queue. It may have been sent already. */
    cancel(key: string): Promise<void>;
    /** Removes a conflict that was shown. */
    dismiss(id: string): Promise<void>;
    /** Empties the store and its queue. Call it when the person signs out. */
    erase(): Promise<void>;
    /** Stops listening to other tabs. */
    close(): void;
    /** @internal */
    get cursor(): string | undefined;
    /** @internal */
    get tabs(): TabGroup;
    /**
     * Number of times that the store was erased. What was asked for before belongs to nobody here.
     * @internal
     */
    get erasures(): number;
    /**
     * Stores a page of changes and its cursor in one step, unless the store was erased since the
     * request. @internal
     */
    apply(page: SyncPage, erasures?: number): Promise<void>;
    /** Removes a change that was done or refused from the queue. @internal */
    settle(change: QueuedChange, status: number, body: unknown, erasures?: number): Promise<void>;
    /**
     * Stores the time at which changes are first sent; undefined if Hearth has not made them.
     * @internal
     */
    markSent(changes: readonly QueuedChange[], at: number | undefined): Promise<void>;
    /**
     * Replaces changes by conflicts if Hearth may have made them and their keys may have
     * expired. @internal
     */
    expire(): Promise<void>;
}
/** Opens the store of a person. */
export declare function openStore(backend: StoreBackend, userId: string): Promise<FamilyStore>;
