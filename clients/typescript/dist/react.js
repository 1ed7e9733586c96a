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
    return {
        /** Returns the sign-in state. */
        useAccount: (account) => useSubscription((listener) => account.subscribe(listener), () => account.state, account),
        /** Returns the values of a kind in a store, with queued changes applied. */
        useEntities: (store, kind, familyId) => useSubscription((listener) => store.subscribe(listener), () => store.entities(kind, familyId).map((entity) => entity.value), store),
        /** Calls `load` when the component appears and when `dependencies` change. */
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
