// SPDX-License-Identifier: Apache-2.0
// System interfaces that Swift cannot import: system calls without a libc wrapper, variadic functions, macros, and
// declarations that require _GNU_SOURCE.
#pragma once
#include <errno.h>
#include <fcntl.h>
#include <linux/keyctl.h>
#include <linux/stat.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <spawn.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <pthread.h>
#include <time.h>
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

/// The identity, type, owner and mode of a file.
struct clinux_file {
    uint64_t device;
    uint64_t inode;
    uint32_t mode;
    uint32_t owner;
};

/// Reads the status of a file in a directory, or of `directory` if the name is empty.
///
/// Returns 0, or -1 with `errno`. `statx` is not asked for timestamps: since Linux 6.13, the kernel gives a file
/// whose timestamps were read a fine-grained time at the next write. The next `fdatasync` then also writes the inode,
/// and takes 1.5 times as long.
static inline int clinux_identify(int directory, const char *name, int flags, struct clinux_file *file) {
#ifdef SYS_statx
    struct statx known;
    unsigned wanted = STATX_TYPE | STATX_MODE | STATX_UID | STATX_INO;
    int result = syscall(SYS_statx, directory, name, flags | 0x1000 /* AT_EMPTY_PATH */, wanted, &known);
    if (result == 0) {
        *file = (struct clinux_file){.device = (uint64_t)known.stx_dev_major << 32 | known.stx_dev_minor,
                                     .inode = known.stx_ino,
                                     .mode = known.stx_mode,
                                     .owner = known.stx_uid};
        return 0;
    }
    // Continue with `fstatat` on old kernels, which lack `statx`, and under old seccomp filters, which reject it.
    if (errno != ENOSYS && errno != EPERM) return -1;
#endif
    struct stat status;
    if ((*name ? fstatat(directory, name, &status, flags) : fstat(directory, &status)) != 0) return -1;
    *file = (struct clinux_file){
        .device = status.st_dev, .inode = status.st_ino, .mode = status.st_mode, .owner = status.st_uid};
    return 0;
}

/// The status of an open executable: its identity, its times, and properties of its file system.
struct clinux_executable {
    uint64_t device;
    uint64_t inode;
    uint64_t size;
    /// The times of the last changes of the contents and of the inode, in nanoseconds.
    int64_t modified;
    int64_t changed;
    uint32_t mode;
    uint32_t owner;
    uint32_t group;
    uint32_t links;
    uint64_t file_system;
    /// Whether the file system is mounted with `nosuid`.
    uint32_t ignores_set_id;
};

/// Reads the status of an open file and of its file system; returns 0, or -1 with `errno`.
static inline int clinux_examine_executable(int file, struct clinux_executable *executable) {
    struct stat status;
    struct statfs system;
    if (fstat(file, &status) != 0 || fstatfs(file, &system) != 0) return -1;
    *executable = (struct clinux_executable){
        .device = status.st_dev,
        .inode = status.st_ino,
        .size = (uint64_t)status.st_size,
        .modified = (int64_t)status.st_mtim.tv_sec * 1000000000 + status.st_mtim.tv_nsec,
        .changed = (int64_t)status.st_ctim.tv_sec * 1000000000 + status.st_ctim.tv_nsec,
        .mode = status.st_mode,
        .owner = status.st_uid,
        .group = status.st_gid,
        .links = (uint32_t)status.st_nlink,
        .file_system = (uint32_t)system.f_type,
        .ignores_set_id = (system.f_flags & 2 /* ST_NOSUID */) != 0};
    return 0;
}

/// The identity of a directory, and the time of its last change: of the names in it, its owner or its mode.
struct clinux_directory {
    uint64_t device;
    uint64_t inode;
    int64_t seconds;
    uint32_t nanoseconds;
    /// Whether the time is so long ago that the next change of the directory must have a later time.
    uint32_t is_settled;
};

