# SPDX-License-Identifier: Apache-2.0
"""The format of a store, written a second time from its description, to check the first.

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


NAMES = (
    "agrp sync musr vwht tkid ggrp cdat mdat labl alis pdmn accc sha1 tomb UUID sysb pcss pcsk pcsi acct svce gena "
    "desc icmt crtr type scrp invi nega cusi prot sdmn srvr ptcl atyp port path"
).split()
NUMBERS = {name: number for number, name in enumerate(NAMES, 1)}
CLASSES = {1: "genp", 2: "inet"}
# By bytes alone are compared:
BLOBS = set("labl alis pcsk pcsi acct svce gena desc icmt prot sdmn srvr atyp path".split())
# The unique attributes that are in the identity after the group and the flag, with their initial values.
UNIQUE = {
    1: {"vwht": None, "tkid": None, "ggrp": None, "acct": b"", "svce": b""},
    2: {
        "vwht": None, "tkid": None, "ggrp": None, "acct": b"", "sdmn": b"", "srvr": b"",
        "ptcl": (3, bytes(4)), "atyp": b"", "port": (3, bytes(4)), "path": b"",
    },
}  # fmt: skip
SEARCHABLE = {1: ["labl", "acct", "svce", "gena"], 2: ["labl", "acct", "srvr"]}


class Columns:
    """What stands on disk of an item unsealed."""

    def __init__(self, item, item_class, version, group, protection, synchronizable, tombstone, identity, digests):
        self.item, self.item_class, self.version, self.group = item, item_class, version, group
        self.protection, self.synchronizable, self.tombstone = protection, synchronizable, tombstone
        self.identity, self.digests = identity, digests

    @property
    def digest(self):
        message = b"lkc/1/columns" + struct.pack("<BQ", self.item_class, self.version) + self.group
        message += bytes([self.protection, self.synchronizable, self.tombstone]) + self.identity + self.digests
        return sha256(message)

    def context(self, device, role, version, class_key=0, access=None):
        """role: 1 attributes, 2 their wrapped key, 3 value, 4 its wrapped key, 5 and 6 the inner wraps of the keys."""
        context = b"LKC1" + struct.pack(
            "<BBBBIQ", 1 if access is None else 0x81, role, self.item_class, self.protection, class_key, version
        )
        context += device.store + self.item + (bytes(32) if access is None else access.digest)
        return context + (self.digest if role in (1, 2, 5) else bytes(32))

    def access_context(self, device, class_key):
        """That of the sealed access control: role 7."""
        fields = struct.pack("<BBBBIQ", 0x81, 7, self.item_class, self.protection, class_key, self.version)
        return b"LKC1" + fields + device.store + self.item + bytes(32) + self.digest

    def set_hash(self, device, attributes):
        content = sha256(self.digest + attributes)
        message = self.item + struct.pack("<Q", self.version) + content
        return int.from_bytes(mac(device.set, message), "little")


def padded(plain):
    count = len(plain)
    if count <= 256:
        step = 32
    elif count <= 2048:
        step = 128
    else:
        step = 1 << (count - 1).bit_length() - 4
    return plain + bytes(max(-(-count // step) * step, 32) - count)


def seal_record(plain, columns, keybag, device, role, key, nonce, version=None):
    """suite 1, number of the class key 4, wrapped key 60, box. Roles 1 and 3."""
    number, class_key = keybag.class_keys[columns.protection]
    version = columns.version if version is None else version
    wrapping = expand(class_key, b"meta" if role == 1 else b"secret")
    wrapped = seal(key, wrapping, columns.context(device, role + 1, version, number), nonce())
    box = seal(padded(plain), key, columns.context(device, role, version), nonce())
    return struct.pack("<BI", 1, number) + wrapped + box


class Credentials:
    """What opens items under access control."""

    def __init__(self, person=(), password=None):
        self.person, self.password = person, password  # X25519 private keys; the bytes of an application password


class AccessControl:
    """encoding 1, protection 1, log2 of N 1, zeros 5, flags 8, public key 16, enrolled 32, salt 32, check 32."""

    PERSON = 1 << 0 | 1 << 1 | 1 << 3 | 1 << 4 | 1 << 5
    CURRENT_SET = 1 << 3
    PASSWORD = 1 << 31
    BOX = 128 + 28

    def __init__(self, plain, columns):
        fields = struct.unpack("<BBB5sQ16s32s32s32s", plain)
        encoding, protection, self.doublings, zeros, self.flags, self.recipient, enrolled, self.salt, self.check = fields
        if encoding != 1 or protection != columns.protection or any(zeros):
            raise Damaged("an access control is malformed")
        if any(enrolled) and not self.flags & self.CURRENT_SET:
            raise Damaged("an access control is bound to fingers and does not say so")
        self.digest = sha256(plain)
        self.needs_person, self.needs_password = bool(self.flags & self.PERSON), bool(self.flags & self.PASSWORD)
        if self.doublings not in (range(1, 21) if self.needs_password else (0,)):
            raise Damaged("the key of an application password is derived in an unknown way")

    @classmethod
    def of_record(cls, record, columns, keybag, device):
        """The access control in the record of the attributes, or None."""
        if record[0] != 0x81:
            return None
        number, class_key = keybag.class_keys[columns.protection]
        context = columns.access_context(device, number)
        return cls(open_box(record[5 : 5 + cls.BOX], expand(class_key, b"meta"), context, "an access control"), columns)

    @property
    def wrapped_count(self):
        return 60 + (48 if self.needs_person else 0) + (28 if self.needs_password else 0)

    def unwrap(self, inner, context, device, credentials):
        if self.needs_person:
            keys = [key for key in credentials.person if sha256(hpke.public_key(key))[:16] == self.recipient]
            if not keys:
                raise Damaged("an item is sealed for somebody else")
            try:
                inner = hpke.open_first(inner, keys[0], b"lkc/1/access-item", context)
            except (InvalidTag, ValueError) as error:
                raise Damaged("the key of a person's item does not open") from error
        if self.needs_password:
            if credentials.password is None:
                raise Damaged("an item needs its application password")
            key = passcode_key(device, credentials.password, self.salt, self.doublings)
            if not hmac.compare_digest(self.check, mac(key, b"lkc/1/application" + device.store + self.salt)):
                raise Damaged("the application password is wrong")
            inner = open_box(inner, key, context, "the key of an application password's item")
        return inner


def open_record(record, columns, keybag, device, role, version, access=None, credentials=Credentials()):
    """The message of a record, and its box. Roles 1 and 3."""
    number, class_key = keybag.class_keys[columns.protection]
    start = 5 + (AccessControl.BOX if access is not None and role == 1 else 0)
    end = start + (60 if access is None else access.wrapped_count)
    suite = 1 if access is None else 0x81
    if len(record) < end + 28 or record[:5] != struct.pack("<BI", suite, number):
        raise Damaged("a record is malformed")
    wrapping = expand(class_key, b"meta" if role == 1 else b"secret")
    context = columns.context(device, role + 1, version, number, access)
    key = open_box(record[start:end], wrapping, context, "the key of a record")
    if access is not None:
        context = columns.context(device, 5 if role == 1 else 6, version, 0, access)
        key = access.unwrap(key, context, device, credentials)
    box = record[end:]
    return open_box(box, key, columns.context(device, role, version, 0, access), "a record"), box


def encode_attributes(attributes, secret=None):
    """attributes: {name: (type, bytes)}; secret: (version, byte count, digest of the box)."""
    plain = bytes([1, 0 if secret is None else 1])
    if secret is not None:
        plain += struct.pack("<QQ32s", *secret)
    plain += bytes([len(attributes)])
    for name, (code, data) in sorted(attributes.items(), key=lambda entry: NUMBERS[entry[0]]):
        plain += struct.pack("<BBI", NUMBERS[name], code, len(data)) + data
    return plain


def decode_attributes(plain):
    if plain[0] != 1 or plain[1] > 1:
        raise Damaged("the attributes have another encoding")
    place, secret = 2, None
    if plain[1]:
        secret, place = struct.unpack_from("<QQ32s", plain, 2), 50
    attributes = {}
    count, place = plain[place], place + 1
    for _ in range(count):
        number, code, length = struct.unpack_from("<BBI", plain, place)
        place += 6
        attributes[NAMES[number - 1]] = (code, plain[place : place + length])
        place += length
    if any(plain[place:]):
        raise Damaged("the padding is not zero")
    return attributes, secret


def group_digest(device, name):
    return mac(device.index, b"g" + name)[:16]


def compared(name, value):
    code, data = value
    return data if name in BLOBS else bytes([code]) + data


def attribute_digest(device, item_class, name, value, group):
    message = b"a" + bytes([item_class, NUMBERS[name]]) + group + compared(name, value)
    return mac(device.index, message)[:16]


def identity_digest(device, item_class, attributes, group, synchronizable):
    message = b"pk" + bytes([item_class]) + group + bytes([synchronizable])
    for name, initial in sorted(UNIQUE[item_class].items(), key=lambda entry: NUMBERS[entry[0]]):
        value = attributes.get(name)
        if value is None:
            if initial is None:
                continue
            value = initial if isinstance(initial, tuple) else (1, initial)
        message += struct.pack("<BI", NUMBERS[name], len(value[1])) + compared(name, value)
    return mac(device.index, message)


def index_column(device, item_class, attributes, group):
    column = b""
    for name in SEARCHABLE[item_class]:
        value = attributes.get(name)
        # What is as it would be without being said chooses nothing.
        if value is None or (name in ("acct", "svce", "srvr") and value[1] == b""):
            continue
        column += bytes([NUMBERS[name]]) + attribute_digest(device, item_class, name, value, group)
    return column
