// SPDX-License-Identifier: Apache-2.0

import Crypto
package import FoundationEssentials
package import KeychainModel

/// The public half of an access control key: it seals items that only a proved passcode opens, or those that a finger
/// opens as well.
///
/// So an item can be added while nobody is there to be asked. The private half follows from the key that the lock page
/// has under the passcode.
package struct AccessRecipient: Hashable, Sendable {
    /// The first half of the key's digest: items name the key that opens them.
    let identifier: Bytes16
    private let bytes: Data

    static let overhead = 32 + 16
    private static let suite = HPKE.Ciphersuite(
        kem: .Curve25519_HKDF_SHA256,
        kdf: .HKDF_SHA256,
        aead: .AES_GCM_256
    )
    private static let purpose = Data("lkc/1/access-item".utf8)

    init(publicKey bytes: Data) {
        self.bytes = bytes
        identifier = Bytes32(sha256: bytes).truncated
    }

    /// Seals the key of a record: `encapsulated key 32 | ciphertext | tag 16`.
    func seal(_ plain: Data, context: [UInt8]) throws(StatusError) -> Data {
        do {
            let key = try Curve25519.KeyAgreement.PublicKey(rawRepresentation: bytes)
            var sender = try HPKE.Sender(recipientKey: key, ciphersuite: Self.suite, info: Self.purpose)
            return try sender.encapsulatedKey + sender.seal(plain, authenticating: context)
        } catch {
            throw StatusError(.internalInconsistency)
        }
    }

    static func open(
        _ box: Data,
        under key: AccessControlKey,
        context: [UInt8]
    ) throws(StatusError) -> Data {
        do {
            var recipient = try HPKE.Recipient(
                privateKey: key.privateKey,
                ciphersuite: suite,
                info: purpose,
                encapsulatedKey: Data(box.prefix(32))
            )
            return try recipient.open(Data(box.dropFirst(32)), authenticating: context)
        } catch {
            throw StatusError(.undecodable, .recordDamaged)
        }
    }
}

/// What the two public keys of a store are for.
package enum AccessRole: String, Sendable {
    case passcode = "lkc/1/recipient"
    case finger = "lkc/1/finger"
}

/// The page of a public key: one box of 32 bytes under the header key.
///
/// Its context has the digest of the wrapped access control key: a page of another key, or of the time before a change
/// of the passcode, does not open, and the lock page, for which the header vouches, vouches for this one.
extension AccessRecipient {
    package func sealed(
        for role: AccessRole = .passcode,
        beside page: LockPage,
        with keys: StoreKeys
    ) throws(StatusError) -> Data {
        try Sealing.seal(bytes, under: keys.header, context: Self.context(page, keys, role))
    }

    /// Opens the page; `nil` for one that does not belong to this lock page.
    package init?(
        opening box: Data,
        for role: AccessRole = .passcode,
        beside page: LockPage,
        with keys: StoreKeys
    ) {
        let plain = try? Sealing.open(
            box,
            under: keys.header,
            context: Self.context(page, keys, role),
            orThrow: .keybagDamaged
        )
        guard let plain, plain.count == 32 else { return nil }
        self.init(publicKey: plain)
    }

    static func context(
        _ page: LockPage,
        _ keys: StoreKeys,
        _ role: AccessRole = .passcode
    ) -> [UInt8] {
        var context = ByteWriter(capacity: 80)
        context.append(role.rawValue)
        context.append(keys.store)
        context.append(page.accessControlDigest)
        return context.bytes
    }
}

/// What opens items under access control: only a passcode that was proved right leads to it, and nobody holds it.
///
/// The finger's key is another of this kind, and follows from it; that one is held while the keychain is unlocked.
package struct AccessControlKey: Equatable, Sendable {
    package let store: Bytes16
    /// As the lock page wraps it.
    let key: SymmetricKey
    let privateKey: Curve25519.KeyAgreement.PrivateKey
    /// What seals for this key.
    package let recipient: AccessRecipient

    init(store: Bytes16, key: SymmetricKey) throws(StatusError) {
        self.store = store
        self.key = key
        let seed = HKDF<SHA256>.expand(
            pseudoRandomKey: key,
            info: Array("lkc/1/access-x25519".utf8) + store.bytes,
            outputByteCount: 32
        )
        do {
            privateKey = try unsafe seed.withUnsafeBytes { seed in
                try unsafe Curve25519.KeyAgreement.PrivateKey(rawRepresentation: seed)
            }
        } catch {
            throw StatusError(.internalInconsistency)
        }
        recipient = AccessRecipient(publicKey: privateKey.publicKey.rawRepresentation)
    }

    /// The key of items that a finger opens; it leads to nothing else.
    package func fingerKey() throws(StatusError) -> Self {
        let key = HKDF<SHA256>.expand(
            pseudoRandomKey: key,
            info: Array("lkc/1/access-finger".utf8) + store.bytes,
            outputByteCount: 32
        )
        return try Self(store: store, key: key)
    }

    package static func == (left: Self, right: Self) -> Bool {
        left.store == right.store && left.key == right.key
    }
}
