// SPDX-License-Identifier: Apache-2.0
// What Swift cannot import from sqlite3.h: variadic functions and casting macros; and what a code of the system says.
#pragma once
#include <errno.h>
#include <sqlite3.h>
#include <stddef.h>

static inline int csqlite_db_config(sqlite3 *database, int option, int value, int *result) {
    return sqlite3_db_config(database, option, value, result);
}

// Whether the system's error behind the last one of a connection says that the disk or the user's share is full.
static inline int csqlite_lacks_room(sqlite3 *database) {
    int error = sqlite3_system_errno(database);
    return error == ENOSPC || error == EDQUOT;
}

// The start of the index of a connection's log, in memory that the connections of all processes share, or NULL.
// SQLite has mapped it since the connection read for the first time, and keeps it mapped until the connection is closed.
static inline const void *csqlite_log_index(sqlite3 *database) {
    sqlite3_file *file = NULL;
    void volatile *start = NULL;
    if (sqlite3_file_control(database, "main", SQLITE_FCNTL_FILE_POINTER, &file) != SQLITE_OK || file == NULL) return NULL;
    if (file->pMethods == NULL || file->pMethods->iVersion < 2 || file->pMethods->xShmMap == NULL) return NULL;
    if (file->pMethods->xShmMap(file, 0, 32 * 1024, 0, &start) != SQLITE_OK) return NULL;
    return (const void *)start;
}

static inline sqlite3_destructor_type csqlite_transient(void) { return SQLITE_TRANSIENT; }
static inline sqlite3_destructor_type csqlite_static(void) { return SQLITE_STATIC; }
