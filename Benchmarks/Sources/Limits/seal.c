// SPDX-License-Identifier: Apache-2.0
#include "seal.h"

#include <openssl/crypto.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

// MARK: Digests and randomness

void mac_prepare(mac *prepared, const unsigned char key[KEY]) {
    unsigned char block[SHA256_CBLOCK];
    for (int i = 0; i < SHA256_CBLOCK; i++) block[i] = (i < KEY ? key[i] : 0) ^ 0x36;
    SHA256_Init(&prepared->inner);
    SHA256_Update(&prepared->inner, block, sizeof block);
    for (int i = 0; i < SHA256_CBLOCK; i++) block[i] ^= 0x36 ^ 0x5c;
    SHA256_Init(&prepared->outer);
    SHA256_Update(&prepared->outer, block, sizeof block);
    OPENSSL_cleanse(block, sizeof block);
}

void mac_end(const mac *prepared, SHA256_CTX *hash, unsigned char digest[DIGEST]) {
    unsigned char inner[DIGEST];
    SHA256_Final(inner, hash);
    *hash = prepared->outer;
    SHA256_Update(hash, inner, sizeof inner);
    SHA256_Final(digest, hash);
}

void random_bytes(unsigned char *bytes, size_t length) {
    static unsigned char buffer[4096];
    static size_t left = 0;
    if (left < length) {
        for (size_t got = 0; got < sizeof buffer;) {
            ssize_t count = getrandom(buffer + got, sizeof buffer - got, 0);
            if (count < 0) abort();
            got += (size_t)count;
        }
        left = sizeof buffer;
    }
    left -= length;
    memcpy(bytes, buffer + left, length);
    OPENSSL_cleanse(buffer + left, length);
}

// MARK: The context

void context_prepare(seal_context *context, const unsigned char store[16], const unsigned char item[16],
                     uint64_t version) {
    memset(context, 0, sizeof *context);
    memcpy(context->bytes, "LIM1", 4);
    context->bytes[4] = 1; // suite
    context->bytes[6] = 1; // table
    context->bytes[7] = 1; // class
    memcpy(context->bytes + 12, &version, sizeof version);
    memcpy(context->bytes + 20, store, 16);
    memcpy(context->bytes + 36, item, 16);
}

void context_set(seal_context *context, role role, const unsigned char *columns_digest) {
    bool wraps = role == ROLE_WRAP_ATTRIBUTES || role == ROLE_WRAP_SECRET;
    uint32_t key = wraps ? 1 : 0;
    context->bytes[5] = (unsigned char)role;
    memcpy(context->bytes + 8, &key, sizeof key);
    if (columns_digest)
        memcpy(context->bytes + 84, columns_digest, DIGEST);
    else
        memset(context->bytes + 84, 0, DIGEST);
}

// MARK: AES-256-GCM

bool gcm_seal(EVP_CIPHER_CTX *cipher, const unsigned char *key, const unsigned char *context, size_t context_length,
              unsigned char *box, const unsigned char *plain, size_t length) {
    int done;
    return EVP_EncryptInit_ex2(cipher, NULL, key, box, NULL)
        && EVP_EncryptUpdate(cipher, NULL, &done, context, (int)context_length)
        && EVP_EncryptUpdate(cipher, box + NONCE, &done, plain, (int)length)
        && EVP_EncryptFinal_ex(cipher, box + NONCE + length, &done)
        && EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_GET_TAG, TAG, box + NONCE + length);
}

bool gcm_open(EVP_CIPHER_CTX *cipher, const unsigned char *key, const unsigned char *context, size_t context_length,
              const unsigned char *box, size_t box_length, unsigned char *plain) {
    int done;
    if (box_length < NONCE + TAG) return false;
    size_t length = box_length - NONCE - TAG;
    return EVP_DecryptInit_ex2(cipher, NULL, key, box, NULL)
        && EVP_DecryptUpdate(cipher, NULL, &done, context, (int)context_length)
        && EVP_DecryptUpdate(cipher, plain, &done, box + NONCE, (int)length)
        && EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_SET_TAG, TAG, (void *)(box + NONCE + length))
        && EVP_DecryptFinal_ex(cipher, plain + length, &done);
}

