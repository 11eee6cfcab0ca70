// SPDX-License-Identifier: Apache-2.0
//
// The reference for a cold start of the command `security`: a static program that opens the store of the C reference and
// prints one secret, or adds the secret that it reads from standard input. With `time`, it prints the microseconds from
// the start of main until it has read the secret, instead of the secret.
//   cold DIRECTORY SERVICE ACCOUNT [add | time]
#include "../Sources/CReference/box.h"
#include <openssl/crypto.h>
#include <sqlite3.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static double microseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1e6 + now.tv_nsec / 1e3;
}

static int find(sqlite3 *database, struct box *box, char **names, const double *start) {
    sqlite3_stmt *statement;
    uint8_t secret[4096];
    const char *sql = "SELECT secret FROM item WHERE service = ?1 AND account = ?2";
    if (sqlite3_prepare_v2(database, sql, -1, &statement, NULL)) return 5;
    sqlite3_bind_text(statement, 1, names[0], -1, SQLITE_STATIC);
    sqlite3_bind_text(statement, 2, names[1], -1, SQLITE_STATIC);
    if (sqlite3_step(statement) != SQLITE_ROW || sqlite3_column_bytes(statement, 0) > (int)sizeof secret) return 44;
    int length = box_open(box, secret, sqlite3_column_blob(statement, 0), sqlite3_column_bytes(statement, 0), names[1]);
    if (length < 0) return 6;
    if (start) {
        printf("%.1f\n", microseconds() - *start);
    } else if (write(1, secret, (size_t)length) != length) {
        return 6;
    }
    sqlite3_finalize(statement);
    return 0;
}

static int add(sqlite3 *database, struct box *box, char **names) {
    sqlite3_stmt *statement;
    uint8_t secret[4096], sealed[4096 + BOX_OVERHEAD];
    ssize_t length = 0, got;
    while ((got = read(0, secret + length, sizeof secret - (size_t)length)) > 0) length += got;
    const char *sql = "INSERT INTO item(service, account, label, created, modified, secret) VALUES(?1, ?2, ?1, ?3, ?3, ?4)";
    if (sqlite3_exec(database, "PRAGMA synchronous = FULL", NULL, NULL, NULL) ||
        sqlite3_prepare_v2(database, sql, -1, &statement, NULL) ||
        !box_seal(box, sealed, secret, (int)length, names[1]))
        return 5;
    sqlite3_bind_text(statement, 1, names[0], -1, SQLITE_STATIC);
    sqlite3_bind_text(statement, 2, names[1], -1, SQLITE_STATIC);
    sqlite3_bind_int64(statement, 3, time(NULL));
    sqlite3_bind_blob(statement, 4, sealed, (int)length + BOX_OVERHEAD, SQLITE_STATIC);
    if (sqlite3_step(statement) != SQLITE_DONE) return 6;
    sqlite3_finalize(statement);
    return 0;
}

int main(int count, char **arguments) {
    double start = microseconds();
    sqlite3 *database;
    struct box box;
    char path[4096];
    if (count < 4) return 2;
    OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, NULL);
    snprintf(path, sizeof path, "%s/reference.db", arguments[1]);
    if (!box_start(&box) || sqlite3_open_v2(path, &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL)) return 4;
    sqlite3_busy_timeout(database, 10000);
    int adds = count > 4 && !strcmp(arguments[4], "add"), times = count > 4 && !adds;
    int result = adds ? add(database, &box, arguments + 2) : find(database, &box, arguments + 2, times ? &start : NULL);
    sqlite3_close(database);
    return result;
}
