# SPDX-License-Identifier: Apache-2.0
"""The items of a store, written a second time from their description, to check the first."""

import hmac
import struct

from keychain_format import Damaged, digest, is_cost, open_box, open_for, passcode_key, seal, x25519_public

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

    def associated_data(self, role, access=None):
        """role: 1 attributes, 2 value, 3 access control, 4 the item's key, 5 the same inside."""
        flags = (1 if self.synchronizable else 0) | (2 if self.tombstone else 0)
        data = struct.pack(
            "<BBBBB3xQ", role, 1 if access is None else 0x81, self.item_class, self.protection, flags, self.version
        )
        data += self.item + self.group + self.identity + (bytes(32) if access is None else access.digest)
        return data + (self.digests if role in (1, 3) else b"")

    def set_hash(self, device, attributes):
        return int.from_bytes(digest(self.associated_data(1) + attributes, device.set), "little")


def box_keys(key):
    """Of a class key or an item's own key: what attributes and values are sealed under."""
    return {1: digest(b"attributes", key), 2: digest(b"secrets", key)}


def padded(plain):
    count = len(plain)
    if count <= 256:
        step = 32
    elif count <= 2048:
        step = 128
    else:
        step = 1 << (count - 1).bit_length() - 4
    return plain + bytes(max(-(-count // step) * step, 32) - count)


def padded_value(value):
    return padded(value) + struct.pack("<I", len(value))


def seal_record(plain, columns, keybag, role, nonce):
    """suite 1, box. Roles 1 and 2; the message is padded already."""
    key = box_keys(keybag.class_keys[columns.protection])[role]
    return b"\x01" + seal(plain, key, columns.associated_data(role), nonce())


class Credentials:
    """What opens items under access control."""

    def __init__(self, person=(), password=None):
        self.person, self.password = person, password  # X25519 private keys; the bytes of an application password


class AccessControl:
    """encoding, protection, wrapped by, passes, log2 of KiB: 1 each; zeros 3, flags 8, access key 16, enrolled 32,
    salt 16, check 32."""

    PERSON = 1 << 0 | 1 << 1 | 1 << 3 | 1 << 4 | 1 << 5
    CURRENT_SET = 1 << 3
    PASSWORD = 1 << 31
    BOX = 112 + 40
    BY_PASSCODE, BY_PASSWORD = 1, 2

    def __init__(self, plain, columns):
        fields = struct.unpack("<BBBBB3sQ16s32s16s32s", plain)
        encoding, protection, self.wrapping, self.passes, self.doublings, zeros, self.flags, self.recipient = fields[:8]
        enrolled, self.salt, self.check = fields[8:]
        if encoding != 1 or protection != columns.protection or any(zeros):
            raise Damaged("an access control is malformed")
        if any(enrolled) and not self.flags & self.CURRENT_SET:
            raise Damaged("an access control is bound to fingers and does not say so")
        needs_person, needs_password = bool(self.flags & self.PERSON), bool(self.flags & self.PASSWORD)
        if bool(self.wrapping & self.BY_PASSWORD) != needs_password or self.wrapping & self.BY_PASSCODE and not needs_person:
            raise Damaged("an item's key is wrapped by what its flags do not say")
        if needs_password and not is_cost(self.passes, self.doublings):
            raise Damaged("the key of an application password is derived in an unknown way")
        self.digest = digest(plain)

    @classmethod
    def of_record(cls, record, columns, keybag):
        """The access control in the record of the attributes, or None."""
        if record[0] != 0x81:
            return None
        key = box_keys(keybag.class_keys[columns.protection])[1]
        box = record[1 : 1 + cls.BOX]
        return cls(open_box(box, key, columns.associated_data(3), "an access control"), columns)

    @property
    def wrapped_count(self):
        if not self.wrapping:
            return 0
        count = 32 + 40
        if self.wrapping & self.BY_PASSCODE:
            count += 32 + 40
        return count + (40 if self.wrapping & self.BY_PASSWORD else 0)

    def unwrap(self, wrapped, columns, class_key, device, credentials):
        inner = open_box(wrapped, box_keys(class_key)[1], columns.associated_data(4, self), "the key of an item")
        data = columns.associated_data(5, self)
        if self.wrapping & self.BY_PASSCODE:
            keys = [key for key in credentials.person if digest(x25519_public(key))[:16] == self.recipient]
            if not keys:
                raise Damaged("an item is sealed for somebody else")
            inner = open_for(inner, keys[0], data, "the key of a user's item")
        if self.wrapping & self.BY_PASSWORD:
            if credentials.password is None:
                raise Damaged("an item needs its application password")
            key = passcode_key(device, credentials.password, self.salt, self.passes, self.doublings)
            if not hmac.compare_digest(self.check, digest(b"application password check", key)):
                raise Damaged("the application password is wrong")
            inner = open_box(inner, key, data, "the key of an application password's item")
        return inner


def item_keys(record, columns, keybag, device, access, credentials):
    """What the boxes of an item are sealed under, and where the box of the attributes begins."""
    class_key = keybag.class_keys[columns.protection]
    if access is None:
        return box_keys(class_key), 1
    start = 1 + AccessControl.BOX
    end = start + access.wrapped_count
    if not access.wrapping:
        return box_keys(class_key), end
    return box_keys(access.unwrap(record[start:end], columns, class_key, device, credentials)), end


def open_value(record, columns, keys, access):
    if record[0] != (1 if access is None else 0x81):
        raise Damaged("a value has another suite")
    plain = open_box(record[1:], keys[2], columns.associated_data(2, access), "a value")
    (count,) = struct.unpack_from("<I", plain, len(plain) - 4)
    if count > len(plain) - 4 or any(plain[count:-4]):
        raise Damaged("the padding is not zero")
    return plain[:count]


def encode_attributes(attributes, secret=None):
    """attributes: {name: (type, bytes)}; secret: the tag of the value's box."""
    plain = bytes([1, 0 if secret is None else 1]) + (secret or b"")
    plain += bytes([len(attributes)])
    for name, (code, data) in sorted(attributes.items(), key=lambda entry: NUMBERS[entry[0]]):
        plain += struct.pack("<BBI", NUMBERS[name], code, len(data)) + data
    return plain


def decode_attributes(plain):
    if plain[0] != 1 or plain[1] > 1:
        raise Damaged("the attributes have another encoding")
    place, secret = 2, None
    if plain[1]:
        secret, place = plain[2:18], 18
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
    return digest(b"g" + name, device.index)[:16]


def compared(name, value):
    code, data = value
    return data if name in BLOBS else bytes([code]) + data


def attribute_digest(device, item_class, name, value, group):
    message = b"a" + bytes([item_class, NUMBERS[name]]) + group + compared(name, value)
    return digest(message, device.index)[:16]


def identity_digest(device, item_class, attributes, group, synchronizable):
    message = b"pk" + bytes([item_class]) + group + bytes([synchronizable])
    for name, initial in sorted(UNIQUE[item_class].items(), key=lambda entry: NUMBERS[entry[0]]):
        value = attributes.get(name)
        if value is None:
            if initial is None:
                continue
            value = initial if isinstance(initial, tuple) else (1, initial)
        message += struct.pack("<BI", NUMBERS[name], len(value[1])) + compared(name, value)
    return digest(message, device.index)


def index_column(device, item_class, attributes, group):
    column = b""
    for name in SEARCHABLE[item_class]:
        value = attributes.get(name)
        # What is as it would be without being said chooses nothing.
        if value is None or (name in ("acct", "svce", "srvr") and value[1] == b""):
            continue
        column += bytes([NUMBERS[name]]) + attribute_digest(device, item_class, name, value, group)
    return column
