// SPDX-License-Identifier: Apache-2.0
// The libsodium functions that the store calls, declared as in <sodium.h> of 1.0.18. That header is not included,
// because it includes <stdlib.h>: Swift would attribute types such as pthread_attr_t to this module, and then reject
// their use in files that do not import it.
#pragma once
#include <stddef.h>

#define crypto_pwhash_ALG_ARGON2ID13 2

int sodium_init(void);
const char *sodium_version_string(void);
void *sodium_malloc(const size_t size);
void sodium_free(void *start);
int sodium_memcmp(const void *const first, const void *const second, size_t count);
void sodium_memzero(void *const start, const size_t count);
void sodium_stackzero(const size_t count);
void randombytes_buf(void *const start, const size_t count);

int crypto_generichash(unsigned char *digest, size_t digest_count, const unsigned char *message,
    unsigned long long message_count, const unsigned char *key, size_t key_count) __attribute__((nonnull(1)));

int crypto_pwhash(unsigned char *const key, unsigned long long key_count, const char *const password,
    unsigned long long password_count, const unsigned char *const salt, unsigned long long passes, size_t memory,
    int algorithm) __attribute__((nonnull));

int crypto_aead_xchacha20poly1305_ietf_encrypt(unsigned char *sealed, unsigned long long *sealed_count,
    const unsigned char *message, unsigned long long message_count, const unsigned char *data,
    unsigned long long data_count, const unsigned char *unused, const unsigned char *nonce, const unsigned char *key)
    __attribute__((nonnull(1, 8, 9)));
int crypto_aead_xchacha20poly1305_ietf_decrypt(unsigned char *message, unsigned long long *message_count,
    unsigned char *unused, const unsigned char *sealed, unsigned long long sealed_count, const unsigned char *data,
    unsigned long long data_count, const unsigned char *nonce, const unsigned char *key)
    __attribute__((nonnull(4, 8, 9)));

int crypto_kx_keypair(unsigned char public_key[32], unsigned char private_key[32]) __attribute__((nonnull));
int crypto_kx_seed_keypair(unsigned char public_key[32], unsigned char private_key[32], const unsigned char seed[32])
    __attribute__((nonnull));
int crypto_kx_client_session_keys(unsigned char receiving[32], unsigned char sending[32],
    const unsigned char client_public[32], const unsigned char client_private[32],
    const unsigned char server_public[32]);
int crypto_kx_server_session_keys(unsigned char receiving[32], unsigned char sending[32],
    const unsigned char server_public[32], const unsigned char server_private[32],
    const unsigned char client_public[32]);

struct crypto_generichash_blake2b_state;
size_t crypto_generichash_statebytes(void);
int crypto_generichash_init(struct crypto_generichash_blake2b_state *state, const unsigned char *key,
    const size_t key_count, const size_t digest_count) __attribute__((nonnull(1)));
int crypto_generichash_update(struct crypto_generichash_blake2b_state *state, const unsigned char *message,
    unsigned long long message_count) __attribute__((nonnull(1)));
int crypto_generichash_final(struct crypto_generichash_blake2b_state *state, unsigned char *digest,
    const size_t digest_count) __attribute__((nonnull));

int crypto_sign_seed_keypair(unsigned char *public_key, unsigned char *private_key, const unsigned char *seed)
    __attribute__((nonnull));
int crypto_sign_detached(unsigned char *signature, unsigned long long *signature_count, const unsigned char *message,
    unsigned long long message_count, const unsigned char *private_key) __attribute__((nonnull(1, 5)));
int crypto_sign_verify_detached(const unsigned char *signature, const unsigned char *message,
    unsigned long long message_count, const unsigned char *public_key) __attribute__((nonnull(1, 4)));

int crypto_scalarmult_base(unsigned char *public_key, const unsigned char *private_key) __attribute__((nonnull));
int crypto_box_seal(unsigned char *box, const unsigned char *message, unsigned long long message_count,
    const unsigned char *public_key) __attribute__((nonnull(1, 4)));
int crypto_box_seal_open(unsigned char *message, const unsigned char *box, unsigned long long box_count,
    const unsigned char *public_key, const unsigned char *private_key) __attribute__((nonnull(2, 4, 5)));

int crypto_core_ristretto255_is_valid_point(const unsigned char *point) __attribute__((nonnull));
int crypto_core_ristretto255_from_hash(unsigned char *point, const unsigned char *digest) __attribute__((nonnull));
int crypto_core_ristretto255_add(unsigned char *sum, const unsigned char *left, const unsigned char *right)
    __attribute__((nonnull));
int crypto_core_ristretto255_sub(unsigned char *difference, const unsigned char *left, const unsigned char *right)
    __attribute__((nonnull));
