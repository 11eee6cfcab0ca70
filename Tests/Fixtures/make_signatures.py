#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes signatures/*.txt: code signatures, valid and damaged, made without the code under test.

Each file has the expected result, the inputs and, after an empty line, the bytes of the signature. The format is
described in Documentation/CodeSigning.md; when it changes, remove the files and run this script again.
"""

import base64
import hashlib
import pathlib
import struct

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

EXECUTABLE = b"\x7fELF of the signature vectors"
SIGNED, EXPIRES, VALID_UNTIL = 1_700_000_000, 1_900_000_000, 2_000_000_000


def digest(message):
    return hashlib.blake2b(message, digest_size=32).digest()


def key(seed):
    return Ed25519PrivateKey.from_private_bytes(seed)


def public(private):
    return private.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)


def team_identifier(team):
    return base64.b32encode(digest(b"keychain team 1\0" + team)[:10]).decode()


TEAM_SEED, SIGNING_SEED, OTHER_SEED = digest(b"team"), digest(b"signing"), digest(b"other")
TEAM = team_identifier(public(key(TEAM_SEED)))


def certificate(team=TEAM_SEED, signing=SIGNING_SEED, serial=3, until=VALID_UNTIL, by=None, label=b"keychain signing key 1\0"):
    body = public(key(team)) + public(key(signing)) + struct.pack("<IQ", serial, until)
    return body + key(by or team).sign(label + body)


def text(value):
    value = value if isinstance(value, bytes) else value.encode()
    return struct.pack("<H", len(value)) + value


def texts(values):
    return struct.pack("<H", len(values)) + b"".join(text(value) for value in values)


def signature(
    magic=b"KCSIGN\x00\x01", length=None, executable=EXECUTABLE, size=None, chain=None, flags=0, expires=EXPIRES,
    identifier="com.example.mail", groups=(TEAM + ".shared", TEAM + ".notes"), applications=(TEAM + ".suite", "group.example"),
    by=SIGNING_SEED, label=b"keychain code signature 1\0", tail=b"",
):  # fmt: skip
    rest = digest(executable) + struct.pack("<Q", len(executable) if size is None else size)
    rest += certificate() if chain is None else chain
    rest += struct.pack("<QQI", SIGNED, expires, flags)
    rest += text(identifier) + texts(groups) + texts(applications) + tail
    count = len(magic) + 4 + len(rest) + 64 if length is None else length
    fields = magic + struct.pack("<I", count) + rest
    return fields + key(by).sign(label + fields)


def write(name, expect, data, **inputs):
    lines = [f"expect: {expect}"] + [f"{key.replace('_', '-')}: {value}" for key, value in inputs.items()]
    digits = data.hex()
    lines += [""] + [digits[place : place + 96] for place in range(0, len(digits), 96)]
    path = pathlib.Path(__file__).parent / "signatures" / f"{name}.txt"
    content = "\n".join(lines) + "\n"
    if path.exists() and path.read_text() != content:
        raise SystemExit(f"{path} would change")
    path.write_text(content)


def valid():
    shown = dict(
        team=TEAM, team_seed=TEAM_SEED.hex(), signing_seed=SIGNING_SEED.hex(), executable=EXECUTABLE.hex(), serial=3,
        valid_until=VALID_UNTIL, signed_at=SIGNED,
    )  # fmt: skip
    full = dict(identifier="com.example.mail", groups=[TEAM + ".shared", TEAM + ".notes"], applications=[TEAM + ".suite", "group.example"])
    least = dict(identifier="a", groups=[], applications=[])
    most = dict(
        identifier="a" * 128, groups=[f"{TEAM}.{number:02}".ljust(128, "g") for number in range(64)],
        applications=[f"group.{number:02}".ljust(110, "h") for number in range(64)],
    )  # fmt: skip
    unicode = dict(identifier="a-b.C9", groups=[TEAM + ".Ünïcode 鍵"], applications=[])
    for name, fields, expires, flags in [
        ("full", full, EXPIRES, 0), ("least", least, 0, 0), ("most", most, EXPIRES, 0), ("unicode", unicode, 0, 0),
        ("group-level-only", full, EXPIRES, 1),
    ]:  # fmt: skip
        write(name, "success", signature(expires=expires, flags=flags, **fields), expires=expires, flags=flags,
              identifier=fields["identifier"], access_groups=", ".join(fields["groups"]) or "none",
              application_groups=", ".join(fields["applications"]) or "none", **shown)  # fmt: skip


def malformed():
    whole = signature()
    for name, data in {
        "empty": b"", "magic-alone": whole[:8], "one-byte-short": whole[:-1], "one-byte-more": whole + b"\0",
        "other-magic": signature(magic=b"KCSIGM\x00\x01"), "later-version": signature(magic=b"KCSIGN\x00\x02"),
        "length-too-small": signature(length=len(whole) - 1), "length-too-large": signature(length=len(whole) + 1),
        "unknown-flag": signature(flags=2), "bytes-after-the-groups": signature(tail=b"\0"),
        "identifier-of-129-bytes": signature(identifier="a" * 129),
        "group-of-129-bytes": signature(groups=[TEAM + "." + "g" * 112]),
        "65-groups": signature(groups=[f"{TEAM}.{number}" for number in range(65)]),
        "group-not-utf8": signature(groups=[TEAM.encode() + b".\xff"]),
        "group-overlong-utf8": signature(groups=[TEAM.encode() + b".\xc0\xaf"]),
        "group-surrogate": signature(groups=[TEAM.encode() + b".\xed\xa0\x80"]),
    }.items():  # fmt: skip
        write(name, "malformed", data)
    write("too-long", "tooLong", whole + bytes(16_385 - len(whole)))


def entitlements():
    other = team_identifier(public(key(OTHER_SEED)))
    for name, expect, fields in [
        ("identifier-empty", "identifier", dict(identifier="")),
        ("identifier-underscore", "identifier", dict(identifier="com.example_mail")),
        ("identifier-not-ascii", "identifier", dict(identifier="zoë")),
        ("wildcard-alone", "forbiddenCharacter", dict(groups=["*"])),
        ("wildcard-of-team", "forbiddenCharacter", dict(groups=[TEAM + ".*"])),
        ("wildcard-application-group", "forbiddenCharacter", dict(applications=["group.*"])),
        ("control-character", "forbiddenCharacter", dict(groups=[TEAM + ".a\x00b"])),
        ("newline", "forbiddenCharacter", dict(groups=[TEAM + ".a\nb"])),
        ("delete", "forbiddenCharacter", dict(groups=[TEAM + ".a\x7fb"])),
        ("next-line", "forbiddenCharacter", dict(groups=[TEAM + ".a\u0085b"])),
        ("right-to-left-override", "forbiddenCharacter", dict(groups=[TEAM + ".a\u202eb"])),
        ("zero-width-space", "forbiddenCharacter", dict(groups=[TEAM + ".a\u200bb"])),
        ("same-group-twice", "duplicateGroup", dict(groups=[TEAM + ".a", TEAM + ".a"])),
        ("same-application-group-twice", "duplicateGroup", dict(applications=["group.a", "group.a"])),
        ("group-in-both-lists", "duplicateGroup", dict(groups=[TEAM + ".a"], applications=[TEAM + ".a"])),
        ("group-of-another-team", "foreignGroup", dict(groups=[other + ".a"])),
        ("team-without-a-dot", "foreignGroup", dict(groups=[TEAM])),
        ("team-and-dot-alone", "foreignGroup", dict(groups=[TEAM + "."])),
        ("team-in-lower-case", "foreignGroup", dict(groups=[TEAM.lower() + ".a"])),
        ("group-empty", "foreignGroup", dict(groups=[""])),
        ("shared-group-as-access-group", "foreignGroup", dict(groups=["group.a"])),
        ("shared-prefix-alone", "foreignGroup", dict(applications=["group."])),
        ("token-group", "foreignGroup", dict(groups=["com.apple.token"])),
    ]:  # fmt: skip
        write(name, expect, signature(**fields))


def forged():
    body = signature()
    flipped = bytearray(body)
    flipped[12] ^= 1
    for name, data in {
        "changed-digest": bytes(flipped),
        "signed-by-the-team-key": signature(by=TEAM_SEED), "signed-by-another-key": signature(by=OTHER_SEED),
        "certificate-by-another-team": signature(chain=certificate(by=OTHER_SEED)),
        "certificate-by-the-signing-key": signature(chain=certificate(by=SIGNING_SEED)),
        "certificate-of-another-key": signature(chain=certificate(signing=OTHER_SEED)),
        "certificate-label": signature(chain=certificate(label=b"keychain code signature 1\0")),
        "signature-label": signature(label=b"keychain signing key 1\0"),
        "signature-without-a-label": signature(label=b""),
        "signature-of-zeros": body[:-64] + bytes(64),
        "scalar-not-reduced": body[:-32] + (int.from_bytes(body[-32:], "little") + ORDER).to_bytes(32, "little"),
        "small-order-keys": small_order(),
    }.items():  # fmt: skip
        write(name, "signature", data)


ORDER = 2**252 + 27742317777372353535851937790883648493


def small_order():
    """Returns a signature of a public key of order 1, for which R = identity and s = 0 would verify with every message."""
    identity = (1).to_bytes(32, "little")
    forged = identity + bytes(32)
    chain = identity + identity + struct.pack("<IQ", 1, 0) + forged
    team = team_identifier(identity)
    return signature(chain=chain, groups=[team + ".a"], applications=[])[:-64] + forged


if __name__ == "__main__":
    valid()
    malformed()
    entitlements()
    forged()
