// SPDX-License-Identifier: Apache-2.0
#include "CReference.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#ifdef SQLCIPHER
#define SQLITE_HAS_CODEC 1
#include <sqlcipher/sqlite3.h>
#else
#include "box.h"
#include <sqlite3.h>
#endif

struct reference_store {
    sqlite3 *database;
    sqlite3_stmt *find, *add, *update, *list;
#ifndef SQLCIPHER
    struct box box;
#endif
};

static int run(reference_store *store, const char *sql) {
    return sqlite3_exec(store->database, sql, NULL, NULL, NULL) == SQLITE_OK;
}

static int prepare(reference_store *store, const char *sql, sqlite3_stmt **statement) {
    return sqlite3_prepare_v2(store->database, sql, -1, statement, NULL) == SQLITE_OK;
}

// SQLite's own busy handler sleeps for up to 100 ms, but a commit takes only a fraction of a millisecond.
static int wait_for_writer(void *unused, int tries) {
    (void)unused;
    usleep(100 + (unsigned)(tries * 37) % 200);
    return tries < 100000;
}

static int configure(reference_store *store) {
    // Set before any statement, because processes that open the database at the same time wait for each other's
    // recovery.
    sqlite3_busy_handler(store->database, wait_for_writer, NULL);
#ifdef SQLCIPHER
    if (!run(store, "PRAGMA key = \"x'000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f'\"")) return 0;
#else
    int keep = 1;
    if (!box_start(&store->box)) return 0;
    sqlite3_file_control(store->database, "main", SQLITE_FCNTL_PERSIST_WAL, &keep);
    // Checkpoints after 250 pages keep the write-ahead log short. SQLite then overwrites it in place, so that
    // fdatasync need not write a new file size to the journal of the file system.
    if (!run(store, "PRAGMA mmap_size = 268435456; PRAGMA cache_size = -16384; PRAGMA wal_autocheckpoint = 250"))
        return 0;
#endif
    return run(store, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL") &&
           run(store, "CREATE TABLE IF NOT EXISTS item(id INTEGER PRIMARY KEY, service TEXT NOT NULL,"
                      " account TEXT NOT NULL, label TEXT, created INTEGER, modified INTEGER, secret BLOB NOT NULL,"
                      " UNIQUE(service, account))") &&
           prepare(store, "SELECT secret FROM item WHERE service = ?1 AND account = ?2", &store->find) &&
           prepare(store,
                   "INSERT INTO item(service, account, label, created, modified, secret)"
                   " VALUES(?1, ?2, ?3, ?4, ?4, ?5)",
                   &store->add) &&
           prepare(store, "UPDATE item SET modified = ?4, secret = ?5 WHERE service = ?1 AND account = ?2",
                   &store->update) &&
           prepare(store, "SELECT service, account, label, created, modified FROM item", &store->list);
}

reference_store *reference_open(const char *directory) {
    char path[4096];
    reference_store *store = calloc(1, sizeof *store);
    if (!store) return NULL;
    snprintf(path, sizeof path, "%s/reference.db", directory);
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
    if (sqlite3_open_v2(path, &store->database, flags, NULL) != SQLITE_OK || !configure(store)) {
        reference_close(store);
        return NULL;
    }
    return store;
}

void reference_close(reference_store *store) {
    sqlite3_finalize(store->find);
    sqlite3_finalize(store->add);
    sqlite3_finalize(store->update);
    sqlite3_finalize(store->list);
    sqlite3_close(store->database);
#ifndef SQLCIPHER
    box_end(&store->box);
#endif
    free(store);
}

int reference_checkpoint(reference_store *store) { return !run(store, "PRAGMA wal_checkpoint(TRUNCATE)"); }

struct item {
    char service[40], account[40], label[40];
    uint8_t secret[REFERENCE_SECRET];
};

static void name_item(struct item *item, long number) {
    reference_service(item->service, number);
    reference_account(item->account, number);
}

/// Maps consecutive numbers to items that are far apart in the index.
static long scatter(long number, long items) { return (long)((unsigned long)number * 7919 % (unsigned long)items); }

static int write_item(reference_store *store, sqlite3_stmt *statement, struct item *item) {
    uint8_t sealed[REFERENCE_SECRET + 64];
#ifdef SQLCIPHER
    int length = REFERENCE_SECRET;
    memcpy(sealed, item->secret, REFERENCE_SECRET);
#else
    int length = REFERENCE_SECRET + BOX_OVERHEAD;
    if (!box_seal(&store->box, sealed, item->secret, REFERENCE_SECRET, item->account)) return 0;
#endif
    sqlite3_bind_text(statement, 1, item->service, -1, SQLITE_STATIC);
    sqlite3_bind_text(statement, 2, item->account, -1, SQLITE_STATIC);
    if (statement == store->add) sqlite3_bind_text(statement, 3, item->label, -1, SQLITE_STATIC);
    sqlite3_bind_int64(statement, 4, time(NULL));
    sqlite3_bind_blob(statement, 5, sealed, length, SQLITE_STATIC);
    int done = sqlite3_step(statement) == SQLITE_DONE;
    sqlite3_reset(statement);
    return done && sqlite3_changes(store->database) == 1;
}

static int add_item(reference_store *store, long number) {
    struct item item;
    name_item(&item, number);
    reference_label(item.label, number);
    reference_secret(item.secret, number, 0);
    return write_item(store, store->add, &item);
}

static int read_item(reference_store *store, long number) {
    struct item item;
    int length = -1;
    name_item(&item, number);
    sqlite3_bind_text(store->find, 1, item.service, -1, SQLITE_STATIC);
    sqlite3_bind_text(store->find, 2, item.account, -1, SQLITE_STATIC);
    if (sqlite3_step(store->find) == SQLITE_ROW) {
        length = sqlite3_column_bytes(store->find, 0);
        const void *sealed = sqlite3_column_blob(store->find, 0);
#ifdef SQLCIPHER
        if (length == REFERENCE_SECRET) memcpy(item.secret, sealed, REFERENCE_SECRET);
#else
        if (length == REFERENCE_SECRET + BOX_OVERHEAD)
            length = box_open(&store->box, item.secret, sealed, length, item.account);
#endif
    }
    sqlite3_reset(store->find);
    return length == REFERENCE_SECRET;
}

int64_t reference_fill(reference_store *store, long first, long end) {
    int64_t start = reference_now();
    if (!run(store, "BEGIN IMMEDIATE")) return -1;
    for (long number = first; number < end; number++)
        if (!add_item(store, number)) return -1;
    return run(store, "COMMIT") ? reference_now() - start : -1;
}

int64_t reference_time_reads(reference_store *store, long first, long count, long items) {
    int64_t start = reference_processor_time();
    for (long number = first; number < first + count; number++)
        if (!read_item(store, scatter(number, items))) return -1;
    return reference_processor_time() - start;
}

int64_t reference_reads_until(reference_store *store, int64_t end, long first, long items) {
    int64_t count = 0;
    for (; reference_now() < end; count++)
        if (!read_item(store, scatter(first + count, items))) return -1;
    return count;
}

int64_t reference_time_adds(reference_store *store, long first, long count) {
    int64_t start = reference_now();
    for (long number = first; number < first + count; number++)
        if (!add_item(store, number)) return -1;
    return reference_now() - start;
}

int64_t reference_time_updates(reference_store *store, long first, long count, long items) {
    int64_t start = reference_now();
    for (long number = first; number < first + count; number++) {
        struct item item;
        name_item(&item, scatter(number, items));
        reference_secret(item.secret, scatter(number, items), number + 1);
        if (!write_item(store, store->update, &item)) return -1;
    }
    return reference_now() - start;
}

int64_t reference_time_list(reference_store *store, long count, long items) {
    int64_t start = reference_processor_time();
    for (long round = 0; round < count; round++) {
        long found = 0;
        while (sqlite3_step(store->list) == SQLITE_ROW) {
            char copy[256];
            for (int column = 0, used = 0; column < 3; column++) {
                int length = sqlite3_column_bytes(store->list, column);
                if (used + length > (int)sizeof copy) return -1;
                memcpy(copy + used, sqlite3_column_text(store->list, column), (size_t)length);
                used += length;
            }
            if (sqlite3_column_int64(store->list, 3) > sqlite3_column_int64(store->list, 4)) return -1;
            found++;
        }
        sqlite3_reset(store->list);
        if (found != items) return -1;
    }
    return reference_processor_time() - start;
}
