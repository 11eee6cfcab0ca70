// SPDX-License-Identifier: Apache-2.0

package import KeychainModel
package import KeychainStore

/// The private keys of a team, stored in a file encrypted with a passcode.
package struct TeamKeys: Sendable {
    package let name: String
    /// The key that certifies signing keys; `nil` in a file that can sign executables only.
    package let teamKey: Ed25519PrivateKey?
    package let signingKey: Ed25519PrivateKey
    package let certificate: SigningKeyCertificate

    private static let magic = Array("KCTEAM\0\u{1}".utf8)

    /// Generates the keys of a new team, whose signing key has the serial 1.
    ///
    /// - Parameters:
    ///   - name: A name that ``TeamFile/isName(_:)`` accepts.
    ///   - validUntil: The end of the signing key's validity in seconds since 1970; 0 for no end.
    package init(makingTeam name: String, validUntil: UInt64) {
        self.init(name: name, teamKey: .random(), serial: 1, validUntil: validUntil)
    }

    private init(name: String, teamKey: Ed25519PrivateKey, serial: UInt32, validUntil: UInt64) {
        self.name = name
        self.teamKey = teamKey
        signingKey = .random()
        certificate = SigningKeyCertificate(
            of: signingKey.publicKey,
            serial: serial,
            validUntil: validUntil,
            by: teamKey
        )
    }

    private init(
        name: String,
        teamKey: Ed25519PrivateKey?,
        signingKey: Ed25519PrivateKey,
        certificate: SigningKeyCertificate
    ) {
        self.name = name
        self.teamKey = teamKey
        self.signingKey = signingKey
        self.certificate = certificate
    }

    package var team: TeamIdentifier { TeamIdentifier(of: certificate.team) }

    /// Returns the text of the team file with which an administrator trusts the team.
    package func file(group: String?) -> String {
        TeamFile.text(of: Team(publicKey: certificate.team, name: name, group: group))
    }

    /// Returns the keys with a new signing key, whose certificate has the next serial number.
    ///
    /// The result is `nil` without the team key, or if there is no further serial number.
    package func rotated(validUntil: UInt64) -> Self? {
        guard let teamKey, certificate.serial < .max else { return nil }
        return Self(name: name, teamKey: teamKey, serial: certificate.serial + 1, validUntil: validUntil)
    }

    /// The same keys without the team key, for the machine that signs.
    package var withoutTeamKey: Self {
        Self(name: name, teamKey: nil, signingKey: signingKey, certificate: certificate)
    }

    /// Signs an executable's digest and entitlements.
    package func sign(
        _ executable: ExecutableDigest,
        _ entitlements: SignedEntitlements,
        at time: UInt64,
        expires: UInt64,
        isGroupLevelOnly: Bool
    ) throws(EntitlementDefect) -> CodeSignature {
        try CodeSignature(
            signing: SignedStatement(
                executable: executable,
                certificate: certificate,
                signedAt: time,
                expires: expires,
                isGroupLevelOnly: isGroupLevelOnly,
                entitlements: entitlements
            ),
            with: signingKey
        )
    }
}

// The plaintext of the file, little-endian, with sizes in bytes: `name length 2 | name | flag 1 | team seed 32 |
// signing seed 32 | certificate 140`. Without a team key, the flag is 0 instead of 1, and the team seed is missing.
extension TeamKeys {
    /// Encrypts the keys with a passcode; the cost of the key derivation is calibrated for this machine.
    package func sealed(under passcode: borrowing SecretBytes) throws(StatusError) -> [UInt8] {
        try sealed(under: passcode, cost: .calibrated())
    }

    /// Encrypts the keys with a passcode, with the given cost of the key derivation.
    package func sealed(
        under passcode: borrowing SecretBytes,
        cost: PasscodeCost
    ) throws(StatusError) -> [UInt8] {
        // Reserve the full size first, so that no copy of the seeds stays in freed memory.
        var plain = ByteWriter(capacity: 512)
        defer { plain.wipe() }
        plain.append(sized: name)
        plain.append(teamKey == nil ? 0 : 1 as UInt8)
        for key in [teamKey, signingKey].compactMap(\.self) {
            unsafe key.seed.withBytes { unsafe plain.append($0) }
        }
        plain.append(certificate.encoded)
        return try PasscodeBox.seal(plain.bytes, magic: Self.magic, passcode: passcode, cost: cost)
    }

    /// Decrypts the keys in a file.
    ///
    /// - Throws: The errors of ``PasscodeBox/open(_:magic:passcode:)``; `unknownFormat` if the decrypted contents are
    ///   malformed.
    package init(opening file: [UInt8], with passcode: borrowing SecretBytes) throws(StatusError) {
        var plain = try PasscodeBox.open(file, magic: Self.magic, passcode: passcode)
        defer { plain.wipe() }
        guard let keys = unsafe plain.withUnsafeBytes({ unsafe Self(plain: $0) }) else {
            throw StatusError(.unknownFormat)
        }
        self = keys
    }

    private init?(plain: UnsafeRawBufferPointer) {
        var reader = unsafe ByteReader(plain)
        guard let name = reader.sizedString(), TeamFile.isName(name),
            let hasTeamKey: UInt8 = reader.number(), hasTeamKey <= 1
        else { return nil }
        let teamKey = hasTeamKey == 1 ? Self.key(&reader) : nil
        guard let signingKey = Self.key(&reader), let certificate = SigningKeyCertificate(reading: &reader),
            reader.remaining == 0, (teamKey != nil) == (hasTeamKey == 1),
            teamKey.map({ $0.publicKey == certificate.team }) ?? true,
            certificate.key == signingKey.publicKey, certificate.isAuthentic
        else { return nil }
        self.init(name: name, teamKey: teamKey, signingKey: signingKey, certificate: certificate)
    }

    private static func key(_ reader: inout ByteReader) -> Ed25519PrivateKey? {
        unsafe reader.take(SecretKey.count).flatMap { unsafe SecretKey(copying: $0) }
            .map { Ed25519PrivateKey(seed: $0) }
    }
}
