// SPDX-License-Identifier: Apache-2.0
//
// The physical limit: what a careful C programmer would write for the same protected work, on SQLite and OpenSSL.
//
// Included, as in the keychain:
// - one row per item, found by a keyed digest (HMAC-SHA256) of its identity, which is the only unique column;
// - attributes and secret sealed apart with AES-256-GCM, each under a fresh key from getrandom, which is wrapped under
//   a class key; the context binds store, item, class, version, role and a digest of all clear columns; the sealed
//   attributes hold the hash of the sealed secret; both are padded to 32 bytes;
// - a read opens both, compares service and account, checks the hash and returns the secret;
// - one transaction per write in WAL mode with synchronous=FULL, under a flock; a checkpoint every 250 pages;
// - opening reads the device key, opens the sealed header and unwraps the class key.
// Not included, so the keychain pays for it on top:
// - the index of other attributes (one row per attribute), the set hash of all rows and the sealed generation that
//   changes with every write, access groups beyond one, value conversion, result dictionaries, thread safety.
// Done as C does it best: statements, cipher contexts and inner HMAC states are kept, random bytes are fetched 4 KiB at
// a time, nothing is allocated per call, values are bound and read in place.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct limit_store limit_store;

/// Opens the store in a directory, or makes it; NULL on any failure.
limit_store *limit_open(const char *directory);
void limit_close(limit_store *store);

/// One durable transaction each; 0, or a result code of SQLite.
int limit_add(limit_store *store, const char *service, const char *account, const void *secret, size_t length);
int limit_overwrite(limit_store *store, const char *service, const char *account, const void *secret, size_t length);
/// Adds many in one transaction: only to fill a store. The names are "<prefix><number>".
int limit_fill(limit_store *store, const char *service, const char *prefix, int first, int end);
/// Reads one secret; its length, or -1.
long limit_read(limit_store *store, const char *service, const char *account, void *secret, size_t capacity);
/// Opens and decodes the attributes of all items; their number, or -1. The sum keeps the work from being left out.
long limit_list(limit_store *store, uint64_t *sum);
/// Copies the log into the database, so that its size can be read.
void limit_checkpoint(limit_store *store);

/// Nanoseconds of a clock that only goes forward.
int64_t limit_now(void);
/// Nanoseconds for which this thread has had a processor, in user space and in the system.
int64_t limit_processor_time(void);
/// Forks, starts a program with its output to nowhere and waits for its end; nanoseconds, or -1 if it failed.
int64_t limit_spawn(const char *path, char *const arguments[], char *const environment[]);
