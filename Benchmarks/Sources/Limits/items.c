// SPDX-License-Identifier: Apache-2.0
#include "store.h"

#include <openssl/crypto.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>

/// The clear columns of a row; the bytes point into the statement or the caller.
typedef struct {
    const unsigned char *identity, *item, *group;
    uint64_t version;
} columns;

static void part(SHA256_CTX *hash, const void *bytes, uint32_t length) {
    SHA256_Update(hash, &length, sizeof length);
    SHA256_Update(hash, bytes, length);
}

static void identity_of(const limit_store *s, const char *service, const char *account, unsigned char digest[DIGEST]) {
    SHA256_CTX hash;
    mac_begin(&s->index, &hash);
    SHA256_Update(&hash, "pk\1", 3);
    part(&hash, s->group, GROUP);
    part(&hash, service, (uint32_t)strlen(service));
    part(&hash, account, (uint32_t)strlen(account));
    mac_end(&s->index, &hash, digest);
}

static void columns_digest(const columns *c, unsigned char digest[DIGEST]) {
    unsigned char row[DIGEST + ITEM + GROUP + 8 + 5] = {0};
    memcpy(row, c->identity, DIGEST);
    memcpy(row + DIGEST, c->item, ITEM);
    memcpy(row + DIGEST + ITEM, c->group, GROUP);
    memcpy(row + DIGEST + ITEM + GROUP, &c->version, 8);
    row[sizeof row - 5] = row[sizeof row - 4] = 1;
    SHA256(row, sizeof row, digest);
}

static bool columns_of(sqlite3_stmt *row, columns *c) {
    *c = (columns){sqlite3_column_blob(row, 0), sqlite3_column_blob(row, 1), sqlite3_column_blob(row, 2),
                   (uint64_t)sqlite3_column_int64(row, 3)};
    return sqlite3_column_bytes(row, 0) == DIGEST && sqlite3_column_bytes(row, 1) == ITEM
        && sqlite3_column_bytes(row, 2) == GROUP;
}

// The attributes: number, length, bytes of each, after the length of all and the hash of the sealed secret.
enum { ATTRIBUTES_HEAD = 4 + DIGEST };
typedef enum { SERVICE = 1, ACCOUNT, LABEL, CREATED, MODIFIED, ACCESS_GROUP } attribute;

static unsigned char *put(unsigned char *to, attribute attribute, const void *bytes, size_t length) {
    uint16_t count = (uint16_t)length;
    *to++ = (unsigned char)attribute;
    memcpy(to, &count, sizeof count);
    memcpy(to + sizeof count, bytes, length);
    return to + sizeof count + length;
}

static size_t padded(size_t length) { return (length + PADDING - 1) / PADDING * PADDING; }

static size_t encode(unsigned char *plain, const char *service, const char *account, const unsigned char *secret_box,
                     size_t secret_box_length) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    double seconds = (double)(now.tv_sec - 978307200) + (double)now.tv_nsec / 1e9;
    memset(plain, 0, MAXIMUM);
    SHA256(secret_box, secret_box_length, plain + 4);
    unsigned char *end = plain + ATTRIBUTES_HEAD;
    end = put(end, SERVICE, service, strlen(service));
    end = put(end, ACCOUNT, account, strlen(account));
    end = put(end, LABEL, service, strlen(service));
    end = put(end, CREATED, &seconds, sizeof seconds);
    end = put(end, MODIFIED, &seconds, sizeof seconds);
    end = put(end, ACCESS_GROUP, "limit group", 11);
    uint32_t length = (uint32_t)(end - plain);
    memcpy(plain, &length, sizeof length);
    return padded(length);
}

static const unsigned char *value_of(const unsigned char *plain, attribute wanted, uint16_t *length) {
    uint32_t end;
    memcpy(&end, plain, sizeof end);
    for (size_t at = ATTRIBUTES_HEAD; at + 3 <= end; at += 3 + *length) {
        memcpy(length, plain + at + 1, sizeof *length);
        if (plain[at] == wanted) return plain + at + 3;
    }
    return NULL;
}