/// Reads the status of the directory to which a path leads; returns 0, or -1 if there is no directory or the system
/// does not report all fields.
static inline int clinux_identify_directory(const char *path, struct clinux_directory *directory) {
#ifdef SYS_statx
    struct statx known;
    struct timespec now;
    // The clock of file times advances every few milliseconds, so two changes within that time have the same time.
    clock_gettime(CLOCK_REALTIME_COARSE, &now);
    unsigned wanted = STATX_TYPE | STATX_INO | STATX_CTIME;
    if (syscall(SYS_statx, AT_FDCWD, path, 0, wanted, &known) != 0 || (known.stx_mask & wanted) != wanted) return -1;
    int64_t age = (now.tv_sec - known.stx_ctime.tv_sec) * 1000000000 + now.tv_nsec - known.stx_ctime.tv_nsec;
    // Some file systems store times in units of 1 or 2 seconds. If the fraction is 0, this may be one of them, and the
    // time must be more than 2.05 s ago; otherwise, more than 50 ms.
    int64_t step = known.stx_ctime.tv_nsec == 0 ? 2050000000 : 50000000;
    *directory = (struct clinux_directory){.device = (uint64_t)known.stx_dev_major << 32 | known.stx_dev_minor,
                                           .inode = known.stx_ino,
                                           .seconds = known.stx_ctime.tv_sec,
                                           .nanoseconds = known.stx_ctime.tv_nsec,
                                           .is_settled = age > step};
    return 0;
#else
    return -1;
#endif
}

/// The C library declares this function only for programs that define `_GNU_SOURCE`.
extern int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int from);

/// Closes all descriptors from `from` upward in the spawned program.
static inline int clinux_spawn_close_from(posix_spawn_file_actions_t *actions, int from) {
    return posix_spawn_file_actions_addclosefrom_np(actions, from);
}

/// The flag that starts a program in a session of its own.
///
/// The C library defines it only for programs that define `_GNU_SOURCE`.
enum { clinux_spawn_new_session = 0x80 /* POSIX_SPAWN_SETSID */ };

/// Creates an empty file in memory, which has no name in any directory; -1 with `errno` on failure.
static inline int clinux_memory_file(const char *name) {
    return (int)syscall(SYS_memfd_create, name, 1U /* MFD_CLOEXEC */);
}

/// Opens a file without a name in a directory (O_TMPFILE); -1 with `errno` on failure, for example if the file system
/// does not support it.
static inline int clinux_unnamed_file(const char *directory, mode_t mode) {
    return open(directory, 020000000 /* __O_TMPFILE */ | O_DIRECTORY | O_WRONLY | O_CLOEXEC, mode);
}

/// Renames a file unless the new name exists (RENAME_NOREPLACE); -1 with `errno` if the file was not renamed.
static inline int clinux_rename_to_new(const char *from, const char *to) {
    return (int)syscall(SYS_renameat2, -100 /* AT_FDCWD */, from, -100, to, 1U);
}

/// Exchanges two directories in one step (RENAME_EXCHANGE); -1 with `errno` on failure.
static inline int clinux_exchange(const char *first, const char *second) {
    return (int)syscall(SYS_renameat2, -100 /* AT_FDCWD */, first, -100, second, 2U);
}

/// A symbol that only KeychainTesting defines; null if KeychainTesting is not linked.
extern void keychain_testing_is_linked(void) __attribute__((weak));

/// Whether KeychainTesting is linked; if so, the user's own keychain must not be used.
static inline int clinux_testing_is_linked(void) { return keychain_testing_is_linked != NULL; }

/// Returns a pointer to this thread's slot number: the index of the slot in a session pool that the thread used last.
///
/// The number is 0 until the caller sets it.
static inline unsigned *_Nonnull clinux_thread_slot(void) {
    static _Thread_local unsigned slot;
    return &slot;
}

/// The number of processors that this thread may use; 1 if unknown. Unlike `sysconf`, the call reads no file.
static inline int clinux_processors(void) {
    unsigned long mask[16] = {0};
    long count = syscall(SYS_sched_getaffinity, 0, sizeof mask, mask), processors = 0;
    for (unsigned index = 0; count > 0 && index < sizeof mask / sizeof *mask; index++)
        processors += __builtin_popcountl(mask[index]);
    return processors > 0 ? (int)processors : 1;
}

/// The C library declares this function only for programs that define `_GNU_SOURCE`.
extern int ppoll(struct pollfd *files, nfds_t count, const struct timespec *timeout, const sigset_t *mask);

/// Waits until a file is readable; returns a negative number on an error.
///
/// `mask` contains the signals that are blocked while waiting, or is null to keep the present mask. The handler of
/// any other signal ends the wait with an error.
static inline int clinux_wait_for_input(int file, const sigset_t *mask) {
    struct pollfd waited = {.fd = file, .events = POLLIN};
    return ppoll(&waited, 1, NULL, mask);
}

// File and terminal queries of the command-line tool. They are written in C, because in a static build clang may find
// `struct stat` in a module of CoreFoundation, and Swift then rejects its members.

