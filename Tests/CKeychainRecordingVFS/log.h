// SPDX-License-Identifier: Apache-2.0
// The entries for disk operations, which the VFS records and the replay reads.
#pragma once

#include "CRecordingVFS.h"

#include <pthread.h>
#include <sqlite3.h>

enum { SECTOR = 512, MAXIMUM_FILES = 4, NAME_SIZE = 64 };

typedef enum { ENTRY_MARK, ENTRY_CREATE, ENTRY_DELETE, ENTRY_WRITE, ENTRY_TRUNCATE, ENTRY_SYNC, ENTRY_FAILED_SYNC } entry_kind;

typedef struct {
    entry_kind kind;
    int file;
    bool directory;  // a deletion or sync that also synced the directory
    uint64_t offset; // or the new size, or the operation that a mark acknowledges
    size_t length;
    unsigned char *bytes;
} log_entry;

typedef struct {
    char name[NAME_SIZE]; // the last component of the path
    bool found;           // existed when it was first opened
    unsigned char *bytes; // the initial contents
    size_t length;
} log_file;

struct crv_recorder {
    sqlite3_vfs vfs;
    sqlite3_vfs *real;
    pthread_mutex_t mutex;
    log_file files[MAXIMUM_FILES];
    int file_count;
    log_entry *entries;
    size_t count, capacity;
    size_t database_syncs, log_syncs;
    uint64_t bytes_read;
    unsigned failing_kinds;
    uint64_t failing_nth, failing_calls;
    int failing_code;
    bool failing_on;
};
