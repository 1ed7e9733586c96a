#pragma once
#include <microhttpd.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

// MHD_start_daemon takes its options as variable arguments, which Swift can't pass.

// A daemon without threads and without a listening socket, for one connection that is added to it.
static inline struct MHD_Daemon *hearth_start_single(
    size_t memory_bytes, void *context, MHD_AccessHandlerCallback access,
    void *(*begin)(void *, const char *, struct MHD_Connection *),
    MHD_RequestCompletedCallback completed, MHD_NotifyConnectionCallback connection,
    size_t (*unescape)(void *, struct MHD_Connection *, char *)) {
    return MHD_start_daemon(
        MHD_USE_EPOLL | MHD_USE_NO_LISTEN_SOCKET, 0, NULL, NULL, access, context,
        MHD_OPTION_CONNECTION_LIMIT, 1u, MHD_OPTION_CONNECTION_MEMORY_LIMIT, memory_bytes,
        MHD_OPTION_CONNECTION_TIMEOUT, 0u, MHD_OPTION_NONCE_NC_SIZE, 0u,
        MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_URI_LOG_CALLBACK, begin, context,
        MHD_OPTION_NOTIFY_COMPLETED, completed, context, MHD_OPTION_NOTIFY_CONNECTION, connection,
        context, MHD_OPTION_UNESCAPE_CALLBACK, unescape, context, MHD_OPTION_END);
}

// The daemon's epoll descriptor, or -1.
static inline int hearth_epoll_descriptor(struct MHD_Daemon *daemon) {
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD);
    return info == NULL ? -1 : info->epoll_fd;
}

// Whether the daemon's connection has more to do at once, without waiting for its socket.
static inline int hearth_has_pending(struct MHD_Daemon *daemon) {
    unsigned MHD_LONG_LONG milliseconds = 0;
    return MHD_get_timeout(daemon, &milliseconds) == MHD_YES && milliseconds == 0;
}

// What glibc declares only to those who ask for GNU extensions.
extern int accept4(int listener, struct sockaddr *address, socklen_t *length, int flags);
extern int pthread_setname_np(pthread_t thread, const char *name);
