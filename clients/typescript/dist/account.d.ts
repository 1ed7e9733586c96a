import type { SignedIn } from "./api.js";
import type { Credentials, HearthOptions, RequestOf } from "./client.js";
/** Storage of texts: `localStorage`, React Native's `AsyncStorage`, or any other. */
export interface KeyValueStorage {
    getItem(key: string): string | null | Promise<string | null>;
    setItem(key: string, value: string): unknown;
    removeItem(key: string): unknown;
    /** If true, no other tab or process uses the stored values. */
    readonly isPrivate?: boolean | undefined;
}
/** Returns a storage that is lost with the page or process. */
export declare function memoryStorage(): KeyValueStorage;
/** Options of `createAccount`. */
export interface AccountOptions extends Omit<HearthOptions, "credentials"> {
    /** Storage for the session. The default is `localStorage`, or memory where there is none. */
    storage?: KeyValueStorage | undefined;
    /** Name of the session in the storage (`hearth.session`). */
    storageKey?: string | undefined;
    /** Name of this device in the person's list of sessions. */
    device?: string | undefined;
    /** Returns an identity provider's token, which begins a session whenever there is none. */
    provider?: (() => Promise<ProviderToken | undefined>) | undefined;
    /** Replaces the clock, in milliseconds. */
    now?: (() => number) | undefined;
}
/** A token of an identity provider, with what came with it. */
export declare type ProviderToken = Omit<RequestOf<"exchangeToken">["body"], "device">;
/** Sign-in state of this device. */
export declare type AccountState = 
/** The stored session has not been read yet. */
{
    readonly status: "loading";
} | {
    readonly status: "signedOut";
} | {
    readonly status: "signedIn";
    readonly userId: string;
    readonly sessionId: string;
};
/** A sign-in that waits for the mailed code. */
export interface PendingSignIn {
    readonly ticket: string;
    /** Time at which the code expires, by this device's clock, in milliseconds. */
    readonly endsAt: number;
}
/**
 * The account of this device: signs a person in and out, stores the session, and supplies the token
 * of each request. The token is refreshed before it expires and when Hearth refuses it: once,
 * however many calls and tabs need it.
 */
export declare class Account implements Credentials {
    #private;
    constructor(options: AccountOptions);
    /** The sign-in state as far as it is known. `subscribe` reports changes. */
    get state(): AccountState;
    /** Calls the listener after each change of the state. Returns a function to unsubscribe. */
    subscribe(listener: (state: AccountState) => void): () => void;
    /** Reads the stored session and returns the state. */
    restore(): Promise<AccountState>;
    /** Stops listening to other tabs. The session stays. */
    close(): void;
    /** Mails a six-digit code to the address, whether or not it has an account. */
    requestCode(email: string, signal?: AbortSignal): Promise<PendingSignIn>;
    /** Signs in with a mailed code. The first sign-in creates the account. */
    verifyCode(pending: Pick<PendingSignIn, "ticket">, code: string, signal?: AbortSignal): Promise<SignedIn>;
    /** Signs in with the `token` of a mailed link that opened the app. */
    verifyLink(linkToken: string, signal?: AbortSignal): Promise<SignedIn>;
    /** Signs in with address and password. */
    signIn(email: string, password: string, signal?: AbortSignal): Promise<SignedIn>;
    /** Mails a code; `verifyCode` then creates the account with this password. */
    signUp(body: RequestOf<"signUp">["body"], signal?: AbortSignal): Promise<PendingSignIn>;
    /** Signs in with the token of an identity provider. */
    exchange(token: ProviderToken, signal?: AbortSignal): Promise<SignedIn>;
    /** Returns the options for `navigator.credentials.get`, as JSON. */
    passkeyOptions(signal?: AbortSignal): Promise<unknown>;
    /** Signs in with a passkey: `credential.toJSON()` of what the browser returned. */
    signInWithPasskey(credential: object, signal?: AbortSignal): Promise<SignedIn>;
    /**
     * Ends the session: at once on this device, then at Hearth. If Hearth can't be reached, it throws
     * although this device is signed out. If the storage can't be changed, the session ends at Hearth
     * before this throws a `StorageError`.
     */
    signOut(signal?: AbortSignal): Promise<void>;
    accessToken(signal?: AbortSignal): Promise<string>;
    replacement(refused: string, signal?: AbortSignal): Promise<string | undefined>;
}
/** Creates the account of this device. */
export declare function createAccount(options: AccountOptions): Account;
