// SPDX-License-Identifier: Apache-2.0
// Wrappers of SQLite's variadic functions, casting macros and file methods, which Swift cannot import.
#pragma once
#include <errno.h>
#include <sqlite3.h>
#include <stddef.h>

static inline int csqlite_db_config(sqlite3 *database, int option, int value, int *result) {
    return sqlite3_db_config(database, option, value, result);
}

// Turns off SQLite's memory statistics in this process. This works only before SQLite's first use.
static inline void csqlite_omit_memory_statistics(void) { sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }

// Makes SQLite allocate memory only when it needs it, instead of touching 32 pages of memory when it opens a database. This
// works only before SQLite's first use.
static inline void csqlite_omit_preallocation(void) {
    sqlite3_config(SQLITE_CONFIG_LOOKASIDE, 0, 0);
    sqlite3_config(SQLITE_CONFIG_PAGECACHE, NULL, 0, 0);
}

// Reads the first bytes of an open connection's database file. Sets `is_short` if the file has fewer bytes.
static inline int csqlite_read_header(sqlite3 *database, void *bytes, int count, int *is_short) {
    sqlite3_file *file = NULL;
    int code = sqlite3_file_control(database, "main", SQLITE_FCNTL_FILE_POINTER, &file);
    if (code != SQLITE_OK) return code;
    if (file == NULL || file->pMethods == NULL) return SQLITE_IOERR;
    code = file->pMethods->xRead(file, bytes, count, 0);
    *is_short = code == SQLITE_IOERR_SHORT_READ;
    return *is_short ? SQLITE_OK : code;
}

// Whether the last error of a connection was caused by a full disk or an exhausted quota.
static inline int csqlite_lacks_room(sqlite3 *database) {
    int error = sqlite3_system_errno(database);
    return error == ENOSPC || error == EDQUOT;
}

// Returns the start of the WAL index, in memory that all processes' connections share; NULL if not mapped.
// SQLite maps it when the connection first reads, and unmaps it when the connection is closed.
static inline const void *csqlite_log_index(sqlite3 *database) {
    sqlite3_file *file = NULL;
    void volatile *start = NULL;
    if (sqlite3_file_control(database, "main", SQLITE_FCNTL_FILE_POINTER, &file) != SQLITE_OK || file == NULL) return NULL;
    if (file->pMethods == NULL || file->pMethods->iVersion < 2 || file->pMethods->xShmMap == NULL) return NULL;
    if (file->pMethods->xShmMap(file, 0, 32 * 1024, 0, &start) != SQLITE_OK) return NULL;
    return (const void *)start;
}

// Whether a connection that has just read uses a write-ahead log. SQLite calls both kinds of log a journal, and keeps
// it open after a read only if it is a write-ahead log: a rollback journal is open only during a write.
static inline int csqlite_has_log(sqlite3 *database) {
    sqlite3_file *file = NULL;
    int code = sqlite3_file_control(database, "main", SQLITE_FCNTL_JOURNAL_POINTER, &file);
    return code == SQLITE_OK && file != NULL && file->pMethods != NULL;
}

static inline sqlite3_destructor_type csqlite_transient(void) { return SQLITE_TRANSIENT; }
static inline sqlite3_destructor_type csqlite_static(void) { return SQLITE_STATIC; }
