# SPDX-License-Identifier: Apache-2.0
"""The pages of a store, written a second time from their description, to check the first; keychain_items has the items.

Needs Python 3.9 and the package "cryptography" (Debian: python3-cryptography), for AES-GCM and X25519 alone.
"""

import functools
import hashlib
import hmac
import struct

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

import hpke


class Damaged(Exception):
    """Something is not as it was written; the text says what."""


def sha256(data):
    return hashlib.sha256(data).digest()


def mac(key, message):
    return hmac.new(key, message, hashlib.sha256).digest()


def expand(key, info):
    """HKDF-SHA256-Expand to 32 bytes, which is one block."""
    return mac(key, info + b"\x01")


def seal(plain, key, context, nonce):
    return nonce + AESGCM(key).encrypt(nonce, plain, context)


def open_box(box, key, context, what):
    try:
        return AESGCM(key).decrypt(box[:12], box[12:], context)
    except (InvalidTag, ValueError) as error:
        raise Damaged(f"{what} does not open") from error


class DeviceKey:
    """The file device.key: magic 8, store 16, key 32, check 8."""

    MAGIC = b"LKCDEVK1"

    def __init__(self, store, key):
        self.store, self.key = store, key
        self.header = self.derive(b"header")
        self.key_encryption = self.derive(b"kek-device")
        self.index = self.derive(b"index")
        self.set = self.derive(b"set")
        self.passcode = self.derive(b"passcode")

    def derive(self, label):
        return expand(self.key, b"lkc/1/" + label + self.store)

    @property
    def file(self):
        body = self.MAGIC + self.store + self.key
        return body + sha256(body)[:8]

    @classmethod
    def parse(cls, file):
        if len(file) != 64 or file[:8] != cls.MAGIC or sha256(file[:56])[:8] != file[56:]:
            raise Damaged("device.key is damaged")
        return cls(file[8:24], file[24:56])


@functools.cache
def passcode_key(device, passcode, salt, doublings):
    """scrypt with r = 8 and p = 1, tangled with the device: of the passcode, and of an application password."""
    message = struct.pack("<I", len(passcode)) + passcode
    memory = (1024 << doublings) + (1 << 20)
    derived = hashlib.scrypt(message, salt=salt, n=1 << doublings, r=8, p=1, maxmem=memory, dklen=32)
    return expand(mac(device.passcode, derived), b"lkc/1/kek-pass" + device.store)


PROTECTION = {1: "ak", 2: "aku", 3: "ck", 4: "cku", 5: "dk", 6: "dku", 7: "akpu"}


class Keybag:
    """magic 4, version 1, suite 1, count 1, 0, passcode derivation 72, entries of 66 bytes."""

    def __init__(self, class_keys, has_passcode=False):
        self.class_keys = class_keys  # protection class: (number, key)
        self.has_passcode = has_passcode

    @staticmethod
    def context(device, protection, number):
        return b"lkc/1/class" + device.store + struct.pack("<BIB", protection, number, 1)

    def page(self, device, nonce):
        page = b"LKCK" + bytes([1, 1, len(self.class_keys), 0]) + bytes(72)
        for protection, (number, key) in sorted(self.class_keys.items()):
            context = self.context(device, protection, number)
            page += struct.pack("<BBI", protection, 1, number)
            page += seal(key, device.key_encryption, context, nonce())
        return page

    @staticmethod
    def proved_key(page, device, passcode):
        """kdf 1, log2 of N 1, r 1, p 1, zeros 4, salt 32, check 32, from offset 8."""
        kdf, doublings, r, p, zero, salt, check = struct.unpack_from("<BBBBI32s32s", page, 8)
        if kdf != 1 or not 1 <= doublings <= 20 or (r, p) != (8, 1) or zero:
            raise Damaged("the passcode's key is derived in an unknown way")
        key = passcode_key(device, passcode, salt, doublings)
        if not hmac.compare_digest(check, mac(key, b"lkc/1/check" + device.store + page[8:48])):
            raise Damaged("the passcode is wrong")
        return key

    @classmethod
    def parse(cls, page, device, passcode=None):
        if page[:6] != b"LKCK\x01\x01" or len(page) != 80 + 66 * page[6]:
            raise Damaged("the keybag is malformed")
        has_passcode = any(page[8:80])
        wrapping = {1: device.key_encryption}
        if has_passcode and passcode is not None:
            wrapping[2] = cls.proved_key(page, device, passcode)
        keys = {}
        for place in range(80, len(page), 66):
            protection, wrapped_by, number = struct.unpack_from("<BBI", page, place)
            if wrapped_by not in wrapping:
                continue
            context = cls.context(device, protection, number)
            box = page[place + 6 : place + 66]
            keys[protection] = (number, open_box(box, wrapping[wrapped_by], context, "a class key"))
        keybag = cls(keys, has_passcode)
        keybag.passcode_key = wrapping.get(2)
        return keybag


