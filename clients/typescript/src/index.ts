// Everything that the package exports, except the hooks for React (`react.ts`).

export * from "./api.js";
export {
  HearthError, isRefusal, NetworkError, QueueFullError, Refusal, SignedOutError,
  SignInFailedError, StorageError, UnexpectedResponse,
} from "./errors.js";
export type { NextStep, RefusalCodeOf } from "./errors.js";
export type { RetryPolicy } from "./timing.js";
export { createHearth, Hearth } from "./client.js";
export type {
  BaseOptions, CallOptions, ConditionalOptions, Credentials, HeaderOptions, HearthOptions,
  NotModified, RefusedResult, RequestOf, ResponseOf, Result, SuccessOf,
} from "./client.js";
export { Account, createAccount, memoryStorage } from "./account.js";
export type {
  AccountOptions, AccountState, KeyValueStorage, PendingSignIn, ProviderToken,
} from "./account.js";
export { createHearthServer, HearthServer } from "./server.js";
export type { HearthServerOptions, ServerRequestOf } from "./server.js";
export { live } from "./live.js";
export type { LiveEvent, LiveOptions } from "./live.js";
export { FamilyStore, memoryBackend, openStore } from "./store.js";
export type {
  Conflict, Effect, Entity, EntityKind, EntityValues, QueueableOperation, QueuedChange,
  StoreBackend, StoreWrite,
} from "./store.js";
export { indexedDBBackend } from "./indexeddb.js";
export { sync, syncOnce } from "./sync.js";
export type { SyncMode, SyncOptions } from "./sync.js";
