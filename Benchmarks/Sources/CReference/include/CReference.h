// SPDX-License-Identifier: Apache-2.0
//
// The C reference, with which the figures are compared: a store with SQLite and one AES-256-GCM box per item.
//
// It is a table with a UNIQUE (service, account) index. Attributes are in plaintext; OpenSSL seals the secret with a reused
// key schedule and the account as associated data. The database uses WAL and synchronous=FULL, commits each write durably
// and checkpoints every 250 pages. Statements are reused, values are bound and read in place, and no call
// allocates memory, apart from SQLite. Compiled with -DSQLCIPHER, the same source is the second reference: SQLCipher with
// a raw key and its default checkpoints, which encrypts pages instead of secrets.
#pragma once

#include <stdint.h>

typedef struct reference_store reference_store;

/// Opens the store in a directory, or creates it; NULL on any failure.
reference_store *reference_open(const char *directory);
void reference_close(reference_store *store);

/// Adds the items [first, end) in one transaction; returns nanoseconds, or -1 after a failure.
int64_t reference_fill(reference_store *store, long first, long end);
/// Copies the log into the database and empties the log; returns 0 on success.
int reference_checkpoint(reference_store *store);

// Each `reference_time_` function returns the nanoseconds that `count` operations took, or -1 if one failed:
// processor time of the thread for reads and lists, wall time for writes.

/// Reads secrets by service and account; consecutive reads are of items far apart, among the items [0, items).
int64_t reference_time_reads(reference_store *store, long first, long count, long items);
/// Adds the items [first, first + count), each in a durable transaction of its own.
int64_t reference_time_adds(reference_store *store, long first, long count);
/// Replaces secrets among the items [0, items), each in a durable transaction of its own.
int64_t reference_time_updates(reference_store *store, long first, long count, long items);
/// Reads the attributes of all items, `count` times; fails if their number is not `items`.
int64_t reference_time_list(reference_store *store, long count, long items);
/// Reads until the clock passes `end`; returns the number of reads, or -1 if one failed.
int64_t reference_reads_until(reference_store *store, int64_t end, long first, long items);

// The items: ten accounts share a service; each secret is a string of 32 bytes.

#define REFERENCE_SECRET 32

void reference_service(char out[40], long item);
void reference_account(char out[40], long item);
void reference_label(char out[40], long item);
void reference_secret(uint8_t out[REFERENCE_SECRET], long item, long version);

/// The time of a monotonic clock in nanoseconds.
int64_t reference_now(void);
/// The processor time of this thread in nanoseconds.
int64_t reference_processor_time(void);
/// Runs a program and returns the nanoseconds until it exits; -1 if it failed.
///
/// `input` is written to the program's standard input; NULL for none.
int64_t reference_spawn(const char *path, char *const arguments[], char *const environment[], const char *input);
/// Starts `securityd --user` with a runtime directory and a store, and waits for its first line of output.
///
/// Without a store, starts `securityd --system`, whose files are in the runtime directory.
///
/// Returns the process ID, or -1 if it failed.
int reference_spawn_daemon(const char *path, const char *runtime, const char *store);
/// Allows this thread and a process to run on the first processor only, or on all processors.
void reference_pin(int process, int only_first);