static bool is(const unsigned char *plain, attribute attribute, const char *text) {
    uint16_t length;
    const unsigned char *value = value_of(plain, attribute, &length);
    return value && length == strlen(text) && !memcmp(value, text, length);
}

typedef struct {
    unsigned char attributes[MAXIMUM + 512], secret[MAXIMUM + 512];
    size_t attributes_length, secret_length;
} sealed_item;

/// Seals both halves of an item.
static bool seal_item(limit_store *s, const columns *c, const char *service, const char *account, const void *secret,
                      size_t length, sealed_item *result) {
    unsigned char plain[MAXIMUM], digest[DIGEST];
    uint32_t count = (uint32_t)length;
    seal_context context;
    if (length > MAXIMUM - 64) return false;
    context_prepare(&context, s->store, c->item, c->version);
    memcpy(plain, &count, sizeof count);
    memcpy(plain + 4, secret, length);
    size_t size = padded(length + 4);
    memset(plain + 4 + length, 0, size - length - 4);
    result->secret_length = record_seal(&s->sealer, &context, ROLE_SECRET, NULL, plain, size, result->secret);
    size = encode(plain, service, account, result->secret + RECORD_HEAD, result->secret_length - RECORD_HEAD);
    columns_digest(c, digest);
    result->attributes_length =
        record_seal(&s->sealer, &context, ROLE_ATTRIBUTES, digest, plain, size, result->attributes);
    OPENSSL_cleanse(plain, sizeof plain);
    return result->secret_length && result->attributes_length;
}

static int insert(limit_store *s, const char *service, const char *account, const void *secret, size_t length) {
    unsigned char identity[DIGEST], item[ITEM];
    sealed_item sealed;
    identity_of(s, service, account, identity);
    random_bytes(item, sizeof item);
    columns c = {identity, item, s->group, 1};
    if (!seal_item(s, &c, service, account, secret, length, &sealed)) return SQLITE_ERROR;
    sqlite3_bind_blob(s->insert, 1, item, ITEM, SQLITE_STATIC);
    sqlite3_bind_int64(s->insert, 2, (sqlite3_int64)c.version);
    sqlite3_bind_blob(s->insert, 3, s->group, GROUP, SQLITE_STATIC);
    sqlite3_bind_blob(s->insert, 4, identity, DIGEST, SQLITE_STATIC);
    sqlite3_bind_blob(s->insert, 5, sealed.attributes, (int)sealed.attributes_length, SQLITE_STATIC);
    sqlite3_bind_blob(s->insert, 6, sealed.secret, (int)sealed.secret_length, SQLITE_STATIC);
    int code = sqlite3_step(s->insert);
    sqlite3_reset(s->insert);
    return code == SQLITE_DONE ? SQLITE_OK : code;
}

static int run(sqlite3_stmt *statement) {
    int code = sqlite3_step(statement);
    sqlite3_reset(statement);
    return code == SQLITE_DONE ? SQLITE_OK : code;
}

int limit_add(limit_store *s, const char *service, const char *account, const void *secret, size_t length) {
    flock(s->lock, LOCK_EX);
    int code = insert(s, service, account, secret, length);
    flock(s->lock, LOCK_UN);
    return code;
}

int limit_fill(limit_store *s, const char *service, const char *prefix, int first, int end) {
    char account[128], secret[33];
    int code = run(s->begin);
    for (int i = first; i < end && !code; i++) {
        snprintf(account, sizeof account, "%s%d", prefix, i);
        snprintf(secret, sizeof secret, "%032d", i);
        code = insert(s, service, account, secret, 32);
    }
    return code ? code : run(s->commit);
}

/// Steps to the row, opens its attributes and compares them with what was asked for.
static bool find(limit_store *s, const unsigned char identity[DIGEST], const char *service, const char *account,
                 columns *c, seal_context *context, unsigned char *attributes) {
    unsigned char digest[DIGEST];
    sqlite3_bind_blob(s->find, 1, identity, DIGEST, SQLITE_STATIC);
    if (sqlite3_step(s->find) != SQLITE_ROW || !columns_of(s->find, c)) return false;
    if (sqlite3_column_bytes(s->find, 4) > MAXIMUM || sqlite3_column_bytes(s->find, 5) > MAXIMUM) return false;
    columns_digest(c, digest);
    context_prepare(context, s->store, c->item, c->version);
    long length = record_open(&s->sealer, context, ROLE_ATTRIBUTES, digest, sqlite3_column_blob(s->find, 4),
                              (size_t)sqlite3_column_bytes(s->find, 4), attributes);
    return length >= ATTRIBUTES_HEAD && is(attributes, SERVICE, service) && is(attributes, ACCOUNT, account);
}

