# SPDX-License-Identifier: Apache-2.0
"""The items of a store, written a second time from their description, to check the first."""

import hmac
import struct

from cryptography.exceptions import InvalidTag

import hpke
from keychain_format import Damaged, expand, mac, open_box, passcode_key, seal, sha256

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
