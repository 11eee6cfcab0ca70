// SPDX-License-Identifier: Apache-2.0
// The libraries that read KeePass databases; included only with the package trait KeePass.
#pragma once
#include <argon2.h>
#include <expat.h>
#include <zlib.h>

// The stream ciphers of libsodium, declared as in <sodium.h> of 1.0.18. CKeychainSodium/shim.h says why that header is
// not included.
int crypto_stream_chacha20_ietf_xor_ic(unsigned char *output, const unsigned char *input, unsigned long long count,
    const unsigned char *nonce, unsigned int block, const unsigned char *key) __attribute__((nonnull));
int crypto_stream_salsa20_xor_ic(unsigned char *output, const unsigned char *input, unsigned long long count,
    const unsigned char *nonce, unsigned long long block, const unsigned char *key) __attribute__((nonnull));

// zlib's macro inflateInit2, which Swift cannot import.
static inline int ckeepass_inflate_init(z_stream *stream, int window) { return inflateInit2(stream, window); }
