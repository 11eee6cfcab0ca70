# SPDX-License-Identifier: Apache-2.0
"""An independent reader of the pages of a store, written from Documentation/FileFormat.md; keychain_items reads items.

Needs Python 3.9 and the packages "cryptography", only for ChaCha20-Poly1305 and X25519, and "argon2" (Debian:
python3-cryptography, python3-argon2). It shares no library with the package.
"""

import functools
import hashlib
import hmac
import struct

from argon2.low_level import Type, hash_secret_raw
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

import xchacha


class Damaged(Exception):
    """The error of a store that does not match the description of the format."""


def digest(message, key=b"", count=32):
    return hashlib.blake2b(message, key=key, digest_size=count).digest()


def seal(plain, key, data, nonce):
    """Returns a box; the nonce has 24 bytes."""
    return nonce + xchacha.encrypt(key, nonce, plain, data)


def open_box(box, key, data, what):
    try:
        return xchacha.decrypt(key, box[:24], box[24:], data)
    except (InvalidTag, ValueError, struct.error) as error:
        raise Damaged(f"{what} does not open") from error


class DeviceKey:
    """The file device.key: magic of 8 bytes, store identifier 16, key 32, checksum 8."""

    MAGIC = b"LKCDEVK2"

    def __init__(self, store, key):
        self.store, self.key = store, key
        self.header = self.derive(b"header")
        self.class_keys = self.derive(b"class keys")
        self.index = self.derive(b"index")
        self.set = self.derive(b"set")
        self.passcode = self.derive(b"passcode")

    def derive(self, purpose):
        return digest(purpose + self.store, self.key)

    @property
    def file(self):
        body = self.MAGIC + self.store + self.key
        return body + digest(body)[:8]

    @classmethod
    def parse(cls, file):
        if len(file) != 64 or file[:8] != cls.MAGIC or digest(file[:56])[:8] != file[56:]:
            raise Damaged("device.key is damaged")
        return cls(file[8:24], file[24:56])


@functools.cache
def passcode_key(device, passcode, salt, passes, doublings):
    """Derives the key of a passcode or application password: Argon2id, mixed with the device key."""
    derived = hash_secret_raw(passcode, salt, passes, 1 << doublings, 1, 32, Type.ID, 0x13)
    return digest(derived, device.passcode)


def is_cost(passes, doublings):
    return 1 <= passes <= 16 and 3 <= doublings <= 20


# The number of buckets, and the modulus of their sums of hashes.
BUCKETS = 128
MODULUS = 1 << 128

PROTECTION = {1: "ak", 2: "aku", 3: "ck", 4: "cku", 5: "dk", 6: "dku", 7: "akpu"}


class Keybag:
    """The keybag: magic of 4 bytes, version 1, suite 1, count 1, parity 1, passcode derivation 56, entries of 74 bytes."""

    def __init__(self, class_keys, has_passcode=False):
        self.class_keys = class_keys  # code of a class and parity: key
        self.has_passcode = has_passcode

    @staticmethod
    def associated_data(code):
        """code: protection class in bits 0 to 3, parity of the key in bit 6."""
        return b"class key" + bytes([code])

    def page(self, device, nonce):
        page = b"LKCK" + bytes([2, 1, len(self.class_keys), 0]) + bytes(56)
        for code, key in sorted(self.class_keys.items()):
            page += bytes([code, 1])
            page += seal(key, device.class_keys, self.associated_data(code), nonce())
        return page

    @staticmethod
    def proved_key(page, device, passcode):
        """Returns the passcode key, checked with the passcode derivation.

        At offset 8: function, passes, log2 of KiB (1 byte each), zeros 5, salt 16, check value 32.
        """
        function, passes, doublings, zeros, salt, check = struct.unpack_from("<BBB5s16s32s", page, 8)
        if function != 1 or not is_cost(passes, doublings) or any(zeros):
            raise Damaged("the passcode's key is derived in an unknown way")
        key = passcode_key(device, passcode, salt, passes, doublings)
        message = b"passcode check" + bytes([passes, doublings]) + salt
        if not hmac.compare_digest(check, digest(message, key)):
            raise Damaged("the passcode is wrong")
        return key

    @classmethod
    def parse(cls, page, device, passcode=None):
        if page[:6] != b"LKCK\x02\x01" or len(page) != 64 + 74 * page[6] or page[7] > 1:
            raise Damaged("the keybag is malformed")
        has_passcode = any(page[8:64])
        wrapping = {1: device.class_keys}
        if has_passcode and passcode is not None:
            wrapping[2] = cls.proved_key(page, device, passcode)
        keys = {}
        for place in range(64, len(page), 74):
            code, wrapped_by = page[place], page[place + 1]
            if not 1 <= code & 15 <= 7 or code & ~0x4F:
                raise Damaged("a class key is of an unknown class")
            if wrapped_by not in wrapping:
                continue
            box = page[place + 2 : place + 74]
            keys[code] = open_box(box, wrapping[wrapped_by], cls.associated_data(code), "a class key")
        keybag = cls(keys, has_passcode)
        keybag.passcode_key = wrapping.get(2)
        return keybag


