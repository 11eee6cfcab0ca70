// SPDX-License-Identifier: Apache-2.0
// Sockets between a program and the daemon: ancillary data and peer credentials, whose structures and macros Swift
// cannot import.
#pragma once
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

/// The credentials of a peer, laid out as `struct ucred`.
///
/// The C library defines that type only for programs that define `_GNU_SOURCE`.
struct clinux_peer {
    int32_t process;
    uint32_t user;
    uint32_t group;
};

/// Fills in the socket address of a path; returns 0, or -1 if the path is too long.
static inline int clinux_unix_address(const char *path, struct sockaddr_un *address, socklen_t *size) {
    size_t length = strlen(path);
    if (length >= sizeof address->sun_path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memset(address, 0, sizeof *address);
    address->sun_family = AF_UNIX;
    memcpy(address->sun_path, path, length);
    *size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length + 1);
    return 0;
}

/// Sets `SO_PASSCRED` on a listening socket, so that its connections deliver the credentials of each sender.
///
/// If the option were set on a connection after `accept`, bytes sent before would be reported with process ID 0.
static inline int clinux_pass_credentials(int socket) {
    int on = 1;
    return setsockopt(socket, SOL_SOCKET, 16 /* SO_PASSCRED */, &on, sizeof on);
}

/// Creates a socket that listens at a path; returns the socket, or -1 with `errno`.
static inline int clinux_listen(const char *path) {
    struct sockaddr_un address;
    socklen_t size;
    if (clinux_unix_address(path, &address, &size) != 0) return -1;
    int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (listener < 0) return -1;
    if (clinux_pass_credentials(listener) == 0 && bind(listener, (struct sockaddr *)&address, size) == 0 &&
        listen(listener, 4096) == 0)
        return listener;
    int error = errno;
    close(listener);
    errno = error;
    return -1;
}

/// Connects to the socket at a path without blocking; returns the connection, or -1 with `errno`, which is `EAGAIN`
/// if the backlog is full.
static inline int clinux_connect(const char *path) {
    struct sockaddr_un address;
    socklen_t size;
    if (clinux_unix_address(path, &address, &size) != 0) return -1;
    int connection = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (connection < 0) return -1;
    if (connect(connection, (struct sockaddr *)&address, size) == 0) return connection;
    int error = errno;
    close(connection);
    errno = error;
    return -1;
}