long limit_read(limit_store *s, const char *service, const char *account, void *secret, size_t capacity) {
    unsigned char identity[DIGEST], attributes[MAXIMUM], plain[MAXIMUM], hash[DIGEST];
    columns c;
    seal_context context;
    long result = -1;
    identity_of(s, service, account, identity);
    if (find(s, identity, service, account, &c, &context, attributes)) {
        const unsigned char *record = sqlite3_column_blob(s->find, 5);
        size_t length = (size_t)sqlite3_column_bytes(s->find, 5);
        uint32_t count = 0;
        if (record_open(&s->sealer, &context, ROLE_SECRET, NULL, record, length, plain) >= 4) {
            SHA256(record + RECORD_HEAD, length - RECORD_HEAD, hash);
            memcpy(&count, plain, sizeof count);
            if (!CRYPTO_memcmp(hash, attributes + 4, DIGEST) && count <= capacity) {
                memcpy(secret, plain + 4, count);
                result = count;
            }
            OPENSSL_cleanse(plain, count + 4);
        }
    }
    sqlite3_reset(s->find);
    return result;
}

static int overwrite(limit_store *s, const char *service, const char *account, const void *secret, size_t length) {
    unsigned char identity[DIGEST], attributes[MAXIMUM], item[ITEM];
    columns c;
    seal_context context;
    sealed_item sealed;
    identity_of(s, service, account, identity);
    bool there = find(s, identity, service, account, &c, &context, attributes);
    sqlite3_int64 row = there ? sqlite3_column_int64(s->find, 6) : 0;
    if (there) memcpy(item, c.item, ITEM);
    sqlite3_reset(s->find);
    if (!there) return SQLITE_NOTFOUND;
    columns changed = {identity, item, s->group, c.version + 1};
    if (!seal_item(s, &changed, service, account, secret, length, &sealed)) return SQLITE_ERROR;
    sqlite3_bind_int64(s->update, 1, (sqlite3_int64)changed.version);
    sqlite3_bind_blob(s->update, 2, sealed.attributes, (int)sealed.attributes_length, SQLITE_STATIC);
    sqlite3_bind_blob(s->update, 3, sealed.secret, (int)sealed.secret_length, SQLITE_STATIC);
    sqlite3_bind_int64(s->update, 4, row);
    return run(s->update);
}

int limit_overwrite(limit_store *s, const char *service, const char *account, const void *secret, size_t length) {
    flock(s->lock, LOCK_EX);
    int code = run(s->begin);
    if (!code) {
        code = overwrite(s, service, account, secret, length);
        int end = run(s->commit);
        if (!code) code = end;
    }
    flock(s->lock, LOCK_UN);
    return code;
}

long limit_list(limit_store *s, uint64_t *sum) {
    unsigned char attributes[MAXIMUM], digest[DIGEST];
    columns c;
    seal_context context;
    long items = 0;
    while (sqlite3_step(s->list) == SQLITE_ROW && columns_of(s->list, &c)) {
        size_t length = (size_t)sqlite3_column_bytes(s->list, 4);
        columns_digest(&c, digest);
        context_prepare(&context, s->store, c.item, c.version);
        if (length > MAXIMUM) break;
        const unsigned char *record = sqlite3_column_blob(s->list, 4);
        if (record_open(&s->sealer, &context, ROLE_ATTRIBUTES, digest, record, length, attributes) < 0) break;
        for (attribute a = SERVICE; a <= ACCESS_GROUP; a++) {
            uint16_t count = 0;
            const unsigned char *value = value_of(attributes, a, &count);
            if (value) *sum += count + value[0];
        }
        items++;
    }
    sqlite3_reset(s->list);
    return items;
}
