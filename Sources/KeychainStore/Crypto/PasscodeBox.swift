// SPDX-License-Identifier: Apache-2.0

package import KeychainModel

/// Secret bytes in a file, encrypted with a key that is derived from a passcode only.
///
/// No device key is needed, so the file can be opened on another machine.
///
/// Format: `magic 8 | passes 1 | log2 of KiB 1 | zeros 6 | salt 16 | box`. The 32 bytes before the box are
/// its associated data.
package enum PasscodeBox {
    private static let magicCount = 8
    private static let headerCount = 32

    /// Encrypts bytes with a key derived from the passcode and a new salt.
    ///
    /// - Throws: `invalidParameter` with `passcodeMalformed`.
    package static func seal(
        _ plain: [UInt8],
        magic: [UInt8],
        passcode: borrowing SecretBytes,
        cost: PasscodeCost
    ) throws(StatusError) -> [UInt8] {
        precondition(magic.count == magicCount)
        try PasscodeDerivation.check(passcode)
        let derivation = KeyDerivation(salt: .random(), cost: cost)
        var header = ByteWriter(capacity: headerCount)
        header.append(magic)
        header.append(cost.passes)
        header.append(cost.doublings)
        header.append(zeros: 6)
        header.append(derivation.salt)
        let key = try key(of: passcode, derivation)
        return Sealing.seal(plain, under: key, associatedData: header.bytes, after: header.bytes)
    }

    /// Decrypts a file's bytes; the caller must erase the result.
    ///
    /// - Throws: `unknownFormat` for another magic or format; `notAvailable` with `passcodeCostUnknown`;
    ///   `authenticationFailed` with `wrongPassphrase` for a wrong passcode or a damaged file; `invalidParameter`
    ///   with `passcodeMalformed`.
    package static func open(
        _ bytes: [UInt8],
        magic: [UInt8],
        passcode: borrowing SecretBytes
    ) throws(StatusError) -> [UInt8] {
        guard bytes.count >= headerCount + Sealing.overhead, bytes.starts(with: magic) else {
            throw StatusError(.unknownFormat)
        }
        guard let cost = PasscodeCost(passes: bytes[8], doublings: bytes[9]) else {
            throw StatusError(.notAvailable, .passcodeCostUnknown)
        }
        let salt = unsafe bytes[16..<headerCount].withUnsafeBytes { unsafe Bytes16($0) }
        guard let salt, bytes[10..<16].allSatisfy({ $0 == 0 }) else { throw StatusError(.unknownFormat) }
        try PasscodeDerivation.check(passcode)
        let key = try key(of: passcode, KeyDerivation(salt: salt, cost: cost))
        do throws(StatusError) {
            return try Sealing.open(
                bytes[headerCount...],
                under: key,
                associatedData: Array(bytes[..<headerCount]),
                orThrow: .wrongPassphrase
            )
        } catch {
            throw StatusError(.authenticationFailed, .wrongPassphrase)
        }
    }

    private static func key(
        of passcode: borrowing SecretBytes,
        _ derivation: KeyDerivation
    ) throws(StatusError) -> SecretKey {
        try derivation.derive(from: passcode).derive(["passcode box"])[0]
    }
}
