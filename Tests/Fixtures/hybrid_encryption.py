#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An independent implementation of ECIES and of RSA-OAEP with AES-GCM, with which tests compare the package.

hybrid_encryption.py encrypt|decrypt ecies|ecies-derived|oaep HASH KEY.pem INPUT OUTPUT
"""
import os
import sys

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, padding
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.x963kdf import X963KDF

NONCE = bytes(16)


def sealing_key(secret, point, curve_bits, hash_, derived):
    size = 32 if curve_bits > 256 else 16
    material = X963KDF(hash_, size + (16 if derived else 0), point).derive(secret)
    return AESGCM(material[:size]), material[size:] if derived else NONCE


def ecies_encrypt(public, hash_, derived, plaintext):
    ephemeral = ec.generate_private_key(public.curve)
    point = ephemeral.public_key().public_bytes(
        serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint)
    key, nonce = sealing_key(ephemeral.exchange(ec.ECDH(), public), point, public.key_size, hash_, derived)
    return point + key.encrypt(nonce, plaintext, None)


def ecies_decrypt(private, hash_, derived, ciphertext):
    size = 1 + 2 * ((private.key_size + 7) // 8)
    point, sealed = ciphertext[:size], ciphertext[size:]
    other = ec.EllipticCurvePublicKey.from_encoded_point(private.curve, point)
    key, nonce = sealing_key(private.exchange(ec.ECDH(), other), point, private.key_size, hash_, derived)
    return key.decrypt(nonce, sealed, None)


def context(public):
    return public.public_bytes(serialization.Encoding.DER, serialization.PublicFormat.PKCS1)


def oaep(hash_):
    return padding.OAEP(padding.MGF1(hash_), hash_, None)


def oaep_encrypt(public, hash_, plaintext):
    session = os.urandom(32 if public.key_size >= 4096 else 16)
    return public.encrypt(session, oaep(hash_)) + AESGCM(session).encrypt(NONCE, plaintext, context(public))


def oaep_decrypt(private, hash_, ciphertext):
    size = (private.key_size + 7) // 8
    session = private.decrypt(ciphertext[:size], oaep(hash_))
    assert len(session) == (32 if private.key_size >= 4096 else 16)
    return AESGCM(session).decrypt(NONCE, ciphertext[size:], context(private.public_key()))


def main():
    direction, kind, name, key_file, input_file, output_file = sys.argv[1:]
    hash_ = getattr(hashes, name.upper())()
    pem = open(key_file, "rb").read()
    data = open(input_file, "rb").read()
    if direction == "encrypt":
        key = serialization.load_pem_public_key(pem)
        result = (oaep_encrypt(key, hash_, data) if kind == "oaep"
                  else ecies_encrypt(key, hash_, kind == "ecies-derived", data))
    else:
        key = serialization.load_pem_private_key(pem, None)
        result = (oaep_decrypt(key, hash_, data) if kind == "oaep"
                  else ecies_decrypt(key, hash_, kind == "ecies-derived", data))
    open(output_file, "wb").write(result)


main()
