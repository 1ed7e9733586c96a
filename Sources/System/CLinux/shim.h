#pragma once
#include <pthread.h>
#include <spawn.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>

// What glibc declares only to those who ask for GNU extensions.
extern int accept4(int listener, struct sockaddr *address, socklen_t *length, int flags);
extern int pthread_setname_np(pthread_t thread, const char *name);
extern int posix_spawn_file_actions_addchdir_np(
    posix_spawn_file_actions_t *actions, const char *path);
extern int posix_spawn_file_actions_addclosefrom_np(
    posix_spawn_file_actions_t *actions, int from);
extern int sched_getaffinity(pid_t process, size_t size, void *set);
extern int sched_getcpu(void);

// A stream of the C library whose bytes go to a function. The names are ours, since glibc declares
// fopencookie and its structure only to those who ask for GNU extensions.
#include <stdio.h>
#include <sys/types.h>

struct clinux_stream_functions {
    ssize_t (*read)(void *context, char *bytes, size_t count);
    ssize_t (*write)(void *context, const char *bytes, size_t count);
    int (*seek)(void *context, void *offset, int whence);
    int (*close)(void *context);
};

extern FILE *clinux_open_stream(
    void *context, const char *mode, struct clinux_stream_functions functions)
    __asm__("fopencookie");

// Gives what C code prints to `stderr` to a function instead, a line at least at a time. Returns 0, or
// -1 where there is no memory. Whoever writes to descriptor 2 itself is not concerned.
static inline int clinux_take_standard_error(
    ssize_t (*write)(void *context, const char *bytes, size_t count), void *context) {
    struct clinux_stream_functions functions = {NULL, write, NULL, NULL};
    FILE *stream = clinux_open_stream(context, "w", functions);
    if (stream == NULL) return -1;
    setvbuf(stream, NULL, _IOLBF, 4096);
    // glibc: standard streams are variables that a program may set.
    stderr = stream;
    return 0;
}
