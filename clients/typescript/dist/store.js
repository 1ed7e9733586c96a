import { newKey, requestOf } from "./client.js";
import { QueueFullError, StorageError } from "./errors.js";
import { notify, TabGroup } from "./timing.js";
/** Returns a backend that is lost with the page or process. */
export function memoryBackend() {
    return { name: undefined, load: async () => [], commit: async () => { } };
}
/** Maximum number of changes that wait to be sent. */
export const queueLimit = 1000;
/**
 * A key expires 24 hours after Hearth has made the change. An attempt can take minutes.
 */
const keyLifetimeMs = 23 * 3600000;
/** Operations by POST that set a value, or do nothing if they are done already. */
const repeatablePosts = [
    "acceptInvitation", "acceptMyInvitation", "addGuardian", "approveMember", "createFamily",
    "declineInvitation", "declineMyInvitation", "reassignManagedMember", "rejectMember",
    "writePlayerDetails",
];
/** Returns whether a change could be made twice if it is sent again without a known key. */
export function couldBeMadeTwice(change) {
    return change.method === "POST" && !repeatablePosts.includes(change.operation);
}
/**
 * A local copy of the family data that the person may see, with a queue of changes. Reads and
 * changes need no network; `sync` sends the queue and fetches changes. Values that it returns must
 * not be modified.
 */
