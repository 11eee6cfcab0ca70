// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <stddef.h>
#include <stdint.h>

/// Lets the kernel refuse the calls for its keyrings from now on, as the filters of containers do.
/// Returns 0, or -1 with errno.
int refuse_keyrings(int error);

/// The same for new keys alone, as where a quota is used up. Answers 0, or -1.
int refuse_new_keys(int error);

/// Gives this process a session keyring of its own, as a program started by cron or a new login has.
/// Returns 0, or -1 with errno.
int join_new_session(void);

/// How often some bytes stand in the writable memory of this process; they are given with every bit inverted, so that
/// the question is not itself an answer. Returns -1 where the memory cannot be read.
int count_in_memory(const uint8_t *inverted, size_t count);
