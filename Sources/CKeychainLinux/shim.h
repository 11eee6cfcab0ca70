// SPDX-License-Identifier: Apache-2.0
// What Swift cannot import from Linux's headers: calls of the keyring, which the C library has no names for, functions with
// any number of arguments, and masks and structures that are macros.
#pragma once
#include <linux/keyctl.h>
#include <linux/stat.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <spawn.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <unistd.h>

static inline long clinux_add_key(const char *type, const char *description, const void *payload, size_t count,
                                  int32_t keyring) {
    return syscall(SYS_add_key, type, description, payload, count, keyring);
}

static inline long clinux_search_keyring(int32_t keyring, const char *type, const char *description) {
    return syscall(SYS_keyctl, KEYCTL_SEARCH, keyring, type, description, 0);
}

static inline long clinux_read_key(int32_t key, void *buffer, size_t count) {
    return syscall(SYS_keyctl, KEYCTL_READ, key, buffer, count);
}

static inline long clinux_set_key_permissions(int32_t key, uint32_t permissions) {
    return syscall(SYS_keyctl, KEYCTL_SETPERM, key, permissions);
}

static inline long clinux_set_key_timeout(int32_t key, unsigned seconds) {
    return syscall(SYS_keyctl, KEYCTL_SET_TIMEOUT, key, seconds);
}

static inline long clinux_unlink_key(int32_t key, int32_t keyring) {
    return syscall(SYS_keyctl, KEYCTL_UNLINK, key, keyring);
}

static inline long clinux_revoke_key(int32_t key) { return syscall(SYS_keyctl, KEYCTL_REVOKE, key); }

static inline long clinux_describe_key(int32_t key, void *buffer, size_t count) {
    return syscall(SYS_keyctl, KEYCTL_DESCRIBE, key, buffer, count);
}

static inline long clinux_keyring_identifier(int32_t keyring) {
    return syscall(SYS_keyctl, KEYCTL_GET_KEYRING_ID, keyring, 1);
}

/// What tells a file from all others, and who may use it.
struct clinux_file {
    uint64_t device;
    uint64_t inode;
    uint32_t mode;
    uint32_t owner;
};

/// Looks at the file of a name in a directory, or at `directory` itself if the name is empty; 0, or -1 with `errno`.
///
/// Does not ask for the times of the file: from 6.13 on, the kernel gives a file whose times were asked for a time of its
/// own at the next write, and `fdatasync` then writes the inode as well, which takes half as long again.
static inline int clinux_identify(int directory, const char *name, int flags, struct clinux_file *file) {
#ifdef SYS_statx
    struct statx known;
    unsigned wanted = STATX_TYPE | STATX_MODE | STATX_UID | STATX_INO;
    if (syscall(SYS_statx, directory, name, flags | 0x1000 /* AT_EMPTY_PATH */, wanted, &known) == 0) {
        *file = (struct clinux_file){.device = (uint64_t)known.stx_dev_major << 32 | known.stx_dev_minor,
                                     .inode = known.stx_ino,
                                     .mode = known.stx_mode,
                                     .owner = known.stx_uid};
        return 0;
    }
#endif
    // Old filters of system calls refuse the call above.
    struct stat status;
    if ((*name ? fstatat(directory, name, &status, flags) : fstat(directory, &status)) != 0) return -1;
    *file = (struct clinux_file){
        .device = status.st_dev, .inode = status.st_ino, .mode = status.st_mode, .owner = status.st_uid};
    return 0;
}

/// The C library hides it from programs that ask for no more than a standard.
extern int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int from);

/// Has a program that is started inherit no file from a number upward.
static inline int clinux_spawn_close_from(posix_spawn_file_actions_t *actions, int from) {
    return posix_spawn_file_actions_addclosefrom_np(actions, from);
}

/// Defined by KeychainTesting alone; without it the address is null.
extern void keychain_testing_is_linked(void) __attribute__((weak));

/// Whether the program is linked with KeychainTesting, and so must not reach the keychain of the user.
static inline int clinux_testing_is_linked(void) { return keychain_testing_is_linked != NULL; }

/// A small number that no other thread of the process has; the first thread that asks gets 0.
static inline unsigned clinux_thread_number(void) {
    static _Atomic unsigned count;
    static _Thread_local unsigned number;
    if (number == 0) number = ++count;
    return number - 1;
}

/// The C library hides it as well.
extern int ppoll(struct pollfd *files, nfds_t count, const struct timespec *timeout, const sigset_t *mask);

/// Waits until a file can be read; negative on an error, which a signal is that comes and that the mask lets through.
static inline int clinux_wait_for_input(int file, const sigset_t *mask) {
    struct pollfd waited = {.fd = file, .events = POLLIN};
    return ppoll(&waited, 1, NULL, mask);
}

// What the command asks about files and terminals. In a static build clang finds `struct stat` in a module of
// CoreFoundation, depending on what it compiled before, and Swift refuses its members.

/// Whether an open file is a regular one that belongs to this user and is closed to others.
static inline int clinux_is_private_file(int file) {
    struct stat status;
    return fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == geteuid() &&
           (status.st_mode & 077) == 0;
}

/// Whether a path leads to something that is no regular file, such as a terminal or a pipe.
static inline int clinux_is_special_file(const char *path) {
    struct stat status;
    return lstat(path, &status) == 0 && !S_ISREG(status.st_mode);
}

/// The columns of a terminal; 0 if the file is none.
static inline int clinux_terminal_columns(int file) {
    struct winsize size;
    return ioctl(file, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

/// The keyring that every process of a user reaches, whatever its session.
static inline int32_t clinux_user_keyring(void) { return KEY_SPEC_USER_KEYRING; }

/// Whether what an open file stands on is memory; 0 also where the system does not say.
static inline int clinux_is_in_memory(int file) {
    struct statfs status;
    if (fstatfs(file, &status) != 0) return 0;
    return status.f_type == 0x01021994 /* tmpfs */ || status.f_type == 0x858458f6 /* ramfs */;
}

/// Keeps other programs of the user from reading the memory of this one, and the system from dumping it.
static inline int clinux_forbid_dumps(void) {
    struct rlimit none = {0, 0};
    return setrlimit(RLIMIT_CORE, &none) | prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

/// The commands of `fcntl` for open file description locks, which the C library hides, too.
enum { clinux_set_lock = 37 /* F_OFD_SETLK */, clinux_get_lock = 36 /* F_OFD_GETLK */ };
