import type { StoreBackend } from "./store.js";
/** Returns a backend in the browser's IndexedDB, which the tabs of a browser share. */
export declare function indexedDBBackend(name: string): StoreBackend;