/// Whether an open file is regular, belongs to this user, and is inaccessible to other users.
static inline int clinux_is_private_file(int file) {
    struct stat status;
    return fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == geteuid() &&
           (status.st_mode & 077) == 0;
}

/// Whether a path names a file that is not regular, such as a terminal, a pipe or a symbolic link.
static inline int clinux_is_special_file(const char *path) {
    struct stat status;
    return lstat(path, &status) == 0 && !S_ISREG(status.st_mode);
}

/// The width of a terminal in columns; 0 if it is unknown or the file is not a terminal.
static inline int clinux_terminal_columns(int file) {
    struct winsize size;
    return ioctl(file, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

/// The user keyring, which all sessions of a user share.
static inline int32_t clinux_user_keyring(void) { return KEY_SPEC_USER_KEYRING; }

/// Reserves space for a part of a file without changing the file's size; returns 0 or an error code.
static inline int clinux_reserve(int file, off_t start, off_t count) {
    return syscall(SYS_fallocate, file, 1 /* FALLOC_FL_KEEP_SIZE */, start, count) == 0 ? 0 : errno;
}

/// Whether an open file is on a file system in memory; 0 also if the file system cannot be determined.
static inline int clinux_is_in_memory(int file) {
    struct statfs status;
    if (fstatfs(file, &status) != 0) return 0;
    return status.f_type == 0x01021994 /* tmpfs */ || status.f_type == 0x858458f6 /* ramfs */;
}

/// Opens `/dev/null` for each closed standard descriptor, so that reading input and writing output fail with `EBADF`.
///
/// Without this call, the next file that the process opens would have this descriptor, and the process would write its
/// output to that file.
static inline void clinux_reserve_standard_descriptors(void) {
    for (int descriptor = 0; descriptor <= 2; descriptor++) {
        if (fcntl(descriptor, F_GETFD) >= 0) continue;
        // The kernel returns the lowest free descriptor, which is `descriptor`.
        open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    }
}

/// Disables core dumps of this process and `ptrace` by other programs of the user; returns 0, or another number on
/// failure.
static inline int clinux_forbid_dumps(void) {
    struct rlimit none = {0, 0};
    return setrlimit(RLIMIT_CORE, &none) | prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

/// Sets the soft limit of the size of core files; returns 0, or -1 with `errno`.
static inline int clinux_limit_core_files(rlim_t limit) {
    struct rlimit limits;
    if (getrlimit(RLIMIT_CORE, &limits) < 0) return -1;
    limits.rlim_cur = limit;
    return setrlimit(RLIMIT_CORE, &limits);
}

/// Disables core dumps as `clinux_forbid_dumps` does, but keeps the hard limit, so that the former soft limit, which
/// `limit` receives, can be restored for another program; returns 0, or another number on failure.
static inline int clinux_forbid_dumps_before_exec(rlim_t *limit) {
    struct rlimit limits = {0, 0};
    int result = getrlimit(RLIMIT_CORE, &limits);
    *limit = limits.rlim_cur;
    return result | clinux_limit_core_files(0) | prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

/// Sets the real and the saved group to the effective group; returns 0, or -1 with `errno`.
static inline int clinux_keep_effective_group(void) {
    extern int setresgid(gid_t real, gid_t effective, gid_t saved);
    return setresgid(getegid(), getegid(), getegid());
}

static inline void clinux_close_from(int first) {
    extern void closefrom(int);
    closefrom(first);
}

static inline void clinux_clear_environment(void) {
    extern int clearenv(void);
    clearenv();
}

/// The `fcntl` commands for open file description locks.
///
/// The C library defines them only for programs that define `_GNU_SOURCE`.
enum { clinux_set_lock = 37 /* F_OFD_SETLK */, clinux_get_lock = 36 /* F_OFD_GETLK */ };

/// Locks a mutex; returns 0, or an error code, for example if another thread still holds it at the deadline.
///
/// The deadline is a time of `CLOCK_MONOTONIC` in milliseconds.
static inline int clinux_lock_until(pthread_mutex_t *mutex, uint64_t milliseconds) {
    extern int pthread_mutex_clocklock(pthread_mutex_t *, clockid_t, const struct timespec *);
    struct timespec end = {.tv_sec = (time_t)(milliseconds / 1000), .tv_nsec = (long)(milliseconds % 1000) * 1000000};
    return pthread_mutex_clocklock(mutex, CLOCK_MONOTONIC, &end);
}

