# SPDX-License-Identifier: Apache-2.0
"""XChaCha20-Poly1305 (draft-irtf-cfrg-xchacha-03) built from ChaCha20-Poly1305 of "cryptography", without libsodium."""

import struct

from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

MASK = 0xFFFFFFFF


def rotated(value, count):
    return (value << count | value >> (32 - count)) & MASK


def quarter(state, a, b, c, d):
    for first, second, third, count in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
        state[first] = (state[first] + state[second]) & MASK
        state[third] = rotated(state[third] ^ state[first], count)


def subkey(key, nonce):
    """Returns HChaCha20 of a key and the first 16 bytes of the nonce."""
    state = list(struct.unpack("<16I", b"expand 32-byte k" + key + nonce))
    for _ in range(10):
        for column in range(4):
            quarter(state, column, 4 + column, 8 + column, 12 + column)
        for column in range(4):
            quarter(state, column, 4 + (column + 1) % 4, 8 + (column + 2) % 4, 12 + (column + 3) % 4)
    return struct.pack("<8I", *state[:4], *state[12:])


def cipher(key, nonce):
    return ChaCha20Poly1305(subkey(key, nonce[:16])), bytes(4) + nonce[16:]


def encrypt(key, nonce, plain, data):
    aead, short = cipher(key, nonce)
    return aead.encrypt(short, plain, data)


def decrypt(key, nonce, sealed, data):
    aead, short = cipher(key, nonce)
    return aead.decrypt(short, sealed, data)
