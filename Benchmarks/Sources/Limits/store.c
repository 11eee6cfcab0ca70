// SPDX-License-Identifier: Apache-2.0
#include "store.h"

#include <fcntl.h>
#include <openssl/crypto.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char settings[] =
    "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA wal_autocheckpoint=250; PRAGMA secure_delete=ON;"
    "PRAGMA trusted_schema=OFF; PRAGMA cell_size_check=ON";
static const char schema[] =
    "CREATE TABLE meta (id INTEGER PRIMARY KEY, store BLOB NOT NULL, header BLOB NOT NULL,"
    " keybag BLOB NOT NULL) STRICT;"
    "CREATE TABLE item (id INTEGER PRIMARY KEY, item BLOB NOT NULL, class INTEGER NOT NULL, version INTEGER NOT NULL,"
    " access_group BLOB NOT NULL, protection INTEGER NOT NULL, synchronizable INTEGER NOT NULL,"
    " tombstone INTEGER NOT NULL, identity BLOB NOT NULL UNIQUE, attributes BLOB NOT NULL, secret BLOB) STRICT;";

#define COLUMNS "identity, item, access_group, version, attributes"

// MARK: Opening

static bool device_key(const char *directory, unsigned char key[KEY]) {
    char path[4096];
    snprintf(path, sizeof path, "%s/device.key", directory);
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (file < 0) {
        file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        random_bytes(key, KEY);
        bool written = file >= 0 && write(file, key, KEY) == KEY && fsync(file) == 0;
        close(file);
        return written;
    }
    bool done = read(file, key, KEY) == KEY;
    close(file);
    return done;
}

static void derive(const mac *device, const char *label, const unsigned char store[16], unsigned char key[KEY]) {
    SHA256_CTX hash;
    mac_begin(device, &hash);
    SHA256_Update(&hash, label, strlen(label));
    SHA256_Update(&hash, store, 16);
    SHA256_Update(&hash, "\1", 1);
    mac_end(device, &hash, key);
}

static EVP_CIPHER_CTX *one_time(bool seals) {
    EVP_CIPHER_CTX *cipher = EVP_CIPHER_CTX_new();
    EVP_CipherInit_ex(cipher, EVP_aes_256_gcm(), NULL, NULL, NULL, seals);
    return cipher;
}

/// Makes the header and the class key of a new store.
static bool found(limit_store *s, const mac *device) {
    unsigned char header_key[KEY], keybag_key[KEY], class_key[KEY], header[64] = {1};
    unsigned char sealed_header[NONCE + sizeof header + TAG], keybag[NONCE + KEY + TAG];
    random_bytes(s->store, sizeof s->store);
    random_bytes(class_key, KEY);
    random_bytes(sealed_header, NONCE);
    random_bytes(keybag, NONCE);
    derive(device, "header", s->store, header_key);
    derive(device, "keybag", s->store, keybag_key);
    EVP_CIPHER_CTX *cipher = one_time(true);
    bool done = gcm_seal(cipher, header_key, s->store, 16, sealed_header, header, sizeof header)
        && gcm_seal(cipher, keybag_key, s->store, 16, keybag, class_key, KEY);
    EVP_CIPHER_CTX_free(cipher);
    sqlite3_stmt *statement = NULL;
    done = done && sqlite3_exec(s->database, schema, NULL, NULL, NULL) == SQLITE_OK
        && sqlite3_prepare_v2(s->database, "INSERT INTO meta VALUES (1, ?, ?, ?)", -1, &statement, NULL) == SQLITE_OK;
    if (!done) return false;
    sqlite3_bind_blob(statement, 1, s->store, 16, SQLITE_STATIC);
    sqlite3_bind_blob(statement, 2, sealed_header, sizeof sealed_header, SQLITE_STATIC);
    sqlite3_bind_blob(statement, 3, keybag, sizeof keybag, SQLITE_STATIC);
    done = sqlite3_step(statement) == SQLITE_DONE;
    sqlite3_finalize(statement);
    return done;
}

