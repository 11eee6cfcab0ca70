# SPDX-License-Identifier: Apache-2.0
"""The reading half of HPKE, RFC 9180: base mode, DHKEM(X25519, HKDF-SHA256), HKDF-SHA256, AES-256-GCM, one message."""

import hashlib
import hmac

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

KEM = b"KEM\x00\x20"
SUITE = b"HPKE\x00\x20\x00\x01\x00\x02"


def extract(suite, salt, label, key):
    return hmac.new(salt, b"HPKE-v1" + suite + label + key, hashlib.sha256).digest()


def expand(suite, key, label, info, count):
    """One block is enough: nothing here is longer than 32 bytes."""
    message = count.to_bytes(2, "big") + b"HPKE-v1" + suite + label + info + b"\x01"
    return hmac.new(key, message, hashlib.sha256).digest()[:count]


def public_key(private):
    key = X25519PrivateKey.from_private_bytes(private).public_key()
    return key.public_bytes(Encoding.Raw, PublicFormat.Raw)


def open_first(message, private, info, additional):
    """message: encapsulated key 32, ciphertext, tag 16."""
    encapsulated, ciphertext = message[:32], message[32:]
    shared = X25519PrivateKey.from_private_bytes(private).exchange(X25519PublicKey.from_public_bytes(encapsulated))
    early = extract(KEM, b"", b"eae_prk", shared)
    secret = expand(KEM, early, b"shared_secret", encapsulated + public_key(private), 32)
    schedule = b"\x00" + extract(SUITE, b"", b"psk_id_hash", b"") + extract(SUITE, b"", b"info_hash", info)
    secret = extract(SUITE, secret, b"secret", b"")
    key = expand(SUITE, secret, b"key", schedule, 32)
    nonce = expand(SUITE, secret, b"base_nonce", schedule, 12)
    return AESGCM(key).decrypt(nonce, ciphertext, additional)
