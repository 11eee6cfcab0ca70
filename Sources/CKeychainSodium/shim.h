// SPDX-License-Identifier: Apache-2.0
// Not <sodium.h>: randombytes.h includes <sys/types.h>, whose types Swift would then take for this module's.
#pragma once
#include <sodium/core.h>
#include <sodium/crypto_aead_xchacha20poly1305.h>
#include <sodium/crypto_generichash.h>
#include <sodium/crypto_kx.h>
#include <sodium/crypto_pwhash.h>
#include <sodium/utils.h>

void randombytes_buf(void *buffer, size_t count) __attribute__((nonnull));