/// Accepts a waiting connection; returns its descriptor, or -1 with `errno`.
static inline int clinux_accept(int listener) {
    return (int)syscall(SYS_accept4, listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
}

/// Reads the process ID of the peer, and its effective user and group when it connected or began to listen.
static inline int clinux_peer(int socket, struct clinux_peer *peer) {
    socklen_t size = sizeof *peer;
    return getsockopt(socket, SOL_SOCKET, 17 /* SO_PEERCRED */, peer, &size);
}

/// Reads the security label that the peer had when it connected; returns its length, or -1 with `errno`.
///
/// The error is `ENOPROTOOPT` if no security module reports labels, and `ERANGE` if the label is too long.
static inline ssize_t clinux_peer_label(int socket, void *bytes, size_t count) {
    socklen_t size = (socklen_t)count;
    return getsockopt(socket, SOL_SOCKET, 31 /* SO_PEERSEC */, bytes, &size) == 0 ? (ssize_t)size : -1;
}

/// Returns a pidfd of the process that connected; -1 with `errno` on failure, for example on a kernel older than 6.5.
static inline int clinux_peer_pidfd(int socket) {
    int descriptor = -1;
    socklen_t size = sizeof descriptor;
    if (getsockopt(socket, SOL_SOCKET, 77 /* SO_PEERPIDFD */, &descriptor, &size) != 0) return -1;
    return descriptor;
}

/// Returns a pidfd of the process with an ID; -1 with `errno` on failure.
static inline int clinux_pidfd_open(int process) { return (int)syscall(434 /* pidfd_open */, process, 0); }

/// Sends a signal to the process of a pidfd; returns 0, or -1 with `errno`.
///
/// Signal 0 only checks that the process exists, even as a zombie.
static inline int clinux_pidfd_signal(int descriptor, int signal) {
    return (int)syscall(424 /* pidfd_send_signal */, descriptor, signal, NULL, 0);
}

/// Returns whether the process of a pidfd exists, even as a zombie.
///
/// Without `CAP_KILL`, the kernel answers `EPERM` for an existing process of another user.
static inline int clinux_pidfd_exists(int descriptor) {
    return clinux_pidfd_signal(descriptor, 0) == 0 || errno == EPERM;
}

/// Reaps the child of a pidfd if it has ended; returns 1 if so, 0 if it runs, or -1 with `errno`.
///
/// `status` is that of `waitpid`. The error is `ECHILD` if another part of this process has reaped the child.
static inline int clinux_pidfd_reap(int descriptor, int *status) {
    siginfo_t ended;
    ended.si_pid = 0;
    if (waitid((idtype_t)3 /* P_PIDFD */, (id_t)descriptor, &ended, WEXITED | WNOHANG) != 0) return -1;
    if (ended.si_pid == 0) return 0;
    *status = ended.si_code == CLD_EXITED ? ended.si_status << 8 : ended.si_status;
    return 1;
}

/// Receives bytes, and stores the ID of the process that sent them, or 0 if the kernel reports none.
///
/// Returns the number of bytes, or -1 with `errno`. If the sender has passed file descriptors (`SCM_RIGHTS`), they
/// are closed and the call fails with `EPROTO`. One call never returns bytes of two senders, because the kernel does
/// not merge them.
static inline ssize_t clinux_receive(int socket, void *buffer, size_t count, int32_t *sender) {
    union {
        struct cmsghdr header;
        char bytes[512];
    } control;
    struct iovec part = {.iov_base = buffer, .iov_len = count};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    *sender = 0;
    ssize_t received = recvmsg(socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (received < 0) return received;
    int unwanted = (message.msg_flags & MSG_CTRUNC) != 0;
    for (struct cmsghdr *entry = CMSG_FIRSTHDR(&message); entry; entry = CMSG_NXTHDR(&message, entry)) {
        if (entry->cmsg_level != SOL_SOCKET) continue;
        if (entry->cmsg_type == 2 /* SCM_CREDENTIALS */) {
            memcpy(sender, CMSG_DATA(entry), sizeof *sender);
        } else if (entry->cmsg_type == SCM_RIGHTS) {
            size_t descriptors = (entry->cmsg_len - CMSG_LEN(0)) / sizeof(int);
            for (size_t index = 0; index < descriptors; index++) {
                int descriptor;
                memcpy(&descriptor, CMSG_DATA(entry) + index * sizeof descriptor, sizeof descriptor);
                close(descriptor);
            }
            unwanted = 1;
        }
    }
    if (unwanted) {
        errno = EPROTO;
        return -1;
    }
    return received;
}

/// Sends bytes and a descriptor; returns the number of bytes, or -1 with `errno`.
///
/// If `descriptor` is -1, only the bytes are sent.
static inline ssize_t clinux_send_descriptor(int socket, const void *bytes, size_t count, int descriptor) {
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control;
    memset(&control, 0, sizeof control);
    struct iovec part = {.iov_base = (void *)bytes, .iov_len = count};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (descriptor >= 0) {
        message.msg_control = &control;
        message.msg_controllen = sizeof control;
        control.header.cmsg_level = SOL_SOCKET;
        control.header.cmsg_type = SCM_RIGHTS;
        control.header.cmsg_len = CMSG_LEN(sizeof descriptor);
        memcpy(CMSG_DATA(&control.header), &descriptor, sizeof descriptor);
    }
    return sendmsg(socket, &message, MSG_NOSIGNAL);
}

/// Waits for bytes and a descriptor; returns the number of bytes, or -1 with `errno`.
///
/// `descriptor` is set to -1 if the sender has passed none.
static inline ssize_t clinux_receive_descriptor(int socket, void *bytes, size_t count, int *descriptor) {
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control;
    struct iovec part = {.iov_base = bytes, .iov_len = count};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    *descriptor = -1;
    ssize_t received = recvmsg(socket, &message, MSG_WAITALL | MSG_CMSG_CLOEXEC);
    struct cmsghdr *entry = received < 0 ? NULL : CMSG_FIRSTHDR(&message);
    if (entry && entry->cmsg_level == SOL_SOCKET && entry->cmsg_type == SCM_RIGHTS)
        memcpy(descriptor, CMSG_DATA(entry), sizeof *descriptor);
    return received;
}

/// Changes this process permanently to another user with one group; returns 0, or -1 with `errno`.
static inline int clinux_become(uint32_t user, uint32_t group) {
    extern int setgroups(size_t count, const gid_t *groups);
    extern int setresgid(gid_t real, gid_t effective, gid_t saved);
    extern int setresuid(uid_t real, uid_t effective, uid_t saved);
    if (setgroups(0, NULL) != 0 || setresgid(group, group, group) != 0) return -1;
    return setresuid(user, user, user);
}

/// Gives up all capabilities except `CAP_SYS_PTRACE` and `CAP_DAC_READ_SEARCH`, of which it keeps those that it has.
///
/// Also becomes another user with one group, unless the user is root. A process that stays root's can still change
/// root's files. No capability returns, not even by starting a program.
///
/// Returns null, or the name of the step that failed, with `errno`.
static inline const char *clinux_keep_reading(uint32_t user, uint32_t group) {
    // Without CAP_SETPCAP, the bounding set stays; PR_SET_NO_NEW_PRIVS makes it ineffective.
    for (int capability = 0; prctl(PR_CAPBSET_READ, capability, 0, 0, 0) >= 0; capability += 1)
        if (prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0 && errno != EPERM) return "PR_CAPBSET_DROP";
    if (user != 0 && prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) != 0) return "PR_SET_KEEPCAPS";
    if (user != 0 && clinux_become(user, group) != 0) return "setresuid";
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct rights[_LINUX_CAPABILITY_U32S_3] = {{0, 0, 0}, {0, 0, 0}};
    if (syscall(SYS_capget, &header, rights) != 0) return "capget";
    uint32_t kept = rights[0].permitted & (1u << CAP_SYS_PTRACE | 1u << CAP_DAC_READ_SEARCH);
    memset(rights, 0, sizeof rights);
    rights[0].permitted = rights[0].effective = kept;
    if (syscall(SYS_capset, &header, rights) != 0) return "capset";
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 ? NULL : "PR_SET_NO_NEW_PRIVS";
}

/// Sends bytes without blocking, and without a SIGPIPE if the connection is closed.
static inline ssize_t clinux_send(int socket, const void *bytes, size_t count) {
    return send(socket, bytes, count, MSG_DONTWAIT | MSG_NOSIGNAL);
}

/// Sends a state to systemd's notification socket, as `sd_notify` does; returns 0, or -1 on failure.
///
/// A path that starts with `@` names an abstract socket.
static inline int clinux_notify(const char *path, const char *state) {
    struct sockaddr_un address;
    socklen_t size;
    if (clinux_unix_address(path, &address, &size) != 0) return -1;
    if (path[0] == '@') {
        address.sun_path[0] = 0;
        size -= 1;
    }
    int channel = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (channel < 0) return -1;
    ssize_t sent = sendto(channel, state, strlen(state), MSG_NOSIGNAL, (struct sockaddr *)&address, size);
    close(channel);
    return sent < 0 ? -1 : 0;
}

/// Whether a descriptor is a listening Unix socket, such as the one that systemd passes.
static inline int clinux_is_listening(int descriptor) {
    int value = 0;
    socklen_t size = sizeof value;
    struct sockaddr_un address;
    socklen_t length = sizeof address;
    return getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &value, &size) == 0 && value &&
           getsockname(descriptor, (struct sockaddr *)&address, &length) == 0 && address.sun_family == AF_UNIX;
}

