#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Opens a backup, checks everything in it, and prints its items as JSON. Prints secrets in plaintext: for tests only.

    read_backup.py FILE PASSPHRASE

Written from Documentation/Backup.md; needs what keychain_format needs.
"""

import json
import pathlib
import struct
import sys

from argon2.low_level import Type, hash_secret_raw
from keychain_format import PROTECTION, Damaged, digest, open_box
from keychain_items import CLASSES, decode_attributes
from read_keychain import exposed


def chunks_key(header, passphrase):
    magic, passes, doublings, zeros, salt, check = struct.unpack("<8sBB6s16s16s", header)
    if magic != b"LKCBAK01" or any(zeros):
        raise Damaged("the file is not a backup")
    key = hash_secret_raw(passphrase, salt, passes, 1 << doublings, 1, 32, Type.ID)
    if digest(salt, digest(b"backup check", key))[:16] != check:
        raise Damaged("the passphrase is wrong")
    return digest(b"backup chunks", key)


def opened(box, key, header, number):
    """Returns the plaintext of a chunk, and whether it is the last one."""
    for last in (0, 1):
        try:
            return open_box(box, key, header + struct.pack("<QB", number, last), "a chunk"), last
        except Damaged:
            if last:
                raise
    return None


def records(plain):
    place = 0
    while place < len(plain):
        kind, length = struct.unpack_from("<BI", plain, place)
        yield kind, plain[place + 5 : place + 5 + length]
        place += 5 + length
    if place != len(plain):
        raise Damaged("a record is longer than its chunk")


def item(body):
    item_class, protection, flags, length = struct.unpack_from("<BBBI", body)
    attributes, _ = decode_attributes(body[7 : 7 + length])
    value = body[7 + length :]
    if value and not flags & 2:
        raise Damaged("an item without a value has one")
    return {
        "class": CLASSES[item_class],
        "protection": PROTECTION[protection],
        "synchronizable": bool(flags & 1),
        "attributes": {name: exposed(value) for name, value in attributes.items()},
        "value": value.hex() if flags & 2 else None,
    }


def read(file, passphrase):
    header, place, number, items = file[:48], 48, 0, []
    key = chunks_key(header, passphrase)
    while True:
        (length,) = struct.unpack_from("<I", file, place)
        plain, last = opened(file[place + 4 : place + 4 + length], key, header, number)
        place, number = place + 4 + length, number + 1
        for kind, body in records(plain):
            if kind == 1:
                items.append(item(body))
                continue
            if kind != 2 or not last or place != len(file):
                raise Damaged("the end record is not at the end of the file")
            count, device_only, constrained = struct.unpack("<QQQ", body)
            if count != len(items):
                raise Damaged("items are missing")
            return {"items": items, "thisDeviceOnly": device_only, "accessControl": constrained}
        if last:
            raise Damaged("the last chunk has no end record")


def main():
    try:
        print(json.dumps(read(pathlib.Path(sys.argv[1]).read_bytes(), sys.argv[2].encode())))
    except (Damaged, struct.error, IndexError, KeyError) as error:
        sys.exit(f"read_backup: {error}")


if __name__ == "__main__":
    main()
