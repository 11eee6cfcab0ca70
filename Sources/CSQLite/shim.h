// SPDX-License-Identifier: Apache-2.0
// What Swift cannot import from sqlite3.h: variadic functions and casting macros, and nothing else.
#pragma once
#include <sqlite3.h>

static inline int csqlite_db_config(sqlite3 *database, int option, int value, int *result) {
    return sqlite3_db_config(database, option, value, result);
}

static inline sqlite3_destructor_type csqlite_transient(void) { return SQLITE_TRANSIENT; }
static inline sqlite3_destructor_type csqlite_static(void) { return SQLITE_STATIC; }
