// SPDX-License-Identifier: Apache-2.0

package import KeychainStore

/// A team's certificate for a signing key, signed with the team key.
package struct SigningKeyCertificate: Hashable, Sendable {
    package let team: Ed25519PublicKey
    package let key: Ed25519PublicKey
    /// The number of the certificate, which increases with each certificate of the team.
    package let serial: UInt32
    /// The end of the certificate's validity in seconds since 1970; 0 for no end.
    package let validUntil: UInt64
    package let signature: [UInt8]

    init(
        team: Ed25519PublicKey,
        key: Ed25519PublicKey,
        serial: UInt32,
        validUntil: UInt64,
        signature: [UInt8]
    ) {
        self.team = team
        self.key = key
        self.serial = serial
        self.validUntil = validUntil
        self.signature = signature
    }

    /// Certifies a signing key with the team's private key.
    package init(of key: Ed25519PublicKey, serial: UInt32, validUntil: UInt64, by team: Ed25519PrivateKey) {
        let unsigned = Self(
            team: team.publicKey,
            key: key,
            serial: serial,
            validUntil: validUntil,
            signature: []
        )
        self.init(
            team: team.publicKey,
            key: key,
            serial: serial,
            validUntil: validUntil,
            signature: team.signature(of: unsigned.message)
        )
    }

    private var message: [UInt8] {
        var message = ByteWriter(capacity: 128)
        message.append("keychain signing key 1\0")
        message.append(fields)
        return message.bytes
    }

    private var fields: [UInt8] {
        var writer = ByteWriter(capacity: 76)
        writer.append(team.bytes)
        writer.append(key.bytes)
        writer.append(serial)
        writer.append(validUntil)
        return writer.bytes
    }

    /// Whether the team key's signature of this certificate is valid.
    var isAuthentic: Bool { team.isValid(signature, of: message) }

    package var encoded: [UInt8] { fields + signature }

    init?(reading reader: inout ByteReader) {
        guard let team = reader.bytes32(), let key = reader.bytes32(), let serial: UInt32 = reader.number(),
            let validUntil: UInt64 = reader.number(),
            let signature = reader.bytes(Ed25519PrivateKey.signatureCount)
        else { return nil }
        self.init(
            team: Ed25519PublicKey(team),
            key: Ed25519PublicKey(key),
            serial: serial,
            validUntil: validUntil,
            signature: signature
        )
    }
}

/// The statement about an executable that a signature covers.
package struct SignedStatement: Hashable, Sendable {
    package let executable: ExecutableDigest
    package let certificate: SigningKeyCertificate
    /// The time of signing in seconds since 1970.
    package let signedAt: UInt64
    /// The end of the code signature's validity in seconds since 1970; 0 for no end.
    package let expires: UInt64
    /// Whether the entitlements apply only to a process whose effective group is the team's system group.
    package let isGroupLevelOnly: Bool
    package let entitlements: SignedEntitlements

    package init(
        executable: ExecutableDigest,
        certificate: SigningKeyCertificate,
        signedAt: UInt64,
        expires: UInt64,
        isGroupLevelOnly: Bool,
        entitlements: SignedEntitlements
    ) {
        self.executable = executable
        self.certificate = certificate
        self.signedAt = signedAt
        self.expires = expires
        self.isGroupLevelOnly = isGroupLevelOnly
        self.entitlements = entitlements
    }

    package var team: TeamIdentifier { TeamIdentifier(of: certificate.team) }
}

