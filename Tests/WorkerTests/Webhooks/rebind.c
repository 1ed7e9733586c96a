// A resolver for the name rebind.test, loaded before the system's. Every second answer, beginning
// with the first, is a public address (of AS112, which absorbs unwanted queries); the others are
// this machine. REBIND_LOG names a file that gets a line for each answer.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <netdb.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int (*lookup)(const char *, const char *, const struct addrinfo *, struct addrinfo **);

int getaddrinfo(const char *node, const char *service, const struct addrinfo *hints,
                struct addrinfo **found) {
    static atomic_int looks;
    lookup original = (lookup)dlsym(RTLD_NEXT, "getaddrinfo");
    if (!node || strcmp(node, "rebind.test")) return original(node, service, hints, found);
    int is_public = atomic_fetch_add(&looks, 1) % 2 == 0;
    const char *path = getenv("REBIND_LOG");
    FILE *log = path ? fopen(path, "a") : NULL;
    if (log) {
        fprintf(log, "%s\n", is_public ? "public" : "loopback");
        fclose(log);
    }
    struct addrinfo wanted = {.ai_socktype = SOCK_STREAM, .ai_family = AF_INET};
    return original(is_public ? "192.31.196.1" : "127.0.0.1", service, &wanted, found);
}