class Header:
    """plain part 40, which is the context of the box that follows."""

    FIELDS = "<QQQ32s512s32s7Q"
    FINGER_PAGE = 1  # a compatible feature
    LOCK_PAGE = 2  # a read-only compatible feature

    def __init__(self, **fields):
        self.major, self.minor = fields.pop("major", 1), fields.pop("minor", 0)
        self.flags = fields.pop("flags", (0, 0, 0))
        self.generation = fields.pop("generation", 0)
        self.items, self.tombstones = fields.pop("items", 0), fields.pop("tombstones", 0)
        self.keybag_digest = fields.pop("keybag_digest")
        self.bucket_digests = fields.pop("bucket_digests")
        self.tombstone_sum = fields.pop("tombstone_sum", 0)
        self.wrap_counts = fields.pop("wrap_counts", [0] * 7)

    def plain(self, device):
        return b"LKCH" + struct.pack("<HH16sIIIB3x", self.major, self.minor, device.store, *self.flags, 1)

    def page(self, device, nonce):
        content = struct.pack(
            self.FIELDS,
            self.generation,
            self.items,
            self.tombstones,
            self.keybag_digest,
            b"".join(self.bucket_digests),
            self.tombstone_sum.to_bytes(32, "little"),
            *self.wrap_counts,
        )
        plain = self.plain(device)
        return plain + seal(content, device.header, plain, nonce())

    @property
    def has_finger_page(self):
        return bool(self.flags[0] & self.FINGER_PAGE)

    @classmethod
    def parse(cls, page, device):
        magic, major, minor, store, compatible, read_only, incompatible, _ = struct.unpack_from("<4sHH16sIIIB3x", page)
        if magic != b"LKCH" or major > 1 or incompatible or store != device.store:
            raise Damaged("the header is of another format or store")
        content = open_box(page[40:], device.header, page[:40], "the header")
        fields = struct.unpack_from(cls.FIELDS, content)
        header = cls(
            major=major,
            minor=minor,
            flags=(compatible, read_only, incompatible),
            generation=fields[0],
            items=fields[1],
            tombstones=fields[2],
            keybag_digest=fields[3],
            bucket_digests=[fields[4][place : place + 32] for place in range(0, 512, 32)],
            tombstone_sum=int.from_bytes(fields[5], "little"),
            wrap_counts=list(fields[6:]),
        )
        header.lock_digest = content[656:688] if read_only & cls.LOCK_PAGE else None
        return header


class LockPage:
    """Page 2 of a store with a passcode: one box of 128 bytes."""

    def __init__(self, box, device, keybag):
        plain = open_box(box, device.header, b"lkc/1/lock" + device.store, "the lock page")
        if len(plain) != 128 or plain[0] != 1:
            raise Damaged("the lock page is malformed")
        self.flags, self.interval, self.state, self.failures = struct.unpack_from("<xB2xI16sI", plain)
        if keybag.passcode_key is not None:
            context = b"lkc/1/access" + device.store
            key = open_box(plain[56:116], keybag.passcode_key, context, "the key of access control")
            self.access_key = expand(key, b"lkc/1/access-x25519" + device.store)
            finger = expand(key, b"lkc/1/access-finger" + device.store)
            self.finger_key = expand(finger, b"lkc/1/access-x25519" + device.store)
        self.access_key_digest = sha256(plain[56:116])

    def check_recipient(self, box, device):
        """Page 3: the public key that items under access control are sealed for."""
        context = b"lkc/1/recipient" + device.store + self.access_key_digest
        public = open_box(box, device.header, context, "the access control page")
        if public != hpke.public_key(self.access_key):
            raise Damaged("the access control page has another key")

    def check_finger(self, box, device):
        """Page 4: the public key that items which a finger opens are sealed for."""
        context = b"lkc/1/finger" + device.store + self.access_key_digest
        if open_box(box, device.header, context, "the finger page") != hpke.public_key(self.finger_key):
            raise Damaged("the finger page has another key")


class BucketPage:
    """Sixteen sums of 32 bytes, little-endian, sealed."""

    @staticmethod
    def context(device, number):
        return b"lkc/1/buckets" + device.store + bytes([number])

    @classmethod
    def page(cls, sums, number, device, nonce):
        plain = b"".join(sum.to_bytes(32, "little") for sum in sums)
        return seal(plain, device.header, cls.context(device, number), nonce())

    @classmethod
    def parse(cls, box, number, device):
        plain = open_box(box, device.header, cls.context(device, number), f"bucket page {number}")
        if len(plain) != 512:
            raise Damaged(f"bucket page {number} is malformed")
        return [int.from_bytes(plain[place : place + 32], "little") for place in range(0, 512, 32)]
