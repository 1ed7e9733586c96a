// Shows the Thread Sanitizer how contended locks of Swift's Mutex order memory.
//
// A free Mutex is locked by code that the compiler inlines into the caller, where the sanitizer
// instruments it. A Mutex that another thread holds is locked by a function of the library
// Synchronization, which is not instrumented: without this file each such lock is reported as a data
// race. scripts/proofs/sanitize loads it before that library.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context))

// _MutexHandle._lockSlow(_: UInt32) and _MutexHandle._unlockSlow().
#define LOCK_SLOW "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK_SLOW "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

// Absent in programs that are not built with the sanitizer.
__attribute__((weak)) void __tsan_acquire(void *address);
__attribute__((weak)) void __tsan_release(void *address);

typedef SWIFT void (*LockSlow)(uint32_t thread, SELF void *handle);
typedef SWIFT void (*UnlockSlow)(SELF void *handle);

static LockSlow real_lock;
static UnlockSlow real_unlock;

__attribute__((constructor)) static void find(void) {
    real_lock = (LockSlow)dlsym(RTLD_NEXT, LOCK_SLOW);
    real_unlock = (UnlockSlow)dlsym(RTLD_NEXT, UNLOCK_SLOW);
}

SWIFT void lock_slow(uint32_t thread, SELF void *handle) __asm__(LOCK_SLOW);
SWIFT void unlock_slow(SELF void *handle) __asm__(UNLOCK_SLOW);

SWIFT void lock_slow(uint32_t thread, SELF void *handle) {
    real_lock(thread, handle);
    if (__tsan_acquire) __tsan_acquire(handle);
}

SWIFT void unlock_slow(SELF void *handle) {
    if (__tsan_release) __tsan_release(handle);
    real_unlock(handle);
}
