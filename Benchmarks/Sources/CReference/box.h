// SPDX-License-Identifier: Apache-2.0
//
// An AES-256-GCM box (nonce, ciphertext, tag) per secret, sealed by OpenSSL with a key schedule kept between calls.
#pragma once

#include <openssl/evp.h>
#include <openssl/rand.h>
#include <stdint.h>
#include <string.h>

#define BOX_OVERHEAD 28

struct box {
    EVP_CIPHER_CTX *seal, *open;
};

static const uint8_t box_key[32] = "a key of exactly thirty-two byte";

static inline int box_start(struct box *box) {
    box->seal = EVP_CIPHER_CTX_new();
    box->open = EVP_CIPHER_CTX_new();
    return box->seal && box->open && EVP_EncryptInit_ex(box->seal, EVP_aes_256_gcm(), NULL, box_key, NULL) == 1 &&
           EVP_DecryptInit_ex(box->open, EVP_aes_256_gcm(), NULL, box_key, NULL) == 1;
}

static inline void box_end(struct box *box) {
    EVP_CIPHER_CTX_free(box->seal);
    EVP_CIPHER_CTX_free(box->open);
}

static inline int box_seal(struct box *box, uint8_t *out, const uint8_t *text, int length, const char *name) {
    int count = 0;
    return RAND_bytes(out, 12) == 1 && EVP_EncryptInit_ex(box->seal, NULL, NULL, NULL, out) == 1 &&
           EVP_EncryptUpdate(box->seal, NULL, &count, (const uint8_t *)name, (int)strlen(name)) == 1 &&
           EVP_EncryptUpdate(box->seal, out + 12, &count, text, length) == 1 &&
           EVP_EncryptFinal_ex(box->seal, out + 12 + count, &count) == 1 &&
           EVP_CIPHER_CTX_ctrl(box->seal, EVP_CTRL_GCM_GET_TAG, 16, out + 12 + length) == 1;
}

/// Returns the length of the plaintext, or -1 if the box was not sealed with this name as associated data.
static inline int box_open(struct box *box, uint8_t *text, const uint8_t *sealed, int length, const char *name) {
    int count = 0, size = length - BOX_OVERHEAD;
    if (size < 0) return -1;
    uint8_t tag[16];
    memcpy(tag, sealed + 12 + size, sizeof tag);
    if (EVP_DecryptInit_ex(box->open, NULL, NULL, NULL, sealed) != 1 ||
        EVP_CIPHER_CTX_ctrl(box->open, EVP_CTRL_GCM_SET_TAG, sizeof tag, tag) != 1 ||
        EVP_DecryptUpdate(box->open, NULL, &count, (const uint8_t *)name, (int)strlen(name)) != 1 ||
        EVP_DecryptUpdate(box->open, text, &count, sealed + 12, size) != 1 ||
        EVP_DecryptFinal_ex(box->open, text + count, &count) != 1)
        return -1;
    return size;
}
