import { createHearth } from "./client.js";
import { HearthError, Refusal, SignedOutError, StorageError, wrappingSignIn } from "./errors.js";
import { notify, pause, TabGroup, throwIfAborted, untilAborted } from "./timing.js";
/** Returns a storage that is lost with the page or process. */
export function memoryStorage() {
    const values = new Map();
    return {
        isPrivate: true,
        getItem: (key) => values.get(key) ?? null,
        setItem: (key, value) => values.set(key, value),
        removeItem: (key) => values.delete(key),
    };
}
/**
 * The account of this device: signs a person in and out, stores the session, and supplies the token
 * of each request. The token is refreshed before it expires and when Hearth refuses it: once,
 * however many calls and tabs need it.
 */
export class Account {
    #hearth;
    #options;
    #storage;
    #key;
    #tabs;
    #listeners = new Set();
    /** The session as this tab knows it; `undefined` until it was read, `null` if there is none. */
    #session;
    #state = { status: "loading" };
    /** Last text that this tab knows to be in the storage. */
    #text = null;
    /** A session that the storage refused. It counts until the storage has another text. */
    #unsaved;
    /** The last write to the storage, which may be in progress, and the number of writes. */
    #lastWrite = Promise.resolve();
    #writes = 0;
    #refreshing;
    #beginning;
    #stop;
    constructor(options) {
        this.#options = options;
        this.#storage = options.storage ?? localStorageOf() ?? memoryStorage();
        this.#key = options.storageKey ?? "hearth.session";
        this.#hearth = createHearth({ ...options, credentials: undefined });
        // Another tab signed in or out, or refreshed the token.
        const changed = () => void this.#load().catch(() => { });
        this.#tabs = new TabGroup(this.#storage.isPrivate ? undefined : this.#key, changed);
        // The message of another tab may come before its change of `localStorage`, this event does not.
        if (this.#tabs.isShared && typeof globalThis.addEventListener === "function") {
            const listen = (event) => {
                if (event.key === this.#key)
                    changed();
            };
            globalThis.addEventListener("storage", listen);
            this.#stop = () => globalThis.removeEventListener("storage", listen);
        }
    }
    /** The sign-in state as far as it is known. `subscribe` reports changes. */
    get state() {
        return this.#state;
    }
    /** Calls the listener after each change of the state. Returns a function to unsubscribe. */
    subscribe(listener) {
        this.#listeners.add(listener);
        // Until the session has been read nobody knows the state. A failure shows in the next call.
        if (this.#session === undefined)
            this.#load().catch(() => { });
        return () => this.#listeners.delete(listener);
    }
    /** Reads the stored session and returns the state. */
    async restore() {
        await this.#load();
        return this.#state;
    }
    /** Stops listening to other tabs. The session stays. */
    close() {
        this.#tabs.close();
        this.#stop?.();
        this.#listeners.clear();
    }
    // Signing in. Only a network that breaks leaves open whether an attempt was counted, so none of
    // these requests is repeated.
    /** Mails a six-digit code to the address, whether or not it has an account. */
    async requestCode(email, signal) {
        const body = { email };
        return this.#pending(await this.#hearth.call("sendSignInCode", { body }, { signal }));
    }
    /** Signs in with a mailed code. The first sign-in creates the account. */
    verifyCode(pending, code, signal) {
        const body = { ticket: pending.ticket, code: code.replace(/\s/g, ""), ...this.#device };
        return this.#begin(this.#hearth.call("verifySignInCode", { body }, { signal }));
    }
    /** Signs in with the `token` of a mailed link that opened the app. */
    verifyLink(linkToken, signal) {
        const body = { linkToken, ...this.#device };
        return this.#begin(this.#hearth.call("verifySignInCode", { body }, { signal }));
    }
    /** Signs in with address and password. */
    signIn(email, password, signal) {
        const body = { email, password, ...this.#device };
        return this.#begin(this.#hearth.call("signIn", { body }, { signal }));
    }
    /** Mails a code; `verifyCode` then creates the account with this password. */
    async signUp(body, signal) {
        return this.#pending(await this.#hearth.call("signUp", { body }, { signal }));
    }
    /** Signs in with the token of an identity provider. */
    exchange(token, signal) {
        const body = { ...token, ...this.#device };
        return this.#begin(this.#hearth.call("exchangeToken", { body }, { signal }));
    }
    /** Returns the options for `navigator.credentials.get`, as JSON. */
    async passkeyOptions(signal) {
        const body = { purpose: "assert" };
        return (await this.#hearth.call("makePasskeyOptions", { body }, { signal })).publicKey;
    }
    /** Signs in with a passkey: `credential.toJSON()` of what the browser returned. */
    signInWithPasskey(credential, signal) {
        const body = { credential: credential, ...this.#device };
        return this.#begin(this.#hearth.call("signInByPasskey", { body }, { signal }));
    }
    /**
     * Ends the session: at once on this device, then at Hearth. If Hearth can't be reached, it throws
     * although this device is signed out. If the storage can't be changed, the session ends at Hearth
     * before this throws a `StorageError`.
     */
    async signOut(signal) {
        let failure;
        const known = this.#session ?? null;
        const session = await this.#load().catch((error) => {
            failure = error;
            return known;
        });
        await this.#store(null).catch((error) => {
            failure ??= error;
        });
        try {
            if (session !== null) {
                const body = { refresh_token: session.refreshToken };
                await this.#hearth.call("signOut", { body }, { signal, retry: true });
            }
        }
        catch (error) {
            // A session that had already ended is not a failure.
            if (!(error instanceof Refusal) || error.nextStep !== "signIn")
                failure ??= error;
        }
        if (failure !== undefined)
            throw failure;
    }
    // Tokens.
    async accessToken(signal) {
        const session = this.#session ?? await this.#load();
        if (session === null)
            return (await this.#beginByProvider(signal)).accessToken;
        if (session.accessEndsAt - this.#now() > earlyMs)
            return session.accessToken;
        try {
            return (await this.#refresh(session, signal)).accessToken;
        }
        catch (error) {
            throwIfAborted(signal);
            // If Hearth can't refresh now, the current token is still valid for a moment.
            const isKept = error instanceof HearthError
                && !(error instanceof SignedOutError) && !(error instanceof StorageError);
            if (isKept && session.accessEndsAt > this.#now())
                return session.accessToken;
            throw error;
        }
    }
    async replacement(refused, signal) {
        const session = this.#session ?? await this.#load();
        if (session === null)
            return undefined;
        if (session.accessToken !== refused)
            return session.accessToken;
        return (await this.#refresh(session, signal)).accessToken;
    }
    /** Refreshes a session. Concurrent callers share one refresh, even if one of them gives up. */
    #refresh(session, signal) {
        const asked = Date.now();
        this.#refreshing ??= this.#tabs
            .exclusively(10000, undefined, () => this.#requestRefresh(session, Date.now() - asked > 5))
            .finally(() => {
            this.#refreshing = undefined;
        });
        return untilAborted(this.#refreshing, signal);
    }
    async #requestRefresh(session, hasWaited) {
        // Another tab may have refreshed the session, or signed out, while this one waited. Its change
        // of `localStorage` can take a moment to arrive.
        let stored = await this.#load();
        for (let count = 0; hasWaited && count < 10; count += 1) {
            if (stored?.accessToken !== session.accessToken)
                break;
            await pause(20, undefined);
            stored = await this.#load();
        }
        if (stored === null)
            throw new SignedOutError();
        if (stored.accessToken !== session.accessToken
            && stored.accessEndsAt - this.#now() > earlyMs)
            return stored;
        const body = { refresh_token: stored.refreshToken };
        try {
            // Hearth repeats its response to a refresh token until the next token is used.
            const response = await this.#hearth.call("refreshSession", { body }, { retry: true, timeoutMs: 15000 });
            const next = this.#stored(response);
            // If the person signed out or in meanwhile, the new token is discarded.
            const current = await this.#load();
            if (current?.id !== stored.id)
                throw new SignedOutError();
            await this.#store(next);
            return next;
        }
        catch (error) {
            if (!(error instanceof Refusal) || error.nextStep !== "signIn")
                throw error;
            if ((await this.#load())?.refreshToken === stored.refreshToken)
                await this.#store(null);
            throw new SignedOutError(error);
        }
    }
    /** Begins a session with the provider's token. Concurrent callers share one sign-in. */
    #beginByProvider(signal) {
        this.#beginning ??= (async () => {
            const token = await wrappingSignIn(() => this.#options.provider?.());
            if (token === undefined)
                throw new SignedOutError();
            await this.exchange(token);
            if (!this.#session)
                throw new SignedOutError();
            return this.#session;
        })().finally(() => {
            this.#beginning = undefined;
        });
        return untilAborted(this.#beginning, signal);
    }
    // The stored session.
    async #begin(call) {
        const response = await call;
        await this.#store(this.#stored(response));
        return response;
    }
    #stored(response) {
        return {
            id: response.session.id, userId: response.user.id, accessToken: response.access_token,
            refreshToken: response.refresh_token,
            accessEndsAt: this.#now() + response.expires_in * 1000,
        };
    }
    #pending(ticket) {
        return { ticket: ticket.ticket, endsAt: this.#now() + ticket.expiresIn * 1000 };
    }
    get #device() {
        return this.#options.device === undefined ? {} : { device: this.#options.device };
    }
    #now() {
        return this.#options.now?.() ?? Date.now();
    }
    async #load() {
        for (;;) {
            await this.#lastWrite;
            const writes = this.#writes;
            let text;
            try {
                text = await this.#storage.getItem(this.#key);
            }
            catch (error) {
                throw new StorageError(error);
            }
            // The session that was read is older than the one that this tab writes by now.
            if (writes !== this.#writes)
                continue;
            if (text !== this.#text)
                this.#unsaved = undefined;
            this.#text = text;
            const session = this.#unsaved ? this.#unsaved.session : parse(text);
            this.#set(session);
            return session;
        }
    }
    async #store(session) {
        this.#set(session);
        this.#writes += 1;
        const write = this.#lastWrite.then(() => this.#write(session));
        this.#lastWrite = write.catch(() => { });
        await write;
        this.#tabs.send("changed");
    }
    async #write(session) {
        const text = session === null ? null : JSON.stringify(session);
        try {
            if (text === null)
                await this.#storage.removeItem(this.#key);
            else
                await this.#storage.setItem(this.#key, text);
        }
        catch (error) {
            this.#unsaved = { session };
            throw new StorageError(error);
        }
        this.#text = text;
        this.#unsaved = undefined;
    }
    #set(session) {
        this.#session = session;
        const before = this.#state;
        const isSame = session === null ? before.status === "signedOut"
            : before.status === "signedIn" && before.userId === session.userId
                && before.sessionId === session.id;
        if (isSame)
            return;
        this.#state = session === null ? { status: "signedOut" }
            : { status: "signedIn", userId: session.userId, sessionId: session.id };
        notify(this.#listeners, this.#state);
    }
}
/** Creates the account of this device. */
export function createAccount(options) {
    return new Account(options);
}
/** Time before its expiry at which a token is refreshed. */
const earlyMs = 60000;
/** Returns the browser's storage; undefined where there is none, or where it is blocked. */
function localStorageOf() {
    try {
        return globalThis.localStorage ?? undefined;
    }
    catch {
        return undefined;
    }
}
function parse(text) {
    try {
        const value = JSON.parse(text ?? "null");
        return typeof value?.accessToken === "string" && typeof value.refreshToken === "string"
            && typeof value.accessEndsAt === "number" && typeof value.id === "string"
            && typeof value.userId === "string" ? value : null;
    }
    catch {
        return null;
    }
}
