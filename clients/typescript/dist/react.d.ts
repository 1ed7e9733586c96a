import type { Account, AccountState } from "./account.js";
import type { EntityValues, FamilyStore } from "./store.js";
/** The functions of React that the hooks use: pass `React` itself, of any version with hooks. */
export interface ReactHooks {
    useState<Value>(initial: Value): [Value, (value: Value) => void];
    useEffect(effect: () => void | (() => void), dependencies: readonly unknown[]): void;
}
/** Outcome of a call that a component shows. */
export interface Loaded<Value> {
    readonly value: Value | undefined;
    readonly error: unknown;
    readonly isLoading: boolean;
}
/** Returns hooks for React, or for a library with the same hooks. */
export declare function createHooks(react: ReactHooks): {
    /** Returns the sign-in state. */
    useAccount: (account: Account) => AccountState;
    /**
     * Returns the values of a kind in a store, with queued changes applied. The list is the same
     * object until something changes, so effects can depend on it.
     */
    useEntities: <Kind extends keyof EntityValues>(store: FamilyStore, kind: Kind, familyId?: string) => readonly EntityValues[Kind][];
    /**
     * Calls `load` when the component appears and when `dependencies` change. Until it ends, the
     * value of the load before is kept.
     */
    useLoaded<Value>(load: (signal: AbortSignal) => Promise<Value>, dependencies: readonly unknown[]): Loaded<Value>;
};
