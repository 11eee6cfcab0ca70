// SPDX-License-Identifier: Apache-2.0

#if Objects
import CryptoExtras
import FoundationEssentials

// An OpenSSH line holds a type name, the key in base64 and a comment. The key consists of length-prefixed
// fields: the type name again, then the RSA exponent and modulus (RFC 4253), or the curve name and a point
// (RFC 5656).

extension AsymmetricKey {
    private static let rsaName = "ssh-rsa"
    private static let curvePrefix = "ecdsa-sha2-"

    /// Parses a line of an OpenSSH public key file.
    init(openSSHLine line: String) throws(AsymmetricKeyError) {
        let words = line.split(maxSplits: 2, whereSeparator: \.isWhitespace)
        guard words.count >= 2, let bytes = Data(base64Encoded: String(words[1])) else { throw .malformedKey }
        var fields = LengthPrefixedFields(rest: bytes)
        let name = try fields.nextString()
        guard name == words[0] else { throw .malformedKey }
        if name == Self.rsaName {
            let exponent = try fields.nextNumber()
            let modulus = try fields.nextNumber()
            try fields.finish()
            try self.init(pkcs1Public: RSAStructure.publicKey(modulus: modulus, exponent: exponent))
            return
        }
        guard let curve = Curve.allCases.first(where: { name == Self.curvePrefix + $0.openSSHName }) else {
            throw .unsupportedKey
        }
        guard try fields.nextString() == curve.openSSHName else { throw .malformedKey }
        let point = try fields.next()
        try fields.finish()
        try self.init(point: point, on: curve)
    }

    /// The public key as an OpenSSH line, without comment or line terminator.
    func openSSHLine() throws(AsymmetricKeyError) -> Data {
        let name: String
        var fields = Data()
        switch publicPart {
        case .rsa(let key):
            name = Self.rsaName
            let numbers = try AsymmetricKeyError.catching(.operationFailed) { try key.getKeyPrimitives() }
            fields.append(field: Data(name.utf8))
            fields.append(numberField: numbers.publicExponent)
            fields.append(numberField: numbers.modulus)
        case .ellipticCurve:
            guard let curve else { throw .unsupportedKey }
            name = Self.curvePrefix + curve.openSSHName
            fields.append(field: Data(name.utf8))
            fields.append(field: Data(curve.openSSHName.utf8))
            fields.append(field: publicBytes)
        }
        return Data("\(name) \(fields.base64EncodedString())".utf8)
    }
}

/// Reads fields with a 4-byte length prefix.
private struct LengthPrefixedFields {
    var rest: Data

    mutating func next() throws(AsymmetricKeyError) -> Data {
        guard rest.count >= 4 else { throw .malformedKey }
        let count = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
        guard count <= rest.count - 4 else { throw .malformedKey }
        defer { rest = rest.dropFirst(4 + count) }
        return Data(rest.dropFirst(4).prefix(count))
    }

    mutating func nextString() throws(AsymmetricKeyError) -> String {
        guard let text = String(data: try next(), encoding: .utf8) else { throw .malformedKey }
        return text
    }

    /// Reads a nonnegative number and strips leading zeros.
    mutating func nextNumber() throws(AsymmetricKeyError) -> Data {
        let bytes = try next()
        guard let first = bytes.first, first < 0x80 else { throw .malformedKey }
        return Data(bytes.drop { $0 == 0 })
    }

    func finish() throws(AsymmetricKeyError) { guard rest.isEmpty else { throw .malformedKey } }
}

extension Data {
    fileprivate mutating func append(field: Data) {
        let count = UInt32(field.count)
        append(contentsOf: [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: count >> $0) })
        append(field)
    }

    fileprivate mutating func append(numberField digits: Data) {
        append(field: digits.first.map { $0 >= 0x80 } == true ? Data([0]) + digits : digits)
    }
}
#endif
