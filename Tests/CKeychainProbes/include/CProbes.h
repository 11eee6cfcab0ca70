// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <stddef.h>
#include <stdint.h>

/// Lets the kernel refuse the calls for its keyrings from now on, as the filters of containers do.
/// Returns 0, or -1 with errno.
int refuse_keyrings(int error);

/// The same for new keys alone, as where a quota is used up. Answers 0, or -1.
int refuse_new_keys(int error);

/// Makes this process one of another user, for good. Returns 0, or -1 with errno; only root can.
int become_user(uint32_t user);

/// Adds keys that no keychain made to the user's keyring until the kernel refuses one, in steps of some bytes.
/// Returns the error with which the kernel refused the last.
int fill_key_quota(void);

/// Removes every key of the user's keyring. Returns 0, or -1 with errno.
int clear_user_keyring(void);

/// Gives this process a session keyring of its own, as a program started by cron or a new login has.
/// Returns 0, or -1 with errno.
int join_new_session(void);

/// How often each of some strings of bytes, which are of one length and follow each other, stands in the writable memory
/// of this process; they are given with every bit inverted, so that the question is not itself an answer. Returns 0, or -1
/// where the memory cannot be read.
int count_in_memory(const uint8_t *inverted, size_t count, size_t needles, int *found);
