// SPDX-License-Identifier: Apache-2.0
// What Swift cannot import from sqlite3.h: variadic functions and casting macros; and what a code of the system says.
#pragma once
#include <errno.h>
#include <sqlite3.h>

static inline int csqlite_db_config(sqlite3 *database, int option, int value, int *result) {
    return sqlite3_db_config(database, option, value, result);
}

// Whether the system's error behind the last one of a connection says that the disk or the user's share is full.
static inline int csqlite_lacks_room(sqlite3 *database) {
    int error = sqlite3_system_errno(database);
    return error == ENOSPC || error == EDQUOT;
}

static inline sqlite3_destructor_type csqlite_transient(void) { return SQLITE_TRANSIENT; }
static inline sqlite3_destructor_type csqlite_static(void) { return SQLITE_STATIC; }
