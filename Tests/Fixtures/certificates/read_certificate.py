#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An independent parser of certificates, with which tests compare the package.

read_certificate.py FILE... prints a line of JSON for each file: the fields in hexadecimal, as keychain items have them.
"""
import hashlib
import json
import sys

PRINTABLE, SET, SEQUENCE = 0x13, 0x31, 0x30


def elements(data):
    """Returns consecutive DER elements, each as its tag, its content octets and all of its bytes."""
    found, at = [], 0
    while at < len(data):
        tag, length, start = data[at], data[at + 1], at + 2
        if length >= 0x80:
            width = length & 0x7F
            length = int.from_bytes(data[start:start + width], "big")
            start += width
        end = start + length
        found.append((tag, data[start:end], data[at:end]))
        at = end
    return found


def encode(tag, content):
    count = len(content)
    if count < 0x80:
        return bytes([tag, count]) + content
    width = (count.bit_length() + 7) // 8
    return bytes([tag, 0x80 | width]) + count.to_bytes(width, "big") + content


def normalize(name):
    """Returns the content octets of a normalized Name."""
    result = b""
    for _, members, _ in elements(name):
        attributes = b""
        for _, attribute, _ in elements(members):
            kind, value = elements(attribute)
            text = value[2]
            if value[0] == PRINTABLE:
                words = [word for word in value[1].decode("latin-1").upper().split(" ") if word]
                text = encode(PRINTABLE, " ".join(words).encode("latin-1"))
            attributes += encode(SEQUENCE, kind[2] + text)
        result += encode(SET, attributes)
    return result


def read(data):
    (_, certificate, whole) = elements(data)[0]
    fields = elements(elements(certificate)[0][1])
    version = 1
    if fields[0][0] == 0xA0:
        version = elements(fields.pop(0)[1])[0][1][0] + 1
    serial, _, issuer, _, subject, key = fields[:6]
    identifier = None
    for tag, content, _ in fields[6:]:
        if tag == 0xA3:
            for _, extension, _ in elements(elements(content)[0][1]):
                parts = elements(extension)
                if parts[0][1] == bytes([0x55, 0x1D, 0x0E]):
                    identifier = elements(parts[-1][1])[0][1].hex()
    return {
        "version": version,
        "serialNumber": serial[1].hex(),
        "issuer": issuer[2].hex(),
        "subject": subject[2].hex(),
        "normalizedIssuer": normalize(issuer[1]).hex(),
        "normalizedSubject": normalize(subject[1]).hex(),
        "subjectPublicKeyInfo": key[2].hex(),
        "publicKeyHash": hashlib.sha1(elements(key[1])[1][1][1:]).hexdigest(),
        "subjectKeyIdentifier": identifier,
    }


for path in sys.argv[1:]:
    with open(path, "rb") as file:
        print(json.dumps(read(file.read())))
