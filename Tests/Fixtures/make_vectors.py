#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes vectors/*.txt: parts of a store, valid and damaged, made without the code under test.

Each file has the expected result, the inputs and, after an empty line, the bytes. The files change only with the format,
which is provisional until version 1.0: then remove the files, and run this script again.
"""

import pathlib
import struct

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey

from keychain_format import BUCKETS, DeviceKey, Header, Keybag, digest, passcode_key, seal, x25519_public
from keychain_items import (
    Columns, attribute_digest, encode_attributes, group_digest, identity_digest, index_column, padded, padded_value,
    seal_record,
)  # fmt: skip

counter = 0


def pseudo(count, label=b"nonce"):
    """Returns bytes that are the same in every run."""
    global counter
    counter += 1
    return digest(label + struct.pack("<Q", counter))[:count]


def nonce():
    return pseudo(24)


def write(name, expect, kind, data, **inputs):
    lines = [f"expect: {expect}", f"kind: {kind}"]
    lines += [f"{key.replace('_', '-')}: {value}" for key, value in inputs.items()]
    digits = data.hex()
    lines += [""] + [digits[place : place + 96] for place in range(0, len(digits), 96)]
    path = pathlib.Path(__file__).parent / "vectors" / f"{name}.txt"
    text = "\n".join(lines) + "\n"
    if path.exists() and path.read_text() != text:
        raise SystemExit(f"{path} would change")
    path.write_text(text)


device = DeviceKey(bytes(range(16)), digest(b"the device key of the vectors"))
other = DeviceKey(bytes(range(16, 32)), device.key)
KEY = device.file.hex()


def device_keys():
    write("device-key", "success", "device-key", device.file, store=device.store.hex())
    broken = bytearray(device.file)
    broken[63] ^= 1
    write("device-key-checksum", "deviceKeyDamaged", "device-key", bytes(broken))
    body = b"LKCDEVK3" + device.file[8:56]
    write("device-key-magic", "deviceKeyDamaged", "device-key", body + digest(body)[:8])
    body = b"LKCDEVK1" + device.file[8:56]
    write("device-key-earlier", "earlierFormat", "device-key", body + digest(body)[:8])
    write("device-key-longer", "deviceKeyDamaged", "device-key", device.file + b"\n")
    write("device-key-empty", "deviceKeyDamaged", "device-key", b"")


def headers():
    sums = [digest(bytes([number]))[:16] for number in range(BUCKETS)]
    fields = dict(
        generation=7, items=3, tombstones=1, optional_keys=True, keybag_digest=digest(b"keybag"),
        tombstone_sum=int.from_bytes(digest(b"sum")[:16], "little"),
        sums=[int.from_bytes(sum, "little") for sum in sums],
    )  # fmt: skip
    shown = dict(
        device_key=KEY, generation=7, items=3, tombstones=1, optional_keys="yes", keybag_digest=digest(b"keybag").hex(),
        first_sum=sums[0].hex(), last_sum=sums[-1].hex(), tombstone_sum=digest(b"sum")[:16].hex(),
    )  # fmt: skip

    def page(**changes):
        return Header(**{**fields, **changes}).page(device, nonce)

    write("header", "success", "header", page(), read_only="no", **shown)
    write("header-minor", "success", "header", page(minor=9), read_only="no", **shown)
    write("header-compatible", "success", "header", page(flags=(1 << 31, 0, 0)), read_only="no", **shown)
    write("header-read-only", "success", "header", page(flags=(0, 1, 0)), read_only="yes", **shown)
    write("header-incompatible", "databaseNewer", "header", page(flags=(0, 0, 1)), device_key=KEY)
    write("header-major", "databaseNewer", "header", page(major=5), device_key=KEY)
    write("header-earlier", "earlierFormat", "header", page(major=3), device_key=KEY)
    write("header-of-another-store", "deviceKeyForeign", "header", page(), device_key=other.file.hex())
    stripped = bytearray(page(flags=(0, 1, 0)))
    stripped[28] = 0
    write("header-flag-stripped", "headerDamaged", "header", bytes(stripped), device_key=KEY)
    write("header-sealed-with-another-key", "headerDamaged", "header",
          Header(**fields).page(DeviceKey(device.store, digest(b"x")), nonce), device_key=KEY)  # fmt: skip
    boxes = Header(**fields).sum_boxes(device, nonce)
    earlier = Header(**{**fields, "sums": [0] * BUCKETS}).sum_boxes(device, nonce)
    for name, changed in {
        "one-box-short": dict(boxes=boxes[:-1]),
        "box-missing": dict(boxes=boxes[:-1], tagged=boxes),
        "box-of-an-earlier-header": dict(boxes=[earlier[0], *boxes[1:]], tagged=boxes),
        "box-with-another-tag": dict(boxes=[earlier[0][:-16] + boxes[0][-16:], *boxes[1:]]),
        "boxes-swapped": dict(boxes=[boxes[1], boxes[0], *boxes[2:]], tagged=boxes),
        "boxes-of-other-numbers": dict(boxes=[boxes[1], boxes[0], *boxes[2:]]),
    }.items():
        write(f"header-{name}", "headerDamaged", "header", page(**changed), device_key=KEY)
    write("header-empty", "headerDamaged", "header", b"", device_key=KEY)


class_keys = {n: digest(b"class" + bytes([n])) for n in range(1, 7)}
keybag = Keybag(class_keys)
PAGE = keybag.page(device, nonce)


def keybags():
    def put(name, expect, page, authenticated=None, key=KEY, **inputs):
        write(name, expect, "keybag", page, device_key=key, digest=(authenticated or digest(page)).hex(), **inputs)

    put("keybag", "success", PAGE, classes="1 2 3 4 5 6")
    put("keybag-not-of-the-header", "keybagDamaged", PAGE, authenticated=digest(b"another"))
    put("keybag-version", "keybagDamaged", PAGE[:4] + b"\x03" + PAGE[5:])
    put("keybag-suite", "keybagDamaged", PAGE[:5] + b"\x02" + PAGE[6:])
    put("keybag-one-entry-short", "keybagDamaged", PAGE[:-74])
    put("keybag-unknown-class", "keybagDamaged", PAGE[:64] + b"\x08" + PAGE[65:])
    put("keybag-swapped-classes", "keybagDamaged", PAGE[:64] + b"\x02" + PAGE[65:138] + b"\x01" + PAGE[139:])
    put("keybag-of-another-device", "keybagDamaged", PAGE, key=DeviceKey(device.store, digest(b"y")).file.hex())


ATTRIBUTES = {
    "agrp": (1, b"TEAM.app"), "acct": (1, "zoë".encode()), "svce": (2, b"\xff\x00mail"), "labl": (1, b"Mail"),
    "port": (3, struct.pack("<i", 993)), "crtr": (3, struct.pack("<q", 1 << 40)),
    "cdat": (4, struct.pack("<d", 0.5)), "mdat": (4, struct.pack("<d", -1.0)),
}  # fmt: skip


def columns_of(attributes, **changes):
    group = group_digest(device, attributes["agrp"][1])
    fields = dict(
        item=struct.pack("<Q", 42) + bytes(range(100, 108)), identity=identity_digest(device, 1, attributes, group, 0),
        version=5, protection=3, synchronizable=0, tombstone=0,
        digests=index_column(device, 1, attributes, group),
    )  # fmt: skip
    return Columns(**{**fields, **changes})


def show(columns):
    return dict(
        device_key=KEY, keybag=PAGE.hex(), item=columns.item.hex(), identity=columns.identity.hex(),
        version=columns.version, protection=columns.protection, synchronizable=columns.synchronizable,
        tombstone=columns.tombstone, digests=columns.digests.hex(),
    )  # fmt: skip


def records():
    right = columns_of(ATTRIBUTES)
    value = b"correct horse battery staple"
    secret = seal_record(padded_value(value), right, keybag, 2, nonce)
    empty = seal_record(padded_value(b""), right, keybag, 2, nonce)
    earlier = seal_record(padded_value(value), columns_of(ATTRIBUTES, version=4), keybag, 2, nonce)
    longer = seal_record(padded(value) + b"\xff" * 4, right, keybag, 2, nonce)

    def attributes(columns, sealed=secret, role=1, plain=None):
        tag = None if sealed is None else sealed[-16:]
        plain = padded(encode_attributes(ATTRIBUTES, tag)) if plain is None else plain
        return seal_record(plain, columns, keybag, role, nonce)

    shown = ", ".join(
        f"{name} {code} {data.hex()}"
        for name, (code, data) in sorted(ATTRIBUTES.items(), key=lambda entry: list(ORDER).index(entry[0]))
    )

    def put(name, expect, data, columns=right, sealed=secret, **inputs):
        hexed = "none" if sealed is None else sealed.hex()
        write(name, expect, "record", data, **show(columns), secret=hexed, **inputs)

    good = attributes(right)
    whole = right.set_hash(device, good).to_bytes(16, "little").hex()
    put("record", "success", good, attributes=shown, value=value.hex(), set_hash=whole)
    put("record-empty-value", "success", attributes(right, empty), sealed=empty, attributes=shown, value="empty")
    put("record-no-value", "success", attributes(right, None), sealed=None, attributes=shown, value="none")
    item, identity = right.item, right.identity
    for name, change in {
        "row": dict(item=struct.pack("<Q", 43) + item[8:]), "tag": dict(item=item[:8] + bytes(8)),
        "class": dict(identity=identity[:8] + b"\x02" + identity[9:]), "version": dict(version=6),
        "group": dict(identity=bytes(8) + identity[8:]), "protection": dict(protection=4),
        "synchronizable": dict(synchronizable=1), "tombstone": dict(tombstone=1),
        "identity": dict(identity=identity[:9] + bytes(23)), "digests": dict(digests=b""),
    }.items():  # fmt: skip
        put(f"record-another-{name}", "recordDamaged", good, columns=columns_of(ATTRIBUTES, **change))
    put("record-as-value", "recordDamaged", attributes(right, role=2))
    put("record-suite", "recordDamaged", b"\x02" + good[1:])
    put("record-empty", "recordDamaged", b"")
    put("record-of-another-encoding", "recordDamaged", attributes(right, plain=b"\x02" + bytes(31)))
    put("record-of-unknown-attribute", "recordDamaged", attributes(right, plain=b"\x01\0\x01\xff" + bytes(28)))
    put("record-length-past-the-end", "recordDamaged",
        attributes(right, plain=b"\x01\0\x01\x14\x01" + b"\xff" * 27))  # fmt: skip
    put("record-value-of-another-change", "valueDamaged", good, sealed=empty)
    put("record-value-missing", "valueDamaged", good, sealed=None)
    put("record-value-longer-than-it-is", "valueDamaged", attributes(right, longer), sealed=longer)
    put("record-value-of-another-version", "valueDamaged", attributes(right, earlier), sealed=earlier)


ORDER = "agrp cdat mdat labl acct svce crtr port".split()


def digests():
    group = group_digest(device, b"TEAM.app")
    write("digest-group", "success", "digest-group", group, device_key=KEY, access_group="TEAM.app")
    for name, item_class, attribute, value in (
        ("account", 1, "acct", (1, b"alice")), ("account-data", 1, "acct", (2, b"alice")),
        ("account-internet", 2, "acct", (1, b"alice")), ("label", 1, "labl", (1, b"alice")),
        ("key-type", 4, "type", (3, struct.pack("<i", 73))),
    ):  # fmt: skip
        digest = attribute_digest(device, item_class, attribute, value, group)
        write(f"digest-{name}", "success", "digest-attribute", digest, device_key=KEY, group=group.hex(),
              item_class=item_class, attribute=f"{attribute} {value[0]} {value[1].hex()}")  # fmt: skip
    for name, item_class, attributes, flag in (
        ("empty", 1, {}, 0), ("synchronizable", 1, {}, 1), ("full", 1, ATTRIBUTES, 0),
        ("internet", 2, {k: v for k, v in ATTRIBUTES.items() if k != "svce"}, 0),
        ("token", 1, {"tkid": (1, b"token"), "acct": (1, b"alice")}, 0),
        ("certificate", 3, {"issr": (2, b"issuer"), "slnr": (2, b"\x01")}, 0),
        ("key", 4, {"kcls": (3, struct.pack("<i", 1)), "klbl": (2, b"label"), "type": (3, struct.pack("<i", 73))}, 0),
    ):  # fmt: skip
        shown = ", ".join(f"{key} {code} {data.hex()}" for key, (code, data) in attributes.items())
        write(f"identity-{name}", "success", "identity", identity_digest(device, item_class, attributes, group, flag),
              device_key=KEY, group=group.hex(), item_class=item_class, synchronizable=flag,
              attributes=shown or "none")  # fmt: skip


def primitives():
    """Writes one vector for each way in which the format uses a cryptographic primitive."""
    key, data, plain = digest(b"key"), b"associated data", b"message"
    write("box", "success", "box", seal(plain, key, data, nonce()), key=key.hex(), associated_data=data.hex(), message=plain.hex())
    write("digest", "success", "digest", digest(plain), key="none", message=plain.hex())
    write("digest-keyed", "success", "digest", digest(plain, key), key=key.hex(), message=plain.hex())
    write("passcode-key", "success", "passcode-key", passcode_key(device, b"canary", bytes(range(16)), 3, 10),
          device_key=KEY, passcode=b"canary".hex(), salt=bytes(range(16)).hex(), passes=3, doublings=10)  # fmt: skip
    access_key, sender = digest(b"access key"), digest(b"sender")
    public, own = x25519_public(digest(access_key)), x25519_public(sender)
    shared = X25519PrivateKey.from_private_bytes(sender).exchange(X25519PublicKey.from_public_bytes(public))
    session = digest(shared + own + public, count=64)[32:]
    write("sealed-for", "success", "sealed-for", own + seal(plain, session, data, nonce()),
          device_key=KEY, access_key=access_key.hex(), recipient=public.hex(), associated_data=data.hex(),
          message=plain.hex())  # fmt: skip


if __name__ == "__main__":
    device_keys()
    headers()
    keybags()
    records()
    digests()
    primitives()
