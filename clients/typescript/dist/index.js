// Everything that the package exports, except the hooks for React (`react.ts`).
export * from "./api.js";
export { HearthError, isRefusal, NetworkError, QueueFullError, Refusal, SignedOutError, SignInFailedError, StorageError, UnexpectedResponse, } from "./errors.js";
export { createHearth, Hearth } from "./client.js";
export { Account, createAccount, memoryStorage } from "./account.js";
export { createHearthServer, HearthServer } from "./server.js";
export { live } from "./live.js";
export { FamilyStore, memoryBackend, openStore } from "./store.js";
export { indexedDBBackend } from "./indexeddb.js";
export { sync, syncOnce } from "./sync.js";