// MARK: Records

static bool expand(const mac *class_mac, const char *label, unsigned char key[KEY]) {
    SHA256_CTX hash;
    mac_begin(class_mac, &hash);
    SHA256_Update(&hash, label, strlen(label));
    SHA256_Update(&hash, "\1", 1);
    mac_end(class_mac, &hash, key);
    return true;
}

bool sealer_prepare(sealer *sealer, const unsigned char class_key[KEY]) {
    static const char *const labels[2] = {"attributes", "secret"};
    mac class_mac;
    unsigned char key[KEY];
    sealer->cipher = EVP_CIPHER_fetch(NULL, "AES-256-GCM", NULL);
    if (!sealer->cipher) return false;
    mac_prepare(&class_mac, class_key);
    sealer->seal = EVP_CIPHER_CTX_new();
    sealer->open = EVP_CIPHER_CTX_new();
    bool done = EVP_EncryptInit_ex2(sealer->seal, sealer->cipher, NULL, NULL, NULL)
        && EVP_DecryptInit_ex2(sealer->open, sealer->cipher, NULL, NULL, NULL);
    for (int i = 0; i < 2; i++) {
        expand(&class_mac, labels[i], key);
        sealer->wrap[i] = EVP_CIPHER_CTX_new();
        sealer->unwrap[i] = EVP_CIPHER_CTX_new();
        done = done && EVP_EncryptInit_ex2(sealer->wrap[i], sealer->cipher, key, NULL, NULL)
            && EVP_DecryptInit_ex2(sealer->unwrap[i], sealer->cipher, key, NULL, NULL);
    }
    OPENSSL_cleanse(key, sizeof key);
    OPENSSL_cleanse(&class_mac, sizeof class_mac);
    return done;
}

void sealer_destroy(sealer *sealer) {
    for (int i = 0; i < 2; i++) {
        EVP_CIPHER_CTX_free(sealer->wrap[i]);
        EVP_CIPHER_CTX_free(sealer->unwrap[i]);
    }
    EVP_CIPHER_CTX_free(sealer->seal);
    EVP_CIPHER_CTX_free(sealer->open);
    EVP_CIPHER_free(sealer->cipher);
}

size_t record_seal(sealer *sealer, seal_context *context, role role, const unsigned char *columns_digest,
                   const unsigned char *plain, size_t length, unsigned char *record) {
    unsigned char key[KEY];
    uint32_t class_key = 1;
    unsigned char *wrap = record + 5, *box = record + RECORD_HEAD;
    record[0] = 1;
    memcpy(record + 1, &class_key, sizeof class_key);
    random_bytes(key, sizeof key);
    random_bytes(wrap, NONCE);
    random_bytes(box, NONCE);
    context_set(context, role + 1, columns_digest);
    bool done = gcm_seal(sealer->wrap[role == ROLE_SECRET], NULL, context->bytes, CONTEXT, wrap, key, KEY);
    context_set(context, role, columns_digest);
    done = done && gcm_seal(sealer->seal, key, context->bytes, CONTEXT, box, plain, length);
    OPENSSL_cleanse(key, sizeof key);
    return done ? record_size(length) : 0;
}

long record_open(sealer *sealer, seal_context *context, role role, const unsigned char *columns_digest,
                 const unsigned char *record, size_t length, unsigned char *plain) {
    unsigned char key[KEY];
    if (length < record_size(0) || record[0] != 1) return -1;
    context_set(context, role + 1, columns_digest);
    bool done = gcm_open(sealer->unwrap[role == ROLE_SECRET], NULL, context->bytes, CONTEXT, record + 5, WRAP, key);
    context_set(context, role, columns_digest);
    done = done
        && gcm_open(sealer->open, key, context->bytes, CONTEXT, record + RECORD_HEAD, length - RECORD_HEAD, plain);
    OPENSSL_cleanse(key, sizeof key);
    return done ? (long)(length - record_size(0)) : -1;
}
