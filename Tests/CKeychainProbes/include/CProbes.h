// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <stddef.h>
#include <stdint.h>

/// Makes all later keyring system calls of this process fail with an error, as a container's seccomp filter
/// may.
///
/// Returns 0, or -1 with errno.
int refuse_keyrings(int error);

/// Makes all later calls that add a key fail with an error, as if the key quota were exhausted.
///
/// Returns 0, or -1 with errno.
int refuse_new_keys(int error);

/// Permanently changes the user and the group of this process to this number. Requires root. Returns 0, or -1 with
/// errno.
int become_user(uint32_t user);

/// Adds keys of decreasing size to the user's keyring until the kernel refuses even a small one; returns that error.
int fill_key_quota(void);

/// Removes every key of the user's keyring. Returns 0, or -1 with errno.
int clear_user_keyring(void);

/// Gives this process a new session keyring, as cron and a new login do for programs.
///
/// Returns 0, or -1 with errno.
int join_new_session(void);

/// Counts the occurrences of byte strings in the writable memory of this process.
///
/// `inverted` has `needles` strings of `count` bytes each, one after another, inverted so that the search does
/// not find the argument; `found` receives the counts. Returns 0, or -1 if the memory cannot be read.
int count_in_memory(const uint8_t *inverted, size_t count, size_t needles, int *found);
