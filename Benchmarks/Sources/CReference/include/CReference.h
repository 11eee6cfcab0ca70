// SPDX-License-Identifier: Apache-2.0
//
// The C reference, with which every figure is compared: the cost of SQLite and one AES-256-GCM box per item.
//
// A table with a UNIQUE (service, account) index, attributes readable, the secret sealed by OpenSSL with a reused key schedule
// with the account as associated data. WAL, synchronous=FULL, one durable commit per write, a checkpoint every 250 pages.
// Statements are kept, values bound and read in place, nothing is allocated per call. Compiled with -DSQLCIPHER the same
// file is the second reference: SQLCipher with a raw key, which seals pages instead of secrets.
#pragma once

#include <stdint.h>

typedef struct reference_store reference_store;

/// Opens the store in a directory, or creates it; NULL on any failure.
reference_store *reference_open(const char *directory);
void reference_close(reference_store *store);

/// Adds the items [first, end) in one transaction; nanoseconds, or -1.
int64_t reference_fill(reference_store *store, long first, long end);
/// Copies the log into the database and empties it; 0 on success.
int reference_checkpoint(reference_store *store);

// Each returns the nanoseconds of `count` operations, or -1 when one failed. Reads and lists in processor time of the thread,
// writes in wall time.

/// Reads secrets by service and account, far from each other, among the items [0, items).
int64_t reference_time_reads(reference_store *store, long first, long count, long items);
/// Adds the items [first, first + count), each in a durable transaction of its own.
int64_t reference_time_adds(reference_store *store, long first, long count);
/// Replaces secrets among the items [0, items), each in a durable transaction of its own.
int64_t reference_time_updates(reference_store *store, long first, long count, long items);
/// Reads the attributes of every item, of which there must be `items`.
int64_t reference_time_list(reference_store *store, long count, long items);
/// Reads until the clock passes `end`; returns the number of reads, or -1.
int64_t reference_reads_until(reference_store *store, int64_t end, long first, long items);

// The items: ten accounts share a service; the secret of 32 bytes is text.

#define REFERENCE_SECRET 32

void reference_service(char out[40], long item);
void reference_account(char out[40], long item);
void reference_label(char out[40], long item);
void reference_secret(uint8_t out[REFERENCE_SECRET], long item, long version);

/// Nanoseconds of a monotonic clock.
int64_t reference_now(void);
/// Nanoseconds of processor time of this thread.
int64_t reference_processor_time(void);
/// Runs a program and returns the nanoseconds until it exits; -1 if it failed.
///
/// - input: what the program reads from its standard input.
int64_t reference_spawn(const char *path, char *const arguments[], char *const environment[], const char *input);
