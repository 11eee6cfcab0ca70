// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials

/// Reads the fields of SSH's wire format, which have a 4-byte length prefix (RFC 4251).
package struct SSHFields {
    package private(set) var rest: Data

    package init(_ bytes: Data) { rest = bytes }

    /// Reads a number of four bytes.
    package mutating func nextInteger() throws(AsymmetricKeyError) -> UInt32 {
        guard rest.count >= 4 else { throw .malformedKey }
        defer { rest = rest.dropFirst(4) }
        return rest.prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
    }

    package mutating func nextByte() throws(AsymmetricKeyError) -> UInt8 {
        guard let byte = rest.first else { throw .malformedKey }
        rest = rest.dropFirst()
        return byte
    }

    package mutating func next() throws(AsymmetricKeyError) -> Data {
        let count = Int(try nextInteger())
        guard count <= rest.count else { throw .malformedKey }
        defer { rest = rest.dropFirst(count) }
        return Data(rest.prefix(count))
    }

    package mutating func nextString() throws(AsymmetricKeyError) -> String {
        guard let text = String(validating: try next(), as: UTF8.self) else { throw .malformedKey }
        return text
    }

    /// Reads a nonnegative number and strips leading zeros.
    mutating func nextNumber() throws(AsymmetricKeyError) -> Data {
        let bytes = try next()
        guard let first = bytes.first, first < 0x80 else { throw .malformedKey }
        return Data(bytes.drop { $0 == 0 })
    }

    package func finish() throws(AsymmetricKeyError) { guard rest.isEmpty else { throw .malformedKey } }
}

extension Data {
    package mutating func append(sshInteger number: UInt32) {
        append(contentsOf: [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) })
    }

    /// Appends a field with its length.
    package mutating func append(sshField field: Data) {
        append(sshInteger: UInt32(field.count))
        append(field)
    }

    package mutating func append(sshString string: String) { append(sshField: Data(string.utf8)) }

    /// Appends a nonnegative number, without leading zeros other than one that keeps it positive.
    mutating func append(sshNumber digits: Data) {
        let digits = digits.drop { $0 == 0 }
        let isNegative = digits.first.map { $0 >= 0x80 } == true
        append(sshInteger: UInt32(digits.count + (isNegative ? 1 : 0)))
        if isNegative { append(0) }
        append(digits)
    }
}
