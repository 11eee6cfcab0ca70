// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// OpenSSH's own format of private keys.
///
/// Source: PROTOCOL.key of OpenSSH.
enum OpenSSHPrivateKey {
    static let label = "OPENSSH PRIVATE KEY"
    /// The magic bytes at the start of the file, including their zero terminator.
    static let magic = Data("openssh-key-v1\u{0}".utf8)
    /// The name of the cipher and of the key derivation function of an unencrypted key.
    fileprivate static let none = "none"
    /// The block size in bytes: the private part is padded to a multiple of it.
    fileprivate static let blockSize = 8
}

#if Objects
import CryptoExtras
import SwiftASN1

extension AsymmetricKey {
    /// Parses an unencrypted private key in OpenSSH's own format.
    ///
    /// - Throws: `encryptedKey` if the key needs a passphrase; `malformedKey` if the file is malformed or has several
    ///   keys, or if the public and the private key do not match; `unsupportedKey` for another key type.
    init(openSSHPrivateKey bytes: Data) throws(AsymmetricKeyError) {
        guard bytes.count <= Self.largestFile, bytes.starts(with: OpenSSHPrivateKey.magic) else {
            throw .malformedKey
        }
        var fields = SSHFields(Data(bytes.dropFirst(OpenSSHPrivateKey.magic.count)))
        let (cipher, function) = (try fields.nextString(), try fields.nextString())
        _ = try fields.next()
        guard cipher == OpenSSHPrivateKey.none, function == OpenSSHPrivateKey.none else {
            throw .encryptedKey
        }
        guard try fields.nextInteger() == 1 else { throw .malformedKey }
        let blob = try fields.next()
        var section = try fields.next()
        defer { section.erase() }
        try fields.finish()
        var secrets = SSHFields(section)
        guard try secrets.nextInteger() == secrets.nextInteger() else { throw .malformedKey }
        try self.init(openSSHSecrets: &secrets)
        // The comment follows, which is skipped, and then the padding: the bytes 1, 2, 3 and so on.
        _ = try secrets.next()
        guard secrets.rest.elementsEqual((0..<secrets.rest.count).map { UInt8(truncatingIfNeeded: $0 + 1) }),
            try AsymmetricKey(sshBlob: blob) == publicHalf
        else { throw .malformedKey }
    }

    /// Parses the fields of the private part of an OpenSSH key.
    private init(openSSHSecrets fields: inout SSHFields) throws(AsymmetricKeyError) {
        switch try fields.nextString() {
        case Self.sshRSAName: try self.init(openSSHNumbers: &fields)
        case Self.sshEd25519Name:
            let key = try fields.next()
            var pair = try fields.next()
            defer { pair.erase() }
            guard pair.count == 64, pair.suffix(32) == key else { throw .malformedKey }
            try self.init(ed25519Seed: Data(pair.prefix(32)))
        case let name:
            let curve = try Self.curve(sshName: name)
            guard try fields.nextString() == curve.openSSHName else { throw .malformedKey }
            _ = try fields.next()
            var scalar = try fields.nextNumber()
            defer { scalar.erase() }
            try self.init(scalar: scalar, on: curve)
        }
    }

    /// Parses the numbers of an RSA key: n, e, d, the inverse of q modulo p, p, and q.
    private init(openSSHNumbers fields: inout SSHFields) throws(AsymmetricKeyError) {
        var numbers: [Data] = []
        defer { for index in numbers.indices { numbers[index].erase() } }
        for _ in 0..<6 { numbers.append(try fields.nextNumber()) }
        let modulus = numbers[0]
        // Reject numbers larger than the modulus, because computing with them could take very long.
        guard modulus.count <= KeySpecification.readableRSASizes.upperBound / 8,
            numbers.allSatisfy({ !$0.isEmpty && $0.count <= modulus.count })
        else { throw .malformedKey }
        var file = try AsymmetricKeyError.catching(.malformedKey) {
            try _RSA.Signing.PrivateKey(
                n: numbers[0],
                e: numbers[1],
                d: numbers[2],
                p: numbers[4],
                q: numbers[5]
            )
            .derRepresentation
        }
        defer { file.erase() }
        try self.init(pkcs1Private: file)
    }

    /// Writes the private key in OpenSSH's own format, unencrypted and without a comment.
    ///
    /// The caller must erase the result.
    func openSSHPrivateKey() throws(AsymmetricKeyError) -> Data {
        let blob = try sshBlob()
        // Reserve an upper bound, because a reallocation during appending would leave a copy of the secret.
        var section = Data(capacity: Self.largestFile)
        defer { section.erase() }
        let check = UInt32.random(in: 0...UInt32.max)
        section.append(sshInteger: check)
        section.append(sshInteger: check)
        section.append(sshString: sshName)
        try appendOpenSSHSecrets(to: &section)
        section.append(sshString: "")
        let rest = section.count % OpenSSHPrivateKey.blockSize
        if rest > 0 { section.append(contentsOf: (1...UInt8(OpenSSHPrivateKey.blockSize - rest))) }
        var file = Data(capacity: Self.largestFile * 2)
        file.append(OpenSSHPrivateKey.magic)
        for text in [OpenSSHPrivateKey.none, OpenSSHPrivateKey.none, ""] { file.append(sshString: text) }
        file.append(sshInteger: 1)
        file.append(sshField: blob)
        file.append(sshField: section)
        return file
    }

    private func appendOpenSSHSecrets(to section: inout Data) throws(AsymmetricKeyError) {
        var secret = externalRepresentation
        defer { secret.erase() }
        switch type {
        case .ed25519:
            section.append(sshField: publicBytes)
            section.append(sshInteger: UInt32(secret.count + publicBytes.count))
            section.append(secret)
            section.append(publicBytes)
        case .ellipticCurve:
            guard let curve else { throw .unsupportedKey }
            section.append(sshString: curve.openSSHName)
            section.append(sshField: publicBytes)
            section.append(sshNumber: secret.suffix(curve.coordinateByteCount))
        case .rsa:
            // A PKCS#1 key has nine numbers: version, n, e, d, p, q, d mod (p − 1), d mod (q − 1), inverse of q mod p.
            let numbers = try RSAStructure.integers(of: secret)
            guard numbers.count == 9 else { throw .malformedKey }
            for index in [1, 2, 3, 8, 4, 5] { section.append(sshNumber: numbers[index]) }
        }
    }
}
#endif