/// Adds, changes or removes a descriptor of an epoll instance; its events contain the descriptor's number.
static inline int clinux_epoll_change(int epoll, int operation, int descriptor, uint32_t events) {
    struct epoll_event event = {.events = events, .data = {.fd = descriptor}};
    return epoll_ctl(epoll, operation, descriptor, &event);
}

/// Waits until descriptors of an epoll instance are ready, and stores the numbers of at most 64 of them.
///
/// Returns how many were stored: 0 after the timeout in milliseconds, or -1 with `errno`.
static inline int clinux_epoll_wait(int epoll, int32_t *ready, int count, int timeout) {
    struct epoll_event events[64];
    int found = epoll_wait(epoll, events, count < 64 ? count : 64, timeout);
    for (int index = 0; index < found; index++) ready[index] = events[index].data.fd;
    return found;
}

/// Creates a descriptor that is readable when SIGTERM, SIGINT or SIGHUP arrives; -1 with `errno` on failure.
///
/// Blocks these signals in this thread, and thus in the threads that it creates later.
static inline int clinux_signals(void) {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGHUP);
    if (sigprocmask(SIG_BLOCK, &signals, NULL) != 0) return -1;
    return signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
}

/// Reads the next signal from a descriptor of `clinux_signals`; returns 0 if no signal is pending.
static inline int clinux_next_signal(int descriptor) {
    struct signalfd_siginfo signal;
    return read(descriptor, &signal, sizeof signal) == sizeof signal ? (int)signal.ssi_signo : 0;
}

extern unsigned long getauxval(unsigned long type);

/// Whether the kernel gave this program more rights than its user has, for example as a set-group-ID program.
///
/// The user has chosen the environment of such a program, so the program must not trust it.
static inline int clinux_is_secure_execution(void) { return getauxval(23 /* AT_SECURE */) != 0; }
