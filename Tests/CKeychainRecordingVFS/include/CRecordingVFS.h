// SPDX-License-Identifier: Apache-2.0
//
// A SQLite VFS that records disk operations, injects failures, and reconstructs possible disk contents after
// a power loss.
//
// Modeled:
// - A write or truncate is durable once its file was synced afterwards. Until then, each one independently
//   may be applied, missing, or (for a write) applied partially, in sectors of 512 bytes, in any order.
// - A new file is durable once it was synced (common file systems guarantee that, although POSIX does not);
//   until then it may be missing completely. A deletion is durable once the directory was synced, at SQLite's
//   request or with the first sync of a journal or write-ahead log, as in the Unix VFS.
// - A failed sync loses the writes it should have made durable: no later sync of the file makes them durable.
//   (On Linux, pages are marked clean after the error.)
// Not modeled:
// - Changed bytes outside a write (SQLite assumes "powersafe overwrite"), and garbage in sectors.
// - The shared-memory file, which the first process after a crash rebuilds from the write-ahead log.
// - Files that SQLite does not access, such as keys and locks; the test copies them.
//
// A recorder is for one database. Recording starts when its files are first opened; their contents at that
// time are durable. All functions are thread-safe, except that a replay must be used by one thread only.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct crv_recorder crv_recorder;

/// Registers a VFS with this name on top of the default one; NULL if out of memory.
crv_recorder *crv_register(const char *name);
/// Unregisters the VFS and frees its recording; all files and replays must be closed.
void crv_unregister(crv_recorder *recorder);

/// Records that all operations up to this number have been acknowledged to the caller.
void crv_mark(crv_recorder *recorder, uint64_t operation);
/// The number of recorded entries.
size_t crv_length(crv_recorder *recorder);
/// The number of recorded syncs of the main database file; every checkpoint has at least one.
size_t crv_database_syncs(crv_recorder *recorder);
/// The number of recorded syncs of the write-ahead log and the journal.
size_t crv_log_syncs(crv_recorder *recorder);
/// The number of bytes that SQLite has read from the database, its write-ahead log and its journal.
uint64_t crv_bytes_read(crv_recorder *recorder);

enum { CRV_READ = 1, CRV_WRITE = 2, CRV_TRUNCATE = 4, CRV_SYNC = 8 };

/// Makes the nth call (counted from 1) of these kinds fail with a SQLite result code, or all calls from the nth
/// on.
///
/// With nth = 0 no call fails. Restarts the count.
void crv_fail(crv_recorder *recorder, unsigned kinds, uint64_t nth, int code, bool all_from_there);
/// The number of calls of the kinds passed to crv_fail since then, including failed ones.
uint64_t crv_calls(crv_recorder *recorder);

/// The outcome of a power loss for the calls that no sync has made durable.
typedef enum {
    CRV_DROPPED, // none of them reached the disk
    CRV_KEPT,    // all of them did
    CRV_MIXED,   // each was independently dropped, kept or torn
} crv_fate;

typedef struct crv_replay crv_replay;

/// Starts a replay with the initial disk contents.
///
/// If syncs are not honoured, no call becomes durable.
crv_replay *crv_replay_begin(crv_recorder *recorder, bool honouring_syncs);
void crv_replay_end(crv_replay *replay);
/// Applies the next recorded entry; returns false after the last one.
bool crv_replay_advance(crv_replay *replay);
/// The number of the last operation acknowledged so far; 0 if none was.
uint64_t crv_replay_acknowledged(const crv_replay *replay);
/// The number of calls that no sync has made durable.
size_t crv_replay_uncertain(const crv_replay *replay);
/// Writes the files to a directory as they would be on disk after a power loss now.
///
/// Returns 0 or an errno.
int crv_replay_write(const crv_replay *replay, const char *directory, crv_fate fate, uint64_t seed);
