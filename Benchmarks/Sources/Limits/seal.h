// SPDX-License-Identifier: Apache-2.0
#pragma once

#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/evp.h>
#include <openssl/sha.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { KEY = 32, NONCE = 12, TAG = 16, DIGEST = 32, CONTEXT = 116 };
enum { WRAP = NONCE + KEY + TAG, RECORD_HEAD = 1 + 4 + WRAP };

typedef enum { ROLE_ATTRIBUTES = 1, ROLE_WRAP_ATTRIBUTES, ROLE_SECRET, ROLE_WRAP_SECRET } role;

/// A keyed hash whose first blocks are done.
typedef struct {
    SHA256_CTX inner, outer;
} mac;

void mac_prepare(mac *prepared, const unsigned char key[KEY]);
static inline void mac_begin(const mac *prepared, SHA256_CTX *hash) { *hash = prepared->inner; }
void mac_end(const mac *prepared, SHA256_CTX *hash, unsigned char digest[DIGEST]);

/// Random bytes from a buffer of the process.
void random_bytes(unsigned char *bytes, size_t length);

/// What is bound to a sealed part, of a fixed shape.
typedef struct {
    unsigned char bytes[CONTEXT];
} seal_context;

void context_prepare(seal_context *context, const unsigned char store[16], const unsigned char item[16],
                     uint64_t version);
void context_set(seal_context *context, role role, const unsigned char *columns_digest);

/// The ciphers of one class key: contexts are kept, those of wraps with their key.
typedef struct {
    EVP_CIPHER *cipher;
    EVP_CIPHER_CTX *wrap[2], *unwrap[2]; // attributes, secret
    EVP_CIPHER_CTX *seal, *open;         // keyed anew for each record
} sealer;

bool sealer_prepare(sealer *sealer, const unsigned char class_key[KEY]);
void sealer_destroy(sealer *sealer);

/// Encrypts after a nonce that is already there: nonce, ciphertext, tag. A NULL key keeps the context's own.
bool gcm_seal(EVP_CIPHER_CTX *cipher, const unsigned char *key, const unsigned char *context, size_t context_length,
              unsigned char *box, const unsigned char *plain, size_t length);
bool gcm_open(EVP_CIPHER_CTX *cipher, const unsigned char *key, const unsigned char *context, size_t context_length,
              const unsigned char *box, size_t box_length, unsigned char *plain);

/// Seals into a record under a fresh key; the record's length.
size_t record_seal(sealer *sealer, seal_context *context, role role, const unsigned char *columns_digest,
                   const unsigned char *plain, size_t length, unsigned char *record);
/// Opens a record; the length of what was sealed, or -1.
long record_open(sealer *sealer, seal_context *context, role role, const unsigned char *columns_digest,
                 const unsigned char *record, size_t length, unsigned char *plain);
static inline size_t record_size(size_t length) { return RECORD_HEAD + NONCE + length + TAG; }
