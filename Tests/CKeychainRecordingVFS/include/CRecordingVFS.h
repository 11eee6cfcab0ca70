// SPDX-License-Identifier: Apache-2.0
//
// A SQLite VFS that writes down what is asked of the disk, fails calls on demand, and rebuilds the disk as a power
// cut could have left it.
//
// Modelled:
// - A write or truncate is certain once its own file was synced after it. Until then each one by itself may be
//   there, be missing, or (a write) be there in part, by whole sectors of 512 bytes. Any order is possible.
// - A new file is certain once it was synced (common file systems do so, though POSIX does not promise it); until
//   then it may be missing as a whole. A deletion is certain once the directory was synced: by SQLite's wish, or
//   with the first sync of a journal or write-ahead log, as the Unix VFS does; until then it may not have happened.
// - A failed sync loses what it should have made certain: no later sync of the file makes those writes certain.
//   (So Linux does it: the pages are clean after the error.)
// Not modelled:
// - Bytes outside a write never change (SQLite calls it "powersafe overwrite"), and sectors are never garbage.
// - The shared-memory file: it is rebuilt from the log by the first process after a crash.
// - Files that do not go through SQLite: keys, locks. The test copies them itself.
//
// One recorder serves one database. Recording begins when its files are first opened: what they hold then is
// certain. All functions may be called from any thread; a replay belongs to one thread.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct crv_recorder crv_recorder;

/// Registers a VFS of this name in front of the default one; NULL if there is no memory.
crv_recorder *crv_register(const char *name);
/// Takes the VFS away and frees its record; no file may be open and no replay may be left.
void crv_unregister(crv_recorder *recorder);

/// Writes down that operations up to this number have been acknowledged.
void crv_mark(crv_recorder *recorder, uint64_t operation);
/// The number of entries written down.
size_t crv_length(crv_recorder *recorder);
/// The number of syncs of the main database among them: checkpoints have at least one.
size_t crv_database_syncs(crv_recorder *recorder);
/// The number of bytes that SQLite has read from the database, its log and its journal.
uint64_t crv_bytes_read(crv_recorder *recorder);

enum { CRV_READ = 1, CRV_WRITE = 2, CRV_TRUNCATE = 4, CRV_SYNC = 8 };

/// Lets the nth call (from 1) of these kinds fail with a result code of SQLite: that one, or all from there on.
/// 0 lets nothing fail and counts. Counting starts anew.
void crv_fail(crv_recorder *recorder, unsigned kinds, uint64_t nth, int code, bool all_from_there);
/// The number of calls of those kinds since crv_fail, failed ones included.
uint64_t crv_calls(crv_recorder *recorder);

/// What became of the calls that no sync has made certain.
typedef enum {
    CRV_DROPPED, // none of them reached the disk
    CRV_KEPT,    // all of them did
    CRV_MIXED,   // each by itself was dropped, kept or torn
} crv_fate;

typedef struct crv_replay crv_replay;

/// Begins at the disk as it was found. Without honouring syncs, nothing ever becomes certain: a disk that lies.
crv_replay *crv_replay_begin(crv_recorder *recorder, bool honouring_syncs);
void crv_replay_end(crv_replay *replay);
/// Takes in the next entry; false when there is none.
bool crv_replay_advance(crv_replay *replay);
/// The last operation acknowledged so far, 0 if none.
uint64_t crv_replay_acknowledged(const crv_replay *replay);
/// The number of calls that no sync has made certain.
size_t crv_replay_uncertain(const crv_replay *replay);
/// Writes the files as the disk would hold them into a directory; 0 or an errno.
int crv_replay_write(const crv_replay *replay, const char *directory, crv_fate fate, uint64_t seed);