/// Opens the header and takes the class key from the keybag.
static bool unlock(limit_store *s, const mac *device) {
    sqlite3_stmt *statement = NULL;
    unsigned char key[KEY], class_key[KEY], header[64];
    if (sqlite3_prepare_v2(s->database, "SELECT store, header, keybag FROM meta", -1, &statement, NULL)) return false;
    bool done = sqlite3_step(statement) == SQLITE_ROW && sqlite3_column_bytes(statement, 0) == 16
        && sqlite3_column_bytes(statement, 1) == NONCE + sizeof header + TAG;
    if (done) {
        EVP_CIPHER_CTX *cipher = one_time(false);
        memcpy(s->store, sqlite3_column_blob(statement, 0), 16);
        derive(device, "header", s->store, key);
        done = gcm_open(cipher, key, s->store, 16, sqlite3_column_blob(statement, 1), NONCE + sizeof header + TAG,
                        header);
        derive(device, "keybag", s->store, key);
        done = done && gcm_open(cipher, key, s->store, 16, sqlite3_column_blob(statement, 2), WRAP, class_key)
            && sealer_prepare(&s->sealer, class_key);
        EVP_CIPHER_CTX_free(cipher);
    }
    sqlite3_finalize(statement);
    derive(device, "index", s->store, key);
    mac_prepare(&s->index, key);
    OPENSSL_cleanse(key, sizeof key);
    OPENSSL_cleanse(class_key, sizeof class_key);
    return done;
}

static bool prepare(limit_store *s, const char *sql, sqlite3_stmt **statement) {
    return sqlite3_prepare_v3(s->database, sql, -1, SQLITE_PREPARE_PERSISTENT, statement, NULL) == SQLITE_OK;
}

static bool prepare_all(limit_store *s) {
    return prepare(s, "BEGIN IMMEDIATE", &s->begin) && prepare(s, "COMMIT", &s->commit)
        && prepare(s, "SELECT " COLUMNS ", secret, id FROM item WHERE identity = ?", &s->find)
        && prepare(s, "INSERT INTO item (item, class, version, access_group, protection, synchronizable, tombstone,"
                      " identity, attributes, secret) VALUES (?, 1, ?, ?, 1, 0, 0, ?, ?, ?)", &s->insert)
        && prepare(s, "UPDATE item SET version = ?, attributes = ?, secret = ? WHERE id = ?", &s->update)
        && prepare(s, "SELECT " COLUMNS " FROM item", &s->list);
}

limit_store *limit_open(const char *directory) {
    char path[4096];
    unsigned char key[KEY];
    mac device;
    OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, NULL);
    limit_store *s = calloc(1, sizeof *s);
    if (!s || !device_key(directory, key)) return NULL;
    mac_prepare(&device, key);
    OPENSSL_cleanse(key, sizeof key);
    snprintf(path, sizeof path, "%s/writer.lock", directory);
    s->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    snprintf(path, sizeof path, "%s/limit.db", directory);
    bool exists = access(path, F_OK) == 0;
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
    if (sqlite3_open_v2(path, &s->database, flags, NULL)) return NULL;
    sqlite3_busy_timeout(s->database, 5000);
    sqlite3_db_config(s->database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    sqlite3_exec(s->database, settings, NULL, NULL, NULL);
    bool done = (exists || found(s, &device)) && unlock(s, &device) && prepare_all(s);
    OPENSSL_cleanse(&device, sizeof device);
    memcpy(s->group, "limit group of 1", GROUP);
    if (done) return s;
    limit_close(s);
    return NULL;
}

void limit_close(limit_store *s) {
    sqlite3_stmt *statements[] = {s->begin, s->commit, s->find, s->insert, s->update, s->list};
    for (size_t i = 0; i < sizeof statements / sizeof *statements; i++) sqlite3_finalize(statements[i]);
    sqlite3_close(s->database);
    close(s->lock);
    sealer_destroy(&s->sealer);
    OPENSSL_cleanse(s, sizeof *s);
    free(s);
}

void limit_checkpoint(limit_store *s) {
    sqlite3_wal_checkpoint_v2(s->database, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
}
