// SPDX-License-Identifier: Apache-2.0

#if Objects
import CryptoExtras
import FoundationEssentials

// A line is a name, the key in base64 and a comment. The key is fields of a 4-byte length each: the name again, then
// the exponent and the modulus of RSA (RFC 4253), or the name of the curve and a point (RFC 5656).

extension AsymmetricKey {
    private static let rsaName = "ssh-rsa"
    private static let curvePrefix = "ecdsa-sha2-"

    /// Takes a line of a file of public keys, as OpenSSH has them.
    init(openSSHLine line: String) throws(AsymmetricKeyError) {
        let words = line.split(maxSplits: 2, whereSeparator: \.isWhitespace)
        guard words.count >= 2, let bytes = Data(base64Encoded: String(words[1])) else { throw .malformedKey }
        var fields = LengthPrefixedFields(rest: bytes)
        let name = try fields.nextText()
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
        guard try fields.nextText() == curve.openSSHName else { throw .malformedKey }
        let point = try fields.next()
        try fields.finish()
        try self.init(point: point, on: curve)
    }

    /// The public key as a line without comment and without end.
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

/// Reads fields of a 4-byte length each.
private struct LengthPrefixedFields {
    var rest: Data

    mutating func next() throws(AsymmetricKeyError) -> Data {
        guard rest.count >= 4 else { throw .malformedKey }
        let count = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
        guard count <= rest.count - 4 else { throw .malformedKey }
        defer { rest = rest.dropFirst(4 + count) }
        return Data(rest.dropFirst(4).prefix(count))
    }

    mutating func nextText() throws(AsymmetricKeyError) -> String {
        guard let text = String(data: try next(), encoding: .utf8) else { throw .malformedKey }
        return text
    }

    /// A number that is not negative, without zeros in front.
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
