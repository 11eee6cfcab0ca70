# SPDX-License-Identifier: Apache-2.0
"""An independent reader of the items of a store, written from Documentation/FileFormat.md."""

import hmac
import struct

from keychain_format import BUCKETS, Damaged, digest, is_cost, open_box, open_for, passcode_key, seal, x25519_public

NAMES = (
    "agrp sync musr vwht tkid ggrp cdat mdat labl alis pdmn accc sha1 tomb UUID sysb pcss pcsk pcsi acct svce gena "
    "desc icmt crtr type scrp invi nega cusi prot sdmn srvr ptcl atyp port path "
    "binn bini bin0 bin1 bin2 bin3 ctyp issr slnr cenc subj skid pkhh kcls klbl atag bsiz esiz sdat edat perm priv modi "
    "sens asen extr next encr decr drve sign vrfy snrc vyrc wrap unwp toid dspk clip"
).split()
NUMBERS = {name: number for number, name in enumerate(NAMES, 1)}
CLASSES = {1: "genp", 2: "inet", 3: "cert", 4: "keys"}
# The attributes of kind blob, whose values are compared by their bytes only.
BLOBS = set("labl alis pcsk pcsi acct svce gena desc icmt prot sdmn srvr atyp path atag".split())
TEXT, DATA, NUMBER, DATE = (1, b""), (2, b""), (3, bytes(4)), (4, bytes(8))
# The attributes of the primary key that follow access group and synchronizable in the message of an identity, with their defaults.
UNIQUE_IN_EVERY_CLASS = {"vwht": None, "tkid": None, "ggrp": None}
UNIQUE = {
    1: {"acct": TEXT, "svce": TEXT},
    2: {"acct": TEXT, "sdmn": TEXT, "srvr": TEXT, "ptcl": NUMBER, "atyp": TEXT, "port": NUMBER, "path": TEXT},
    3: {"ctyp": NUMBER, "issr": DATA, "slnr": DATA},
    4: {
        "crtr": NUMBER, "type": NUMBER, "kcls": NUMBER, "klbl": DATA, "atag": TEXT, "bsiz": NUMBER, "esiz": NUMBER,
        "sdat": DATE, "edat": DATE,
    },
}  # fmt: skip
# The attributes that have a digest in the row, in the order of their numbers.
SEARCHABLE = {
    1: ["labl", "acct", "svce", "gena"],
    2: ["labl", "acct", "srvr"],
    3: ["labl", "issr", "slnr", "subj", "skid", "pkhh"],
    4: ["labl", "type", "kcls", "klbl", "atag", "bsiz", "esiz"],
}
# The attributes whose digests are in the row, but not in the table item_index.
IN_ROW_ONLY = {"type", "kcls", "bsiz", "esiz"}


class Columns:
    """The columns of an item row that are not encrypted.

    item: row number 8 bytes, tag 8. identity: access group digest 8, class 1, digest 23.
    """

    # Bits of the column flags, whose lowest four bits are the protection class.
    SYNCHRONIZABLE, TOMBSTONE, PARITY = 1 << 4, 1 << 5, 1 << 6

    def __init__(self, item, identity, version, protection, synchronizable, tombstone, digests, parity=0):
        self.item, self.identity, self.version = item, identity, version
        self.protection, self.synchronizable, self.tombstone = protection, synchronizable, tombstone
        self.digests = digests
        self.class_key = protection | parity  # the code of the class key in the keybag

    @classmethod
    def of_row(cls, number, tag, identity, version, flags, digests):
        if len(tag) != 8 or len(identity) != 32 or identity[8] not in CLASSES or len(digests) % 9:
            raise Damaged(f"row {number} is malformed")
        if not 1 <= flags & 15 <= 7 or flags >= 1 << 7:
            raise Damaged(f"row {number} has other flags")
        item = struct.pack("<Q", number) + tag
        synchronizable, tombstone = flags & cls.SYNCHRONIZABLE, flags & cls.TOMBSTONE
        synchronizable, tombstone = int(synchronizable != 0), int(tombstone != 0)
        return cls(item, identity, version, flags & 15, synchronizable, tombstone, digests, flags & cls.PARITY)

    @property
    def group(self):
        return self.identity[:8]

    @property
    def item_class(self):
        return self.identity[8]

    @property
    def bucket(self):
        return self.identity[9] * BUCKETS // 256

    @property
    def index_keys(self):
        """Returns the entries of the row in the table item_index."""
        keys = [self.digests[place : place + 9] for place in range(0, len(self.digests), 9)]
        return [key for key in keys if NAMES[key[0] - 1] not in IN_ROW_ONLY]

    def associated_data(self, role, access=None):
        """Returns the associated data of a box.

        role: 1 attributes, 2 value, 3 access control, 4 item key, 5 inner boxes of the item key.
        """
        flags = (1 if self.synchronizable else 0) | (2 if self.tombstone else 0)
        suite = 1 if access is None else 0x81
        data = struct.pack("<BBBB4xQ", role, suite, self.protection, flags, self.version)
        data += self.item + self.identity + (bytes(32) if access is None else access.digest)
        return data + (self.digests if role in (1, 3) else b"")

    def set_hash(self, device, attributes):
        return int.from_bytes(digest(self.associated_data(1) + attributes, device.set)[:16], "little")


