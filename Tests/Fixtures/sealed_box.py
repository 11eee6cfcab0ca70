# SPDX-License-Identifier: Apache-2.0
"""Opens the boxes that libsodium's crypto_box_seal makes: X25519, XSalsa20 and Poly1305."""

import hashlib
import struct

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.poly1305 import Poly1305
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

CONSTANT = struct.unpack("<4I", b"expand 32-byte k")
ROUND = (
    (0, 4, 8, 12), (5, 9, 13, 1), (10, 14, 2, 6), (15, 3, 7, 11),
    (0, 1, 2, 3), (5, 6, 7, 4), (10, 11, 8, 9), (15, 12, 13, 14),
)  # fmt: skip


def rotated(number, bits):
    number &= 0xFFFFFFFF
    return (number << bits | number >> 32 - bits) & 0xFFFFFFFF


def state(key, block):
    k, b = struct.unpack("<8I", key), struct.unpack("<4I", block)
    return [CONSTANT[0], *k[:4], CONSTANT[1], *b, CONSTANT[2], *k[4:], CONSTANT[3]]


def mixed(x):
    x = list(x)
    for _ in range(10):
        for a, b, c, d in ROUND:
            x[b] ^= rotated(x[a] + x[d], 7)
            x[c] ^= rotated(x[b] + x[a], 9)
            x[d] ^= rotated(x[c] + x[b], 13)
            x[a] ^= rotated(x[d] + x[c], 18)
    return x


def hsalsa20(key, block):
    x = mixed(state(key, block))
    return struct.pack("<8I", *(x[index] for index in (0, 5, 10, 15, 6, 7, 8, 9)))


def stream(key, nonce, count):
    key, blocks = hsalsa20(key, nonce[:16]), b""
    while len(blocks) < count:
        start = state(key, nonce[16:] + struct.pack("<Q", len(blocks) // 64))
        blocks += struct.pack("<16I", *((a + b) & 0xFFFFFFFF for a, b in zip(start, mixed(start))))
    return blocks[:count]


def open_sealed_box(box, secret):
    """Returns the plaintext; raises an exception if the box was not sealed for the public key of `secret`."""
    own = X25519PrivateKey.from_private_bytes(secret)
    public = own.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
    sender, tag, sealed = box[:32], box[32:48], box[48:]
    nonce = hashlib.blake2b(sender + public, digest_size=24).digest()
    shared = hsalsa20(own.exchange(X25519PublicKey.from_public_bytes(sender)), bytes(16))
    key = stream(shared, nonce, 32 + len(sealed))
    Poly1305.verify_tag(key[:32], sealed, tag)
    return bytes(a ^ b for a, b in zip(sealed, key[32:]))
