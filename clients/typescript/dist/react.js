/** Returns hooks for React, or for a library with the same hooks. */
export function createHooks(react) {
    /** Renders again whenever `subscribe` calls, and returns what `read` returns. */
    function useSubscription(subscribe, read, key) {
        const [, setCount] = react.useState({});
        react.useEffect(() => {
            const stop = subscribe(() => setCount({}));
            // Something may have changed between rendering and subscribing.
            setCount({});
            return stop;
        }, [key]);
        return read();
    }
    /** Values of each list of entities: the same objects as long as the list is the same. */
    const lists = new WeakMap();
    function valuesOf(list) {
        const values = lists.get(list) ?? list.map((entity) => entity.value);
        lists.set(list, values);
        return values;
    }
    return {
        /** Returns the sign-in state. */
        useAccount: (account) => useSubscription((listener) => account.subscribe(listener), () => account.state, account),
        /**
         * Returns the values of a kind in a store, with queued changes applied. The list is the same
         * object until something changes, so effects can depend on it.
         */
        useEntities: (store, kind, familyId) => useSubscription((listener) => store.subscribe(listener), () => valuesOf(store.entities(kind, familyId)), store),
        /**
         * Calls `load` when the component appears and when `dependencies` change. Until it ends, the
         * value of the load before is kept.
         */
        useLoaded(load, dependencies) {
            const [loaded, set] = react.useState({ value: undefined, error: undefined, isLoading: true });
            react.useEffect(() => {
                const controller = new AbortController();
                set({ value: loaded.value, error: undefined, isLoading: true });
                // An earlier load may end after a later one, whose outcome must stay.
                const show = (ended) => {
                    if (!controller.signal.aborted)
                        set(ended);
                };
                load(controller.signal).then((value) => show({ value, error: undefined, isLoading: false }), (error) => show({ value: undefined, error, isLoading: false }));
                return () => controller.abort();
            }, dependencies);
            return loaded;
        },
    };
}