class Header:
    """The header: 40 plain bytes, 8 boxes with the sums of 16 buckets each, and a box whose associated data are the plain bytes.

    The message of the last box: generation 8, items 8, tombstones 8, optional keys 8, keybag digest 32, lock digest 32, tombstone sum 16, the tags of the
    other boxes, 16 each.
    """

    MAJOR = 4
    BOXES = 8
    BOX = 24 + 16 * BUCKETS // BOXES + 16
    FIELDS = "<QQQQ32s32s"
    LOCK_PAGE = 2  # a read-only compatible feature

    def __init__(self, **fields):
        self.major, self.minor = fields.pop("major", self.MAJOR), fields.pop("minor", 0)
        self.flags = fields.pop("flags", (0, 0, 0))
        self.generation = fields.pop("generation", 0)
        self.items, self.tombstones = fields.pop("items", 0), fields.pop("tombstones", 0)
        self.optional_keys = fields.pop("optional_keys", False)
        self.keybag_digest = fields.pop("keybag_digest")
        self.lock_digest = fields.pop("lock_digest", None)
        self.tombstone_sum = fields.pop("tombstone_sum", 0)
        self.sums = fields.pop("sums", [0] * BUCKETS)
        # To write damaged headers: the boxes of the sums, and those whose tags the last box contains.
        self.boxes, self.tagged = fields.pop("boxes", None), fields.pop("tagged", None)

    def plain(self, device):
        return b"LKCH" + struct.pack("<HH16sIIIB3x", self.major, self.minor, device.store, *self.flags, 1)

    def page(self, device, nonce):
        content = struct.pack(
            self.FIELDS,
            self.generation,
            self.items,
            self.tombstones,
            self.optional_keys,
            self.keybag_digest,
            self.lock_digest or bytes(32),
        )
        content += self.tombstone_sum.to_bytes(16, "little")
        boxes = self.boxes or self.sum_boxes(device, nonce)
        content += b"".join(box[-16:] for box in self.tagged or boxes)
        plain = self.plain(device)
        return plain + b"".join(boxes) + seal(content, device.header, plain, nonce())

    def sum_boxes(self, device, nonce):
        sums = b"".join(sum.to_bytes(16, "little") for sum in self.sums)
        parts = [sums[place : place + len(sums) // self.BOXES] for place in range(0, len(sums), len(sums) // self.BOXES)]
        return [seal(part, device.header, b"sums" + bytes([box]), nonce()) for box, part in enumerate(parts)]

    @classmethod
    def parse(cls, page, device):
        magic, major, minor, store, compatible, read_only, incompatible, _ = struct.unpack_from("<4sHH16sIIIB3x", page)
        if magic != b"LKCH" or major != cls.MAJOR or incompatible or store != device.store:
            raise Damaged("the header is of another format or store")
        boxes = [page[place : place + cls.BOX] for place in range(40, 40 + cls.BOXES * cls.BOX, cls.BOX)]
        content = open_box(page[40 + cls.BOXES * cls.BOX :], device.header, page[:40], "the header")
        start = struct.calcsize(cls.FIELDS)
        if len(content) < start + 16 * (1 + cls.BOXES):
            raise Damaged("the header is too short")
        if b"".join(box[-16:] for box in boxes) != content[start + 16 : start + 16 * (1 + cls.BOXES)]:
            raise Damaged("the sums are not those of the header")
        plain = [open_box(box, device.header, b"sums" + bytes([number]), "the sums") for number, box in enumerate(boxes)]
        sums = b"".join(plain)
        generation, items, tombstones, optional, keybag_digest, lock_digest = struct.unpack_from(cls.FIELDS, content)
        return cls(
            major=major,
            minor=minor,
            flags=(compatible, read_only, incompatible),
            generation=generation,
            items=items,
            tombstones=tombstones,
            optional_keys=optional != 0,
            keybag_digest=keybag_digest,
            lock_digest=lock_digest if read_only & cls.LOCK_PAGE else None,
            tombstone_sum=int.from_bytes(content[start : start + 16], "little"),
            sums=[int.from_bytes(sums[place : place + 16], "little") for place in range(0, 16 * BUCKETS, 16)],
        )


def x25519_public(private):
    key = X25519PrivateKey.from_private_bytes(private).public_key()
    return key.public_bytes(Encoding.Raw, PublicFormat.Raw)


def open_for(message, private, data, what):
    """Opens a message sealed for a public key: an ephemeral public key of 32 bytes, and a box."""
    try:
        shared = X25519PrivateKey.from_private_bytes(private).exchange(X25519PublicKey.from_public_bytes(message[:32]))
    except ValueError as error:
        raise Damaged(f"{what} does not open") from error
    keys = digest(shared + message[:32] + x25519_public(private), count=64)
    return open_box(message[32:], keys[32:], data, what)


class LockPage:
    """The lock page, page 2 of a store with a passcode: a box with a message of 128 bytes."""

    def __init__(self, box, device, keybag):
        plain = open_box(box, device.header, b"lock page", "the lock page")
        if len(plain) != 128 or plain[0] != 1:
            raise Damaged("the lock page is malformed")
        self.flags, self.interval, self.state, self.failures = struct.unpack_from("<xB2xI16sI", plain)
        self.access_key_digest = digest(plain[56:])
        if keybag.passcode_key is not None:
            key = open_box(plain[56:], keybag.passcode_key, b"access control key", "the key of access control")
            self.access_key = digest(key)

    def check_recipient(self, box, device):
        """Checks page 3: the public key for which items with an access control are sealed."""
        data = b"recipient" + self.access_key_digest
        if open_box(box, device.header, data, "the access control page") != x25519_public(self.access_key):
            raise Damaged("the access control page has another key")