def box_keys(key):
    """Returns the attributes key and the secrets key derived from a class key or an item key, by role."""
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
    """Returns a column: suite 1 and a box, with role 1 or 2. `plain` must be padded already."""
    key = box_keys(keybag.class_keys[columns.class_key])[role]
    return b"\x01" + seal(plain, key, columns.associated_data(role), nonce())


class Credentials:
    """The keys that satisfy access controls."""

    def __init__(self, user_keys=(), password=None):
        self.user_keys, self.password = user_keys, password  # X25519 private keys; the bytes of an application password


class AccessControl:
    """An access control, of 112 bytes: encoding, protection class, what wraps the key, passes, log2 of KiB (1 byte each),
    zeros 3, flags 8, digest of the public key 16, digest of the fingers 32, salt 16, check value 32."""

    USER = 1 << 0 | 1 << 1 | 1 << 3 | 1 << 4 | 1 << 5
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
            raise Damaged("an access control has a digest of fingers without the flag that requires it")
        needs_user, needs_password = bool(self.flags & self.USER), bool(self.flags & self.PASSWORD)
        if bool(self.wrapping & self.BY_PASSWORD) != needs_password or self.wrapping & self.BY_PASSCODE and not needs_user:
            raise Damaged("the wrapping of an item's key contradicts the flags of its access control")
        if needs_password and not is_cost(self.passes, self.doublings):
            raise Damaged("the key of an application password is derived in an unknown way")
        self.digest = digest(plain)

    @classmethod
    def of_record(cls, record, columns, keybag):
        """Returns the access control in the column of the attributes; None for an item without one."""
        if record[0] != 0x81:
            return None
        key = box_keys(keybag.class_keys[columns.class_key])[1]
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
            keys = [key for key in credentials.user_keys if digest(x25519_public(key))[:16] == self.recipient]
            if not keys:
                raise Damaged("an item is sealed for another public key")
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
    """Returns the keys of an item's boxes by role, and the offset of the box of the attributes in its column."""
    class_key = keybag.class_keys[columns.class_key]
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
    """Encodes attributes, given as {name: (type code, bytes)}; secret is the tag of the value's box, or None."""
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
    return digest(b"g" + name, device.index)[:8]


def compared(name, value):
    code, data = value
    return data if name in BLOBS else bytes([code]) + data


def attribute_digest(device, item_class, name, value, group):
    message = b"a" + bytes([item_class, NUMBERS[name]]) + group + compared(name, value)
    return digest(message, device.index)[:8]


def identity_digest(device, item_class, attributes, group, synchronizable):
    """Returns the identity of an item: access group digest 8 bytes, class 1, digest 23."""
    message = b"pk" + bytes([item_class]) + group + bytes([synchronizable])
    unique = {**UNIQUE_IN_EVERY_CLASS, **UNIQUE[item_class]}
    for name, default in sorted(unique.items(), key=lambda entry: NUMBERS[entry[0]]):
        value = attributes.get(name, default)
        if value is not None:
            message += struct.pack("<BI", NUMBERS[name], len(value[1])) + compared(name, value)
    return group + bytes([item_class]) + digest(message, device.index)[:23]


def index_column(device, item_class, attributes, group):
    column = b""
    for name in SEARCHABLE[item_class]:
        value, default = attributes.get(name), UNIQUE[item_class].get(name)
        # A default value has no digest.
        if value is None or default is not None and compared(name, value) == compared(name, default):
            continue
        column += bytes([NUMBERS[name]]) + attribute_digest(device, item_class, name, value, group)
    return column
