#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads the keys of a circle in etcd as one of its devices, verifies everything, and prints the contents as JSON.

    read_circle.py [--flip STEP START]

An independent implementation of Documentation/Synchronization.md. The standard input is JSON: `seed` and `box`, the private
keys of the device, and `entries`, the keys of etcd with their values, all in hexadecimal digits except the keys. With --flip,
checks that the entries are refused after the change of a byte, for each STEP-th byte from START on, and prints the number of
changes. Prints secrets in plaintext: for tests only.
"""

import hashlib
import json
import sys

from cryptography.exceptions import InvalidSignature, InvalidTag
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

import ristretto
import xchacha
from keychain_items import BLOBS, CLASSES, NUMBERS, UNIQUE, UNIQUE_IN_EVERY_CLASS, decode_attributes
from sealed_box import open_sealed_box

ROLES = {1: "admin", 2: "member", 3: "read-only", 4: "recovery"}
ZERO = bytes(32)


class Refused(Exception):
    """The error of data that does not match the description of the protocol."""


def require(condition, what):
    if not condition:
        raise Refused(what)


def digest(message, key=b""):
    return hashlib.blake2b(message, key=key, digest_size=32).digest()


def open_box(box, key, data):
    require(len(box) >= 40, "a box is too short")
    return xchacha.decrypt(key, box[:24], box[24:], data)


class Reader:
    def __init__(self, data):
        self.data, self.offset = data, 0

    def take(self, count):
        require(self.offset + count <= len(self.data), "truncated data")
        self.offset += count
        return self.data[self.offset - count : self.offset]

    def number(self, count):
        return int.from_bytes(self.take(count), "big")

    def expect(self, magic):
        require(self.take(len(magic)) == magic, f"this is not {magic.decode()}")

    def end(self):
        require(self.offset == len(self.data), "trailing bytes")

    def signed_by(self, key):
        """Verifies the signature of all bytes before it, which ends the data."""
        before = self.data[: self.offset]
        Ed25519PublicKey.from_public_bytes(key).verify(self.take(64), before)
        self.end()


class Keys:
    """The keys of an epoch: one that encrypts, and one for the digests that name items."""

    def __init__(self, key, index):
        self.key, self.index = key, index
        self.records, self.heads = digest(b"record", key), digest(b"head", key)
        self.names, self.previous = digest(b"device name", key), digest(b"previous key", key)


class Manifest:
    def __init__(self, data, former, secret):
        reader = Reader(data)
        reader.expect(b"KCM1")
        self.circle, self.generation = reader.take(16), reader.number(4)
        self.version, previous, reader.time = reader.number(8), reader.take(32), reader.number(8)
        self.epoch, commitment, previous_key = reader.number(4), reader.take(32), reader.take(72)
        self.members, self.removed = {}, {}
        sealed_keys, sealed_names = {}, {}
        for _ in range(reader.number(2)):
            device, sign, box, role = reader.take(16), reader.take(32), reader.take(32), reader.number(1)
            require(device == digest(b"kc-device-1" + sign + box)[:16], "the identifier of a device is wrong")
            self.members[device] = (sign, ROLES[role])
            sealed_keys[device] = reader.take(112)
            sealed_names[device] = reader.take(reader.number(1))
        for _ in range(reader.number(2)):
            device, sign, sequence = reader.take(16), reader.take(32), reader.number(8)
            self.removed[device] = (sign, sequence, reader.take(32), reader.take(32))
        signer = reader.take(16)
        signers = (former or self).members
        require(signers[signer][1] in ("admin", "recovery"), "the signer may not sign")
        reader.signed_by(signers[signer][0])
        self.digest = digest(b"kc-manifest-1" + data)
        require(previous == (former.digest if former else ZERO), "the chain is broken")
        require(self.version == (former.version + 1 if former else 1), "a version is missing")
        self.sealed_names, self.previous_key = sealed_names, previous_key
        self.keys = self._keys(sealed_keys, commitment, secret)
        if self.epoch == 1:
            require(not any(previous_key), "there is no previous key")

    @property
    def names(self):
        return {device: open_box(name, self.keys.names, device).decode() for device, name in self.sealed_names.items()}

    def _keys(self, sealed, commitment, secret):
        """Returns the keys of the epoch; None if the device is no member yet."""
        public = X25519PrivateKey.from_private_bytes(secret[1]).public_key()
        sign = Ed25519PrivateKey.from_private_bytes(secret[0]).public_key()
        raw = [key.public_bytes(Encoding.Raw, PublicFormat.Raw) for key in (sign, public)]
        own = digest(b"kc-device-1" + raw[0] + raw[1])[:16]
        if own not in sealed:
            return None
        secrets = open_sealed_box(sealed[own], secret[1])
        require(commitment == digest(b"kc-epoch-1" + self.circle + self.epoch.to_bytes(4, "big") + secrets), "wrong commitment to the keys")
        return Keys(secrets[:32], secrets[32:])

    def key_of(self, device):
        return self.members[device][0] if device in self.members else self.removed[device][0]


def item_name(item_class, attributes, index):
    message = b"kc-name-1" + bytes([item_class])
    unique = {"agrp": None, **UNIQUE_IN_EVERY_CLASS, **UNIQUE[item_class]}
    for name, default in sorted(unique.items(), key=lambda entry: NUMBERS[entry[0]]):
        value = attributes.get(name, default)
        if value is None or name == "sync":
            continue
        message += bytes([NUMBERS[name]]) + (b"" if name in BLOBS else bytes([value[0]]))
        message += len(value[1]).to_bytes(4, "little") + value[1]
    return digest(message, index)


class Circle:
    def __init__(self, entries, secret):
        self.entries = entries
        self.manifests = []
        for key in sorted(key for key in entries if "/m/" in key):
            former = self.manifests[-1] if self.manifests else None
            manifest = Manifest(entries[key], former, secret)
            require(key == f"/kc/1/{manifest.circle.hex()}/m/{manifest.version:016x}", "unexpected etcd key")
            self.manifests.append(manifest)
        self.manifest = self.manifests[-1]
        require(self.manifest.keys, "the device is no member")
        for former, later in reversed(list(zip(self.manifests, self.manifests[1:]))):
            key = later.keys.key
            if later.epoch != former.epoch:
                key = open_box(later.previous_key, later.keys.previous, later.circle)
            require(not former.keys or former.keys.key == key, "wrong previous key")
            former.keys = former.keys or Keys(key, later.keys.index)
        self.keys = {manifest.epoch: manifest.keys for manifest in self.manifests}
        self.prefix = f"/kc/1/{self.manifest.circle.hex()}/{self.manifest.generation:08x}"
        self.heads = [self.head(key) for key in sorted(entries) if key.startswith(self.prefix + "/h/")]
        self.records = [self.record(key) for key in sorted(entries) if key.startswith(self.prefix + "/r/")]
        self.check_sum()

    def header(self, reader, magic):
        reader.expect(magic)
        require(reader.take(16) == self.manifest.circle, "wrong circle")
        require(reader.number(4) == self.manifest.generation, "wrong generation")

    def sealed(self, reader, key):
        count = reader.number(4)
        data = reader.data[: reader.offset]
        return open_box(reader.take(count), key, data)

    def head(self, key):
        reader = Reader(self.entries[key])
        self.header(reader, b"KCH1")
        device, sequence, previous = reader.take(16), reader.number(8), reader.take(32)
        digest_of_manifest, epoch = reader.take(32), reader.number(4)
        judging = next((one for one in self.manifests if one.digest == digest_of_manifest), None)
        require(judging and judging.epoch == epoch, "unknown manifest")
        require(judging.members[device][1] in ("admin", "member"), "the device may not write")
        content = Reader(self.sealed(reader, self.keys[epoch].heads))
        reader.signed_by(judging.members[device][0])
        require(key == f"{self.prefix}/h/{device.hex()}", "unexpected etcd key")
        total, time, revision = content.take(32), content.number(8), content.number(8)
        seen = {content.take(16).hex(): content.number(8) for _ in range(content.number(2))}
        content.end()
        return {
            "device": device.hex(), "sequence": sequence, "previous": previous.hex(), "epoch": epoch,
            "sum": total.hex(), "time": time, "revision": revision, "seen": seen,
        }  # fmt: skip

    def record(self, key):
        data = self.entries[key]
        reader = Reader(data)
        self.header(reader, b"KCR1")
        name, epoch, device = reader.take(32), reader.number(4), reader.take(16)
        sequence, clock, base, kind = reader.number(8), reader.number(8), reader.take(32), reader.number(1)
        require(kind < 2, "an unknown kind")
        content = Reader(self.sealed(reader, self.keys[epoch].records))
        reader.signed_by(self.manifest.key_of(device))
        require(key == f"{self.prefix}/r/{name.hex()}", "unexpected etcd key")
        result = {
            "name": name.hex(), "epoch": epoch, "device": device.hex(), "sequence": sequence, "clock": clock,
            "base": base.hex(), "kind": kind, "digest": digest(b"kc-record-1" + data).hex(),
        }  # fmt: skip
        require(content.number(1) == 1, "an unknown version")
        item = content.take(content.number(4))
        padding = content.take(len(content.data) - content.offset)
        require(not any(padding) and len(content.data) % 128 == 0, "the padding is wrong")
        if kind == 1:
            require(not item, "a tombstone with an item")
            return result
        item_class, protection, has_value = item[0], item[1], item[2]
        count = int.from_bytes(item[3:7], "little")
        attributes, _ = decode_attributes(item[7 : 7 + count])
        require(name == item_name(item_class, attributes, self.keys[epoch].index), "another name")
        result["item"] = {
            "class": CLASSES[item_class], "protection": protection,
            "attributes": {key: value.hex() for key, (_, value) in sorted(attributes.items())},
            "value": item[7 + count :].hex() if has_value else None,
        }  # fmt: skip
        return result

    def check_sum(self):
        expected, present = ristretto.ZERO, ristretto.ZERO
        for head in self.heads:
            expected = ristretto.add(expected, ristretto.decode(bytes.fromhex(head["sum"])))
        for _, _, _, total in self.manifest.removed.values():
            expected = ristretto.add(expected, ristretto.decode(total))
        for record in self.records:
            message = b"kc-set-1" + bytes.fromhex(record["name"] + record["digest"])
            present = ristretto.add(present, ristretto.point(hashlib.blake2b(message).digest()))
        require(ristretto.encode(expected) == ristretto.encode(present), "the sum is wrong")

    @property
    def contents(self):
        manifest = self.manifest
        return {
            "circle": manifest.circle.hex(), "generation": manifest.generation, "version": manifest.version,
            "epoch": manifest.epoch,
            "members": {manifest.names[device]: role for device, (_, role) in manifest.members.items()},
            "removed": {device.hex(): removed[1] for device, removed in manifest.removed.items()},
            "heads": self.heads, "records": self.records,
        }  # fmt: skip


def is_refused(entries, secret):
    try:
        Circle(entries, secret)
    except (Refused, InvalidSignature, InvalidTag, ValueError, KeyError, IndexError):
        return True
    return False


def main():
    source = json.load(sys.stdin)
    entries = {key: bytes.fromhex(value) for key, value in source["entries"].items()}
    secret = (bytes.fromhex(source["seed"]), bytes.fromhex(source["box"]))
    circle = Circle(entries, secret)
    if "--flip" not in sys.argv:
        print(json.dumps(circle.contents, indent=2, sort_keys=True))
        return
    step, start = map(int, sys.argv[2:])
    count = 0
    for key, value in entries.items():
        if circle.prefix not in key and "/m/" not in key:
            continue
        for index in range(start, len(value), step):
            changed = bytearray(value)
            changed[index] ^= 1 << index % 8
            require(is_refused({**entries, key: bytes(changed)}, secret), f"byte {index} of {key} was changed unnoticed")
            count += 1
    print(json.dumps({"changes": count}))


if __name__ == "__main__":
    main()
