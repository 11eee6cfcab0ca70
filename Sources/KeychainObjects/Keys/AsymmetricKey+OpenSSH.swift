// SPDX-License-Identifier: Apache-2.0

#if Objects
import Crypto
import CryptoExtras
package import FoundationEssentials

// SSH's wire format of a public key consists of length-prefixed fields: the name of the type, then the RSA
// exponent and modulus (RFC 4253), the curve name and a point (RFC 5656), or the 32 bytes of an Ed25519 key
// (RFC 8709). An OpenSSH line has the name of the type, this format in base64 and a comment.

extension AsymmetricKey {
    static let sshRSAName = "ssh-rsa"
    static let sshEd25519Name = "ssh-ed25519"
    private static let sshCurvePrefix = "ecdsa-sha2-"

    /// Parses a line of an OpenSSH public key file.
    init(openSSHLine line: String) throws(AsymmetricKeyError) {
        let words = line.split(maxSplits: 2, whereSeparator: \.isWhitespace)
        guard words.count >= 2, let bytes = Data(base64Encoded: String(words[1])) else { throw .malformedKey }
        var fields = SSHFields(bytes)
        guard try fields.nextString() == words[0] else { throw .malformedKey }
        try self.init(sshBlob: bytes)
    }

    /// Parses a public key in SSH's wire format.
    package init(sshBlob bytes: Data) throws(AsymmetricKeyError) {
        guard bytes.count <= Self.largestFile else { throw .malformedKey }
        var fields = SSHFields(bytes)
        switch try fields.nextString() {
        case Self.sshRSAName:
            let exponent = try fields.nextNumber()
            let modulus = try fields.nextNumber()
            try fields.finish()
            try self.init(pkcs1Public: RSAStructure.publicKey(modulus: modulus, exponent: exponent))
        case Self.sshEd25519Name:
            let key = try fields.next()
            try fields.finish()
            try self.init(ed25519Public: key)
        case let name:
            let curve = try Self.curve(sshName: name)
            guard try fields.nextString() == curve.openSSHName else { throw .malformedKey }
            let point = try fields.next()
            try fields.finish()
            try self.init(point: point, on: curve)
        }
    }

    /// Returns the curve whose name an SSH key type contains.
    static func curve(sshName name: String) throws(AsymmetricKeyError) -> Curve {
        guard let curve = Curve.allCases.first(where: { name == sshCurvePrefix + $0.openSSHName }) else {
            throw .unsupportedKey
        }
        return curve
    }

    var sshName: String {
        switch type {
        case .rsa: Self.sshRSAName
        case .ed25519: Self.sshEd25519Name
        case .ellipticCurve: Self.sshCurvePrefix + (curve?.openSSHName ?? "")
        }
    }

    /// Returns the public key in SSH's wire format.
    package func sshBlob() throws(AsymmetricKeyError) -> Data {
        var fields = Data()
        fields.append(sshString: sshName)
        switch publicPart {
        case .rsa(let key):
            let numbers = try AsymmetricKeyError.catching(.operationFailed) { try key.getKeyPrimitives() }
            fields.append(sshNumber: numbers.publicExponent)
            fields.append(sshNumber: numbers.modulus)
        case .ellipticCurve:
            fields.append(sshString: curve?.openSSHName ?? "")
            fields.append(sshField: publicBytes)
        case .ed25519: fields.append(sshField: publicBytes)
        }
        return fields
    }

    /// The public key as an OpenSSH line, without comment or line terminator.
    func openSSHLine() throws(AsymmetricKeyError) -> Data {
        Data("\(sshName) \(try sshBlob().base64EncodedString())".utf8)
    }
}

// MARK: Signatures

/// The flags with which an SSH agent's client requests the hash of an RSA signature.
package enum SSHSignatureFlag {
    package static let sha256: UInt32 = 2
    package static let sha512: UInt32 = 4
}

extension AsymmetricKey {
    /// Signs data; returns the name of the signature algorithm and the signature as SSH fields.
    ///
    /// - Throws: `algorithmNotImplemented` for an RSA key if no flag is set, because this requests SHA-1;
    ///   `wrongAlgorithm` for a public key or a key in a token.
    package func sshSignature(of data: Data, flags: UInt32) throws(AsymmetricKeyError) -> Data {
        let (name, signature) = try sshSignatureParts(of: data, flags: flags)
        var fields = Data()
        fields.append(sshString: name)
        fields.append(sshField: signature)
        return fields
    }

    private func sshSignatureParts(
        of data: Data,
        flags: UInt32
    ) throws(AsymmetricKeyError) -> (name: String, signature: Data) {
        guard let privatePart else { throw .wrongAlgorithm }
        return try AsymmetricKeyError.catching(.operationFailed) {
            switch privatePart {
            case .token: throw AsymmetricKeyError.wrongAlgorithm
            case .ed25519(let key): return (sshName, try key.signature(for: data))
            case .rsa(let key):
                if flags & SSHSignatureFlag.sha512 != 0 {
                    return ("rsa-sha2-512", try Self.sign(SHA512.hash(data: data), with: key))
                }
                guard flags & SSHSignatureFlag.sha256 != 0 else {
                    throw AsymmetricKeyError.algorithmNotImplemented
                }
                return ("rsa-sha2-256", try Self.sign(SHA256.hash(data: data), with: key))
            case .ellipticCurve(let key):
                let hash: Hash = curve == .p256 ? .sha256 : curve == .p384 ? .sha384 : .sha512
                guard let digest = hash.digest(of: data) else {
                    throw AsymmetricKeyError.algorithmNotImplemented
                }
                let numbers = try key.sign(digest, as: .rfc4754)
                var fields = Data()
                fields.append(sshNumber: Data(numbers.prefix(numbers.count / 2)))
                fields.append(sshNumber: Data(numbers.suffix(numbers.count / 2)))
                return (sshName, fields)
            }
        }
    }

    private static func sign(_ digest: some Digest, with key: _RSA.Signing.PrivateKey) throws -> Data {
        try key.signature(for: digest, padding: .insecurePKCS1v1_5).rawRepresentation
    }
}
#endif
