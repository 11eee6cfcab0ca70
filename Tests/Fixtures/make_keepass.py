# SPDX-License-Identifier: Apache-2.0
"""Writes KeePass databases with pykeepass: make_keepass.py FOLDER [NAME...]; without names, all of them.

The files in Tests/Fixtures/keepass were written by pykeepass 4.0.3, which is Debian's python3-pykeepass:
`/usr/bin/python3 Tests/Fixtures/make_keepass.py Tests/Fixtures/keepass`. The password is `canary password`.
"""

import sys
from datetime import datetime, timezone

from pykeepass import create_database

PASSWORD = 'canary password'
ARGON2D = b'\xefcm\xdf\x8c)DK\x91\xf7\xa9\xa4\x03\xe3\n\x0c'
ARGON2ID = bytes.fromhex('9e298b1956db4773b23dfc3ec6f0a1e6')
AES = bytes.fromhex('c9d9f39a628a4460bf740d08c18a4fea')

# Name: cipher, key derivation, inner stream, compression, key file.
FILES = {
    'argon2d-aes-gzip': ('aes256', ARGON2D, 'chacha20', True, None),
    'argon2id-chacha20': ('chacha20', ARGON2ID, 'salsa20', False, None),
    'aeskdf-aes': ('aes256', AES, 'chacha20', False, None),
    'aeskdf-keyfile': ('chacha20', AES, 'chacha20', True, 'key.keyx'),
    'aeskdf-twofish': ('twofish', AES, 'chacha20', True, None),
}

# A key file in the XML format of KeePass. The key is 32 times the byte 0x2a.
KEY_FILE = '''<?xml version="1.0" encoding="utf-8"?>
<KeyFile>
\t<Meta><Version>2.0</Version></Meta>
\t<Key><Data Hash="6E1F2F9C">
\t\t%s
\t</Data></Key>
</KeyFile>
'''


def set_parameters(header, cipher, derivation, is_compressed):
    header.value.dynamic_header.cipher_id.data = cipher
    header.value.dynamic_header.compression_flags.data.compression = is_compressed
    header.value.dynamic_header.encryption_iv.data = bytes(range(12 if cipher == 'chacha20' else 16))
    values = header.value.dynamic_header.kdf_parameters.data.dict
    values['$UUID'].value = derivation
    if derivation == AES:
        seed = values['S']
        for name in list(values):
            if name not in ('$UUID', 'S'):
                del values[name]
        rounds = type(seed)(type=5, key='R', value=5000, next_byte=0)
        values['R'] = rounds
    else:
        values['I'].value = 2
        values['M'].value = 1 << 20
    names = list(values)
    for name in names:
        values[name].next_byte = 0 if name == names[-1] else 1
    # Deletes the bytes from which the header was parsed, so that the changed fields are written instead.
    del header['data']


def fill(database):
    root = database.root_group
    web = database.add_group(database.add_group(root, 'Internet'), 'Mail')
    mail = database.add_entry(
        web, 'Mail', 'alice', 'canary mail', url='https://mail.example:8443/inbox', notes='first\nsecond',
        otp='otpauth://totp/Mail:alice?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&digits=8')
    mail.set_custom_property('Recovery hint', 'blue & <green>')
    for value in ('canary mail 2', 'canary mail 3'):
        mail.save_history()
        mail.password = value
    mail.add_attachment(database.add_binary(b'canary attachment'), 'letter.txt')
    safe = database.add_entry(
        root, 'Safe', '', 'canary s\u00e4fe', expiry_time=datetime(2031, 5, 6, 7, 8, 9, tzinfo=timezone.utc))
    safe.set_custom_property('PIN', 'canary 1234')
    safe._xpath('String[Key="PIN"]/Value', first=True).set('Protected', 'True')
    database.add_entry(web, 'Safe', '', 'canary other safe')
    database.add_entry(root, 'Empty', 'bob', '')
    database.add_entry(root, 'Reference', 'bob', '{REF:P@I:00000000000000000000000000000000}')
    deleted = database.add_entry(root, 'Deleted', 'bob', 'canary deleted')
    database.trash_entry(deleted)


def make(folder, name):
    cipher, derivation, stream, is_compressed, key_file = FILES[name]
    if key_file:
        key_file = f'{folder}/{key_file}'
        import hashlib
        key = b'\x2a' * 32
        text = KEY_FILE % key.hex().upper()
        text = text.replace('6E1F2F9C', hashlib.sha256(key).hexdigest()[:8].upper())
        with open(key_file, 'w') as file:
            file.write(text)
    path = f'{folder}/{name}.kdbx'
    database = create_database(path, password=PASSWORD, keyfile=key_file)
    fill(database)
    set_parameters(database.kdbx.header, cipher, derivation, is_compressed)
    database.kdbx.body.payload.inner_header.protected_stream_id.data = stream
    key = bytes(range(64 if stream == 'chacha20' else 32))
    database.kdbx.body.payload.inner_header.protected_stream_key.data = key
    database.save()


if __name__ == '__main__':
    for name in sys.argv[2:] or FILES:
        make(sys.argv[1], name)