/// A decoded code signature whose two Ed25519 signatures are valid.
///
/// Its team need not be trusted: ``TrustStore`` decides that. Documentation/CodeSigning.md describes the
/// format. Each signature has exactly one valid encoding: the bytes are decoded, encoded again and compared.
package struct CodeSignature: Hashable, Sendable {
    package let statement: SignedStatement
    package let bytes: [UInt8]

    package static let maximumByteCount = 16_384
    /// The magic number and the version of the format.
    private static let magic = Array("KCSIGN\0\u{1}".utf8)
    private static let groupLevelOnly: UInt32 = 1
    private static let lengthOffset = 8

    /// Signs a statement.
    ///
    /// - Throws: ``EntitlementDefect`` if the team must not sign these entitlements, or if the signature would be
    ///   larger than ``maximumByteCount``.
    package init(
        signing statement: SignedStatement,
        with key: Ed25519PrivateKey
    ) throws(EntitlementDefect) {
        if let defect = statement.entitlements.defect(for: statement.team) { throw defect }
        let fields = Self.encode(statement)
        guard fields.count + Ed25519PrivateKey.signatureCount <= Self.maximumByteCount else {
            throw .tooManyGroups
        }
        self.statement = statement
        bytes = fields + key.signature(of: Self.message(fields))
    }

    /// Decodes untrusted bytes and verifies the two signatures in them.
    package init(verifying bytes: [UInt8]) throws(SignatureDamage) {
        guard bytes.count <= Self.maximumByteCount else { throw .tooLong }
        guard let (statement, signature) = Self.decode(bytes),
            Self.encode(statement) + signature == bytes
        else { throw .malformed }
        if let defect = statement.entitlements.defect(for: statement.team) { throw .entitlements(defect) }
        guard statement.certificate.isAuthentic,
            statement.certificate.key.isValid(
                signature,
                of: Self.message(bytes.dropLast(Ed25519PrivateKey.signatureCount))
            )
        else { throw .signature }
        self.statement = statement
        self.bytes = bytes
    }

    private static func message(_ fields: some Sequence<UInt8>) -> [UInt8] {
        Array("keychain code signature 1\0".utf8) + fields
    }
}

/// Encodes and decodes the format that Documentation/CodeSigning.md describes.
extension CodeSignature {
    private static func encode(_ statement: SignedStatement) -> [UInt8] {
        var rest = ByteWriter(capacity: 512)
        rest.append(statement.executable.digest)
        rest.append(statement.executable.size)
        rest.append(statement.certificate.encoded)
        rest.append(statement.signedAt)
        rest.append(statement.expires)
        rest.append(statement.isGroupLevelOnly ? groupLevelOnly : 0)
        rest.append(sized: statement.entitlements.identifier)
        append(statement.entitlements.accessGroups, to: &rest)
        append(statement.entitlements.applicationGroups, to: &rest)
        let count = lengthOffset + 4 + rest.bytes.count + Ed25519PrivateKey.signatureCount
        var whole = ByteWriter(capacity: count)
        whole.append(magic)
        whole.append(UInt32(truncatingIfNeeded: count))
        whole.append(rest.bytes)
        return whole.bytes
    }

    // No valid count is truncated: signing checks the lengths first, and decoding detects a truncated count
    // by comparing the encoding with the bytes.
    private static func append(_ groups: [String], to writer: inout ByteWriter) {
        writer.append(UInt16(truncatingIfNeeded: groups.count))
        for group in groups { writer.append(sized: group) }
    }

    private static func decode(_ bytes: [UInt8]) -> (statement: SignedStatement, signature: [UInt8])? {
        unsafe bytes.withUnsafeBytes { bytes in
            var reader = unsafe ByteReader(bytes)
            guard reader.bytes(magic.count) == magic, reader.number(UInt32.self) != nil,
                let digest = reader.bytes32(), let size: UInt64 = reader.number(),
                let certificate = SigningKeyCertificate(reading: &reader),
                let signedAt: UInt64 = reader.number(), let expires: UInt64 = reader.number(),
                let flags: UInt32 = reader.number(), flags & ~groupLevelOnly == 0,
                let entitlements = entitlements(&reader),
                let signature = reader.bytes(Ed25519PrivateKey.signatureCount), reader.remaining == 0
            else { return nil }
            let statement = SignedStatement(
                executable: ExecutableDigest(digest: digest, size: size),
                certificate: certificate,
                signedAt: signedAt,
                expires: expires,
                isGroupLevelOnly: flags == groupLevelOnly,
                entitlements: entitlements
            )
            return (statement, signature)
        }
    }

    private static func entitlements(_ reader: inout ByteReader) -> SignedEntitlements? {
        guard let identifier = reader.sizedString(), let accessGroups = groups(&reader),
            let applicationGroups = groups(&reader)
        else { return nil }
        return SignedEntitlements(
            identifier: identifier,
            accessGroups: accessGroups,
            applicationGroups: applicationGroups
        )
    }

    private static func groups(_ reader: inout ByteReader) -> [String]? {
        guard let count: UInt16 = reader.number(), count <= SignedEntitlements.maximumGroupCount else {
            return nil
        }
        var groups: [String] = []
        for _ in 0..<count {
            guard let group = reader.sizedString() else { return nil }
            groups.append(group)
        }
        return groups
    }
}
