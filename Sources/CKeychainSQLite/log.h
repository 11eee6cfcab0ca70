// SPDX-License-Identifier: Apache-2.0
// VFS methods that combine a connection's writes to the write-ahead log, usually to one call for each commit.
//
// SQLite writes each frame in two calls, its header and its page, so adding an item takes twelve calls. These methods
// buffer consecutive writes until the buffer is full, or until SQLite syncs, reads, measures or truncates the log.
// Buffering is safe, because the connection uses `synchronous=FULL`: SQLite then reports a commit only after it has
// synced the log.
#pragma once
#include <sqlite3.h>

typedef struct {
    sqlite3_io_methods methods; // the first member: SQLite's pointer to it is also a pointer to this structure
    const sqlite3_io_methods *original;
    int keeps_blocks;
    int count; // the number of buffered bytes
    sqlite3_int64 offset; // the offset in the log at which the buffered bytes begin
    unsigned char waiting[16 * (4096 + 24)]; // room for 16 frames, each a header of 24 bytes and a page
} csqlite_log;

static inline csqlite_log *csqlite_log_of(sqlite3_file *file) { return (csqlite_log *)file->pMethods; }

static inline int csqlite_log_flush(sqlite3_file *file) {
    csqlite_log *log = csqlite_log_of(file);
    int count = log->count;
    log->count = 0;
    return count ? log->original->xWrite(file, log->waiting, count, log->offset) : SQLITE_OK;
}

static inline int csqlite_log_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
    csqlite_log *log = csqlite_log_of(file);
    int fits = count <= (int)sizeof log->waiting - log->count;
    if (!fits || offset != log->offset + log->count) {
        int code = csqlite_log_flush(file);
        if (code != SQLITE_OK) return code;
        if (count > (int)sizeof log->waiting) return log->original->xWrite(file, bytes, count, offset);
        log->offset = offset;
    }
    __builtin_memcpy(log->waiting + log->count, bytes, (size_t)count);
    log->count += count;
    return SQLITE_OK;
}

static inline int csqlite_log_sync(sqlite3_file *file, int flags) {
    int code = csqlite_log_flush(file);
    return code != SQLITE_OK ? code : csqlite_log_of(file)->original->xSync(file, flags);
}

static inline int csqlite_log_read(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
    int code = csqlite_log_flush(file);
    return code != SQLITE_OK ? code : csqlite_log_of(file)->original->xRead(file, bytes, count, offset);
}

static inline int csqlite_log_size(sqlite3_file *file, sqlite3_int64 *size) {
    int code = csqlite_log_flush(file);
    return code != SQLITE_OK ? code : csqlite_log_of(file)->original->xFileSize(file, size);
}

// Truncates the log. With `keeps_blocks`, a truncation to size 0 only overwrites the log's header with zeros, which
// marks the log as empty. The file keeps its disk blocks: syncing them later takes a third of the time of new blocks.
static inline int csqlite_log_truncate(sqlite3_file *file, sqlite3_int64 size) {
    static const unsigned char header[32];
    csqlite_log *log = csqlite_log_of(file);
    int code = csqlite_log_flush(file);
    if (code != SQLITE_OK) return code;
    if (size == 0 && log->keeps_blocks) return log->original->xWrite(file, header, sizeof header, 0);
    return log->original->xTruncate(file, size);
}

static inline int csqlite_log_close(sqlite3_file *file) {
    csqlite_log *log = csqlite_log_of(file);
    file->pMethods = log->original;
    sqlite3_free(log);
    return file->pMethods->xClose(file);
}

// Installs the methods above on the open log of a connection, and returns their state.
// `known` is the result of the previous call; it is returned again while the same log is open. Returns NULL if no log
// is open, because the connection has not read yet, or if there is no memory.
static inline csqlite_log *csqlite_log_prepare(sqlite3 *database, csqlite_log *known) {
    sqlite3_file *file = NULL;
    if (sqlite3_file_control(database, "main", SQLITE_FCNTL_JOURNAL_POINTER, &file) != SQLITE_OK || file == NULL) return NULL;
    if (known != NULL && file->pMethods == &known->methods) return known;
    if (file->pMethods == NULL) return NULL;
    csqlite_log *log = sqlite3_malloc64(sizeof *log);
    if (log == NULL) return NULL;
    log->methods = *file->pMethods;
    log->original = file->pMethods;
    log->keeps_blocks = log->count = 0;
    log->offset = 0;
    log->methods.xWrite = csqlite_log_write;
    log->methods.xSync = csqlite_log_sync;
    log->methods.xRead = csqlite_log_read;
    log->methods.xFileSize = csqlite_log_size;
    log->methods.xTruncate = csqlite_log_truncate;
    log->methods.xClose = csqlite_log_close;
    file->pMethods = &log->methods;
    return log;
}

// Discards the buffered writes of an aborted transaction, because writing them later could overwrite the writes of
// other processes.
static inline void csqlite_log_discard(csqlite_log *log) { log->count = 0; }

// Sets whether the log file keeps its disk blocks when SQLite truncates it to size 0.
static inline void csqlite_log_keep_blocks(csqlite_log *log, int keeps) { log->keeps_blocks = keeps; }
