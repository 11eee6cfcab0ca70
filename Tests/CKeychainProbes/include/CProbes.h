// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <stddef.h>
#include <stdint.h>

/// Makes keyring system calls fail from now on, like a container's seccomp filter. Returns 0, or -1 with
/// errno.
int refuse_keyrings(int error);

/// Makes adding keys fail from now on, as if the quota were exhausted. Returns 0, or -1 with errno.
int refuse_new_keys(int error);

/// Permanently changes the user of this process. Requires root. Returns 0, or -1 with errno.
int become_user(uint32_t user);

/// Adds keys of decreasing size to the user's keyring until the kernel refuses, and returns that error.
int fill_key_quota(void);

/// Removes every key of the user's keyring. Returns 0, or -1 with errno.
int clear_user_keyring(void);

/// Gives this process a new session keyring, like a program started by cron or a new login. Returns 0, or -1
/// with errno.
int join_new_session(void);

/// Counts the occurrences of each of several consecutive byte strings of equal length in the writable memory
/// of this process. They are passed inverted, so that the argument is not counted. Returns 0, or -1 if the
/// memory cannot be read.
int count_in_memory(const uint8_t *inverted, size_t count, size_t needles, int *found);
