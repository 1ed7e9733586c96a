#include "counters.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

// The C library's own functions, under names that remain when the usual ones are replaced.
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static _Thread_local unsigned long allocations;

unsigned long counters_allocations(void) { return allocations; }

#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
// A sanitizer replaces the functions below itself, and calls this one each time it gives memory.
__attribute__((disable_sanitizer_instrumentation))
void __sanitizer_malloc_hook(const volatile void *memory, size_t size) {
    allocations++;
}
#else
void *malloc(size_t size) {
    allocations++;
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    allocations++;
    return __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size) {
    allocations++;
    return __libc_realloc(memory, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    allocations++;
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
    allocations++;
    void *found = __libc_memalign(alignment, size);
    if (found == NULL) return ENOMEM;
    *memory = found;
    return 0;
}
#endif

int counters_open_instructions(void) {
    struct perf_event_attr event;
    memset(&event, 0, sizeof event);
    event.type = PERF_TYPE_HARDWARE;
    event.size = sizeof event;
    event.config = PERF_COUNT_HW_INSTRUCTIONS;
    event.exclude_kernel = 1;
    event.exclude_hv = 1;
    return (int)syscall(SYS_perf_event_open, &event, 0, -1, -1, 0);
}
