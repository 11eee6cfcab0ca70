// SPDX-License-Identifier: Apache-2.0

import CKeychainSodium
package import KeychainModel

/// The public key that wraps the keys of items that cannot be opened without the passcode.
///
/// Because the key is public, such an item can be added without prompting the user. The private key is derived from
/// the access control key, which the lock page contains, wrapped with the passcode's key.
package struct RecipientPublicKey: Hashable, Sendable {
    /// The first 16 bytes of the public key's digest; items contain it to identify the key that opens them.
    let identifier: Bytes16
    private let bytes: [UInt8]

    static let byteCount = 32
    /// The number of bytes that sealing adds: the sender's public key and the overhead of the box.
    static let overhead = byteCount + Sealing.overhead

    init(publicKey bytes: [UInt8]) {
        self.bytes = bytes
        identifier = Bytes32(digestOf: bytes).truncated
    }

    /// Encrypts a message to this public key with `crypto_kx` and an ephemeral key pair.
    ///
    /// Format: `sender's public key 32 | box`.
    func seal(_ plain: [UInt8], associatedData: [UInt8]) throws(StatusError) -> [UInt8] {
        var sender = [UInt8](repeating: 0, count: Self.byteCount)
        let secret = unsafe SecretKey { unsafe _ = crypto_kx_keypair(&sender, $0) }
        var isKey = false
        let key = unsafe SecretKey { key in
            let result = unsafe crypto_kx_client_session_keys(
                nil,
                key,
                sender,
                secret.pointer,
                bytes
            )
            isKey = result == 0
        }
        withExtendedLifetime(secret) {}
        guard isKey else { throw StatusError(.internalInconsistency) }
        return Sealing.seal(plain, under: key, associatedData: associatedData, after: sender)
    }

    static func open(
        _ sealed: [UInt8],
        under key: AccessControlKey,
        associatedData: [UInt8]
    ) throws(StatusError) -> [UInt8] {
        guard sealed.count >= overhead else { throw StatusError(.undecodable, .recordDamaged) }
        let sender = Array(sealed.prefix(byteCount))
        var isKey = false
        let session = unsafe SecretKey { session in
            let result = unsafe crypto_kx_server_session_keys(
                session,
                nil,
                key.recipient.bytes,
                key.privateKey.pointer,
                sender
            )
            isKey = result == 0
        }
        guard isKey else { throw StatusError(.undecodable, .recordDamaged) }
        return try Sealing.open(
            sealed[byteCount...],
            under: session,
            associatedData: associatedData,
            orThrow: .recordDamaged
        )
    }
}

/// The page that stores the public key: a box that contains its 32 bytes, encrypted with the header key.
///
/// The associated data contains the digest of the wrapped access control key. Decryption therefore fails for the page
/// of another key and for a page from before a passcode change. The header authenticates the lock page, which contains
/// the wrapped access control key; it thereby authenticates the public key's page too.
extension RecipientPublicKey {
    package func sealed(beside page: LockPage, with keys: StoreKeys) -> [UInt8] {
        Sealing.seal(bytes, under: keys.header, associatedData: Self.associatedData(page))
    }

    /// Decrypts the page of the public key; `nil` if it does not belong to this lock page.
    package init?(opening box: [UInt8], beside page: LockPage, with keys: StoreKeys) {
        let plain = try? Sealing.open(
            box,
            under: keys.header,
            associatedData: Self.associatedData(page),
            orThrow: .keybagDamaged
        )
        guard let plain, plain.count == Self.byteCount else { return nil }
        self.init(publicKey: plain)
    }

    static func associatedData(_ page: LockPage) -> [UInt8] {
        var data = ByteWriter(capacity: 48)
        data.append("recipient")
        data.append(page.accessControlDigest)
        return data.bytes
    }
}

/// The key that opens items whose access control requires the passcode.
///
/// The passcode's key unwraps it, and no key cache stores it.
package struct AccessControlKey: Equatable, Sendable {
    package let store: Bytes16
    /// The symmetric key that the lock page contains in wrapped form.
    let key: SecretKey
    let privateKey: SecretKey
    /// The public key that wraps the keys of items that require the passcode.
    package let recipient: RecipientPublicKey

    init(store: Bytes16, key: SecretKey) {
        self.store = store
        self.key = key
        var publicKey = [UInt8](repeating: 0, count: RecipientPublicKey.byteCount)
        privateKey = unsafe SecretKey {
            unsafe _ = crypto_kx_seed_keypair(&publicKey, $0, key.pointer)
        }
        recipient = RecipientPublicKey(publicKey: publicKey)
    }

    package static func == (left: Self, right: Self) -> Bool {
        left.store == right.store && left.key == right.key
    }
}