export class FamilyStore {
    #backend;
    #tabs;
    #listeners = new Set();
    #progress;
    #entities = new Map();
    #queue = new Map();
    #conflicts = new Map();
    /** Sent changes whose effects the next page of changes brings. */
    #sent = [];
    #lastWrite = Promise.resolve();
    #lastOrder = 0;
    #erasures = 0;
    /** Results of `entities`, which stay the same objects until something changes. */
    #views = new Map();
    /** Messages of other tabs that came before the records were loaded. */
    #early = [];
    constructor(backend, userId) {
        this.#backend = backend;
        this.#progress = { userId, cursor: undefined, generation: 0, isResetting: false };
        this.#tabs = new TabGroup(backend.name === undefined ? undefined : `hearth.store.${backend.name}`, (message) => {
            const writes = message;
            if (this.#early)
                this.#early.push(writes);
            else
                this.#remember(writes);
        });
    }
    /**
     * Opens the store of a person. It needs no network: take the id from `account.state`. A store of
     * another person is emptied first.
     */
    static async open(backend, userId) {
        const store = new FamilyStore(backend, userId);
        let writes;
        try {
            writes = await backend.load();
        }
        catch (error) {
            store.close();
            throw new StorageError(error);
        }
        const progress = writes.find(([key]) => key === "progress")?.[1];
        const early = store.#early ?? [];
        store.#early = undefined;
        if (progress !== undefined && progress.userId !== userId) {
            await store.#write(() => writes.map(([key]) => [key, undefined])).catch((error) => {
                store.close();
                throw error;
            });
        }
        else {
            for (const list of [writes, ...early])
                store.#remember(list);
        }
        return store;
    }
    // Reading.
    /**
     * Returns the entities of a kind, with the queued changes applied. The list is the same object
     * until something changes.
     */
    entities(kind, familyId) {
        const key = `${kind} ${familyId ?? ""}`;
        let found = this.#views.get(key);
        if (found === undefined) {
            const entities = new Map();
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
        return found;
    }
    /** Returns an entity with the queued changes applied. */
    entity(kind, id, familyId) {
        return this.entities(kind, familyId).find((entity) => entity.id === id);
    }
    /** Changes that wait to be sent, in order. */
    get queue() {
        return [...this.#queue.values()].sort((one, other) => one.order - other.order || (one.key < other.key ? -1 : 1));
    }
    /** Conflicts that were not dismissed, in order. */
    get conflicts() {
        return [...this.#conflicts.values()].filter((conflict) => conflict.isDismissed !== true)
            .sort((one, other) => one.order - other.order);
    }
    /** Calls the listener after each change of the store. Returns a function to unsubscribe. */
    subscribe(listener) {
        this.#listeners.add(listener);
        return () => this.#listeners.delete(listener);
    }
    // Changing.
    /**
     * Queues a change. It is stored when the promise resolves, reads show its effects at once, and
     * `sync` sends it. If Hearth refuses it, it disappears, and `conflicts` has the refusal.
     */
    async enqueue(operation, request, effects = [], options = {}) {
        const key = newKey();
        const family = effects[0]?.kind === "family" ? effects[0].id : effects[0]?.familyId;
        let made;
        await this.#write(() => {
            if (this.#queue.size >= queueLimit)
                throw new QueueFullError();
            const { method, target, headers, body } = requestOf(operation, request, {
                ...options, idempotencyKey: key, changedAt: new Date(), baseVersion: this.#version(family),
            });
            // A change without a key could take effect twice, and a batch refuses other paths.
            if (headers["Idempotency-Key"] === undefined || !/^\/(api|groups)\//.test(target)) {
                throw new TypeError(`${operation} can't be queued`);
            }
            delete headers["Content-Type"];
            // Hearth accepts no larger ones, and one that is never accepted would block the queue.
            if ((body ?? "").length > 20000) {
                throw new TypeError(`the body of ${operation} is too large`);
            }
            const order = this.#lastOrder = Math.max(Date.now(), this.#lastOrder + 1);
            made = {
                key, order, operation, method, target, headers, effects,
                body: body === undefined ? undefined : JSON.parse(body),
            };
            return [[`queue ${key}`, made]];
        });
        return made;
    }
    /** Removes a change from the queue. It may have been sent already. */
    cancel(key) {
        return this.#write(() => [[`queue ${key}`, undefined]]);
    }
    /** Removes a conflict that was shown. */
    dismiss(id) {
        return this.#write(() => {
            const conflict = this.#conflicts.get(id);
            return conflict ? [[`conflict ${id}`, { ...conflict, isDismissed: true }]] : [];
        });
    }
    /** Empties the store and its queue. Call it when the person signs out. */
    erase() {
        return this.#write(() => {
            this.#sent = [];
            return [...this.#keys()].map((key) => [key, undefined]);
        });
    }
    /** Stops listening to other tabs. */
    close() {
        this.#tabs.close();
        this.#listeners.clear();
    }
    // For `sync`.
    /** @internal */
    get cursor() {
        return this.#progress.cursor;
    }
    /** @internal */
    get tabs() {
        return this.#tabs;
    }
    /**
     * Number of times that the store was erased. What was asked for before belongs to nobody here.
     * @internal
     */
    get erasures() {
        return this.#erasures;
    }
    /**
     * Stores a page of changes and its cursor in one step, unless the store was erased since the
     * request. @internal
     */
    apply(page, erasures = this.#erasures) {
        return this.#write(() => {
            if (erasures !== this.#erasures)
                return [];
            const writes = new Map();
            const isResetting = page.reset || this.#progress.isResetting;
            const generation = this.#progress.generation + (page.reset ? 1 : 0);
            for (const change of page.changes) {
                const key = entityKey(change);
                if (change.deleted) {
                    writes.set(key, undefined);
                    if (change.kind === "family") {
                        for (const [other, entity] of this.#entities) {
                            if (entity.familyId === change.id)
                                writes.set(other, undefined);
                        }
                    }
                    continue;
                }
                const { conflict, ...value } = change.value;
                const { kind, id, familyId, version } = change;
                writes.set(key, { kind, id, familyId, version, value, generation });
                if (conflict !== undefined && conflict !== null) {
                    const cause = `${id} ${conflict.at}`;
                    if (!this.#conflicts.has(cause)) {
                        this.#addConflict(writes, {
                            id: cause, outcome: "overwritten", entity: { kind, id, familyId }, details: conflict,
                        });
                    }
                }
            }
            if (isResetting && !page.hasMore) {
                for (const [key, entity] of this.#entities) {
                    if (entity.generation < generation && !writes.has(key))
                        writes.set(key, undefined);
                }
            }
            writes.set("progress", {
                userId: this.#progress.userId, cursor: page.cursor, generation,
                isResetting: isResetting && page.hasMore,
            });
            if (!page.hasMore)
                this.#sent = [];
            return [...writes];
        });
    }
    /** Removes a change that was done or refused from the queue. @internal */
    settle(change, status, body, erasures = this.#erasures) {
        return this.#write(() => {
            if (erasures !== this.#erasures)
                return [];
            const writes = new Map([[`queue ${change.key}`, undefined]]);
            const answer = (body ?? {});
            const conflict = answer["conflict"];
            const about = entityOf(change);
            if (status >= 300) {
                this.#addConflict(writes, {
                    id: change.key, outcome: "refused", entity: about, details: change,
                    code: answer["code"], message: String(answer["message"] ?? ""),
                });
            }
            else {
                if (conflict) {
                    const outcome = conflict["kept"] === "theirs" ? "theirs" : "yours";
                    this.#addConflict(writes, { id: change.key, outcome, entity: about, details: conflict });
                }
                if (conflict?.["kept"] !== "theirs")
                    this.#sent.push(change);
            }
            return [...writes];
        });
    }
    /**
     * Stores the time at which changes are first sent; undefined if Hearth has not made them.
     * @internal
     */
    async markSent(changes, at) {
        if (changes.length === 0)
            return;
        await this.#write(() => changes.filter(({ key }) => this.#queue.has(key)).map((change) => {
            const { sentAt: _, ...unsent } = change;
            return [`queue ${change.key}`, at === undefined ? unsent : { ...unsent, sentAt: at }];
        }));
    }
    /**
     * Replaces changes by conflicts if Hearth may have made them and their keys may have
     * expired. @internal
     */
    async expire() {
        // If the clock was set back by a day or more, the age of the key is unknown.
        const isExpired = ({ sentAt }) => sentAt !== undefined && Math.abs(Date.now() - sentAt) >= keyLifetimeMs;
        if (!this.queue.some(isExpired))
            return;
        await this.#write(() => {
            const writes = new Map();
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
    #addConflict(writes, conflict) {
        const order = this.#lastOrder = Math.max(Date.now(), this.#lastOrder + 1);
        writes.set(`conflict ${conflict.id}`, { ...conflict, order });
        const all = [...this.#conflicts.values()].sort((one, other) => one.order - other.order);
        for (const old of all.slice(0, Math.max(0, all.length - 99))) {
            writes.set(`conflict ${old.id}`, undefined);
        }
    }
    /** Returns the highest known version of a family. */
    #version(family) {
        let version;
        for (const entity of this.#entities.values()) {
            if (entity.familyId === family || entity.kind === "family" && entity.id === family) {
                version = Math.max(version ?? 0, entity.version);
            }
        }
        return version;
    }
    *#keys() {
        yield "progress";
        yield* this.#entities.keys();
        for (const key of this.#queue.keys())
            yield `queue ${key}`;
        for (const key of this.#conflicts.keys())
            yield `conflict ${key}`;
    }
    /** Writes records after all earlier writes: first to the backend, then to memory. */
    #write(make) {
        const write = this.#lastWrite.then(async () => {
            const writes = make();
            try {
                if (writes.length > 0)
                    await this.#backend.commit(writes);
            }
            catch (error) {
                throw new StorageError(error);
            }
            this.#remember(writes);
            this.#tabs.send(writes);
        });
        this.#lastWrite = write.catch(() => { });
        return write;
    }
    #remember(writes) {
        for (const [key, value] of writes) {
            const [type, id = ""] = key.split(/ (.*)/s);
            if (type === "entity")
                put(this.#entities, key, value);
            else if (type === "queue")
                put(this.#queue, id, value);
            else if (type === "conflict")
                put(this.#conflicts, id, value);
            else if (value !== undefined)
                this.#progress = value;
            else {
                const { userId, generation } = this.#progress;
                this.#progress = { userId, cursor: undefined, generation, isResetting: false };
                this.#erasures += 1;
            }
            const order = value?.order;
            if (order !== undefined)
                this.#lastOrder = Math.max(this.#lastOrder, order);
        }
        this.#views.clear();
        notify(this.#listeners, this);
    }
}
/** Opens the store of a person. */
export function openStore(backend, userId) {
    return FamilyStore.open(backend, userId);
}
function put(map, key, value) {
    if (value === undefined)
        map.delete(key);
    else
        map.set(key, value);
}
/** Returns the entity that a conflict about a change names. */
function entityOf({ effects: [effect] }) {
    return effect ? { kind: effect.kind, id: effect.id, familyId: effect.familyId } : null;
}
function entityKey(of) {
    return `entity ${of.kind} ${of.kind === "family" ? "" : of.familyId ?? ""} ${of.id}`;
}
/** Applies an effect to the entities of a view, to which a new entity `belongs` or not. */
function show(effect, entities, belongs) {
    const key = entityKey(effect);
    const entity = entities.get(key) ?? (belongs ? firstEntity(effect) : undefined);
    if (entity === undefined)
        return;
    if (effect.patch === null)
        entities.delete(key);
    else {
        const removesNull = effect.kind === "attributes" || effect.kind === "preferences";
        const value = merged(entity.value, effect.patch, removesNull);
        entities.set(key, { ...entity, value });
    }
}
/** Returns the entity to which its first patch applies; undefined if a patch creates none. */
function firstEntity({ kind, id, familyId }) {
    const entity = { kind, id, familyId, version: 0 };
    if (kind === "attributes")
        return { ...entity, value: {} };
    if (kind === "preferences") {
        const value = { user_id: id, group_id: familyId ?? "", preferences: {}, updated_at: null };
        return { ...entity, value };
    }
    return undefined;
}
/** Returns a value with a merge patch (RFC 7396), in which a null removes a member or stays. */
function merged(value, patch, removesNull) {
    if (!isObject(patch))
        return patch;
    const made = isObject(value) ? { ...value } : {};
    for (const [name, part] of Object.entries(patch)) {
        if (part === null && removesNull)
            delete made[name];
        else
            made[name] = merged(made[name], part, removesNull);
    }
    return made;
}
function isObject(value) {
    return typeof value === "object" && value !== null && !Array.isArray(value);
}
