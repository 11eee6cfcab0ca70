#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Opens a store, checks everything in it, and prints its items as JSON. Prints secrets in plaintext: for tests only.

    read_keychain.py DIRECTORY [PASSCODE [APPLICATION_PASSWORD]]
"""

import json
import pathlib
import sqlite3
import struct
import sys

from keychain_format import (
    BUCKETS, MODULUS, PROTECTION, Damaged, DeviceKey, Header, Keybag, LockPage, digest, open_box,
)  # fmt: skip
from keychain_items import (
    CLASSES, AccessControl, Columns, Credentials,
    decode_attributes, group_digest, identity_digest, index_column, item_keys, open_value,
)  # fmt: skip

APPLICATION_ID, FORMAT = 0x4C4B4331, 4

# The parts of a primary key that most items lack.
OPTIONAL_KEYS = {"vwht", "tkid", "ggrp"}


def exposed(value):
    code, data = value
    if code == 1:
        return {"text": data.decode()}
    if code == 2:
        return {"data": data.hex()}
    if code == 3:
        return {"number": int.from_bytes(data, "little", signed=True)}
    return {"date": struct.unpack("<d", data)[0]}


def read_item(row, device, keybag, credentials):
    *clear, sealed, secret = row
    columns = Columns.of_row(*clear)
    item, item_class, group = columns.item, columns.item_class, columns.group
    if columns.class_key not in keybag.class_keys:
        raise Damaged(f"item {item.hex()} is locked")
    access = AccessControl.of_record(sealed, columns, keybag)
    keys, start = item_keys(sealed, columns, keybag, device, access, credentials)
    plain = open_box(sealed[start:], keys[1], columns.associated_data(1, access), "the attributes")
    attributes, tag = decode_attributes(plain)
    if group != group_digest(device, attributes["agrp"][1]):
        raise Damaged(f"item {item.hex()} is in another group")
    if columns.identity != identity_digest(device, item_class, attributes, group, columns.synchronizable):
        raise Damaged(f"item {item.hex()} has another identity")
    if columns.digests != (b"" if columns.tombstone else index_column(device, item_class, attributes, group)):
        raise Damaged(f"item {item.hex()} has other index digests")
    value = None
    if tag is not None:
        if secret is None:
            raise Damaged(f"item {item.hex()} has lost its value")
        if secret[-16:] != tag:
            raise Damaged(f"item {item.hex()} has a value from another change")
        value = open_value(secret, columns, keys, access).hex()
    elif secret is not None:
        raise Damaged(f"item {item.hex()} has a value, but its attributes record none")
    exposed_item = {
        "class": CLASSES[item_class],
        "reference": (CLASSES[item_class].encode() + item).hex(),
        "protection": PROTECTION[columns.protection],
        "synchronizable": bool(columns.synchronizable),
        "tombstone": bool(columns.tombstone),
        "version": columns.version,
        "attributes": {name: exposed(value) for name, value in attributes.items()},
        "secret": value,
    }
    if access is not None:
        exposed_item["constraints"] = access.flags
    return exposed_item, columns, columns.set_hash(device, sealed)


def read(directory, passcode=None, password=None):
    device = DeviceKey.parse((directory / "device.key").read_bytes())
    database = sqlite3.connect(f"file:{directory / 'keychain.db'}?mode=ro", uri=True)
    if database.execute("PRAGMA application_id").fetchone() != (APPLICATION_ID,):
        raise Damaged("keychain.db is not a keychain")
    if database.execute("PRAGMA user_version").fetchone() != (FORMAT,):
        raise Damaged("keychain.db has another format")
    pages = dict(database.execute("SELECT id, content FROM page"))
    header = Header.parse(pages[0], device)
    if digest(pages[1]) != header.keybag_digest:
        raise Damaged("the keybag does not match the digest in the header")
    keybag = Keybag.parse(pages[1], device, passcode)
    if keybag.has_passcode != (header.lock_digest is not None):
        raise Damaged("the keybag and the header disagree on a passcode")
    credentials = Credentials(password=password)
    if header.lock_digest is not None:
        if digest(pages[2]) != header.lock_digest:
            raise Damaged("the lock page does not match the digest in the header")
        lock = LockPage(pages[2], device, keybag)
        if passcode is not None:
            credentials.user_keys = (lock.access_key,)
            lock.check_recipient(pages[3], device)
    sums, tombstone_sum, items, entries = [0] * BUCKETS, 0, [], []
    for row in database.execute("SELECT id, tag, identity, version, flags, digests, attributes, secret FROM item ORDER BY id"):
        item, columns, set_hash = read_item(row, device, keybag, credentials)
        items.append(item)
        entries += [(key, row[0]) for key in columns.index_keys]
        sums[columns.bucket] = (sums[columns.bucket] + set_hash) % MODULUS
        if columns.tombstone:
            tombstone_sum = (tombstone_sum + set_hash) % MODULUS
    if sums != header.sums or tombstone_sum != header.tombstone_sum:
        raise Damaged("rows were added, removed or rolled back")
    if sorted(entries) != sorted(database.execute("SELECT digest, item FROM item_index")):
        raise Damaged("the index does not match the items")
    tombstones = sum(item["tombstone"] for item in items)
    if (len(items) - tombstones, tombstones) != (header.items, header.tombstones):
        raise Damaged("the header counts other items")
    if not header.optional_keys and any(OPTIONAL_KEYS & item["attributes"].keys() for item in items):
        raise Damaged("the header misses that an item has an optional part of the primary key")
    # Sorted by item identifier, as StoreDump in the tests sorts items.
    items.sort(key=lambda item: item["reference"][8:])
    return {"store": device.store.hex(), "generation": header.generation, "items": items}


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3, 4):
        sys.exit(__doc__)
    try:
        words = [word.encode() for word in sys.argv[2:]]
        json.dump(read(pathlib.Path(sys.argv[1]), *words), sys.stdout, indent=1, sort_keys=True)
        print()
    except Damaged as error:
        sys.exit(f"read_keychain.py: {error}")
