import type { Account, AccountState } from "./account.js";
import type { Entity, EntityKind, EntityValues, FamilyStore } from "./store.js";

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
export function createHooks(react: ReactHooks) {
  /** Renders again whenever `subscribe` calls, and returns what `read` returns. */
  function useSubscription<Value>(
    subscribe: (listener: () => void) => () => void, read: () => Value, key: unknown
  ): Value {
    const [, setCount] = react.useState<object>({});
    react.useEffect(() => {
      const stop = subscribe(() => setCount({}));
      // Something may have changed between rendering and subscribing.
      setCount({});
      return stop;
    }, [key]);
    return read();
  }
  /** Values of each list of entities: the same objects as long as the list is the same. */
  const lists = new WeakMap<object, readonly unknown[]>();
  function valuesOf<Kind extends EntityKind>(
    list: readonly Entity<Kind>[]
  ): readonly EntityValues[Kind][] {
    const values = lists.get(list) ?? list.map((entity) => entity.value);
    lists.set(list, values);
    return values as readonly EntityValues[Kind][];
  }
  return {
    /** Returns the sign-in state. */
    useAccount: (account: Account): AccountState =>
      useSubscription((listener) => account.subscribe(listener), () => account.state, account),

    /**
     * Returns the values of a kind in a store, with queued changes applied. The list is the same
     * object until something changes, so effects can depend on it.
     */
    useEntities: <Kind extends EntityKind>(
      store: FamilyStore, kind: Kind, familyId?: string
    ): readonly EntityValues[Kind][] =>
      useSubscription((listener) => store.subscribe(listener),
        () => valuesOf(store.entities(kind, familyId)), store),

    /**
     * Calls `load` when the component appears and when `dependencies` change. Until it ends, the
     * value of the load before is kept.
     */
    useLoaded<Value>(
      load: (signal: AbortSignal) => Promise<Value>, dependencies: readonly unknown[]
    ): Loaded<Value> {
      const [loaded, set] = react.useState<Loaded<Value>>(
        { value: undefined, error: undefined, isLoading: true });
      react.useEffect(() => {
        const controller = new AbortController();
        set({ value: loaded.value, error: undefined, isLoading: true });
        // An earlier load may end after a later one, whose outcome must stay.
        const show = (ended: Loaded<Value>) => {
          if (!controller.signal.aborted) set(ended);
        };
        load(controller.signal).then(
          (value) => show({ value, error: undefined, isLoading: false }),
          (error) => show({ value: undefined, error, isLoading: false }));
        return () => controller.abort();
      }, dependencies);
      return loaded;
    },
  };
}
