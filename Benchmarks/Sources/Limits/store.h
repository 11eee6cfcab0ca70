// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "Limits.h"
#include "seal.h"

#include <sqlite3.h>

enum { MAXIMUM = 4096, GROUP = 16, ITEM = 16, PADDING = 32 };

struct limit_store {
    sqlite3 *database;
    sqlite3_stmt *begin, *commit, *find, *insert, *update, *list;
    int lock;
    unsigned char store[16], group[GROUP];
    mac index;
    sealer sealer;
};
