// SPDX-License-Identifier: Apache-2.0

import Glibc
package import KeychainModel
import KeychainStore

/// Reads and writes team files: lines of `key = value`, and comments that start with `#`.
package enum TeamFile {
    package static let suffix = ".team"
    package static let maximumByteCount = 65_536

    package static func name(of team: TeamIdentifier) -> String { team.text + suffix }

    private struct Fields {
        var publicKey: Ed25519PublicKey?
        var name: String?
        var group: String?
        var minimumSerial: UInt32?
        var minimumLevel: CallerLevel?
        var revokedDigests: [Bytes32] = []
        var applicationGroups: [String] = []
        var sandboxes: [Sandbox] = []
    }

    /// Parses a team file.
    ///
    /// An unknown key is an error, because it may be a restriction that only a newer version knows.
    package static func parse(_ bytes: [UInt8]) throws(TeamFileDefect) -> Team {
        guard bytes.count <= maximumByteCount else { throw .tooLong }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw .notUTF8 }
        var fields = Fields()
        for (index, line) in text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .enumerated()
        {
            let line = trimmed(line)
            if line.isEmpty || line.first == UInt8(ascii: "#") { continue }
            guard let equals = line.firstIndex(of: UInt8(ascii: "=")),
                assign(
                    String(decoding: trimmed(line[line.index(after: equals)...]), as: UTF8.self),
                    to: String(decoding: trimmed(line[..<equals]), as: UTF8.self),
                    of: &fields
                )
            else { throw .line(index + 1) }
        }
        guard let publicKey = fields.publicKey else { throw .noPublicKey }
        guard let name = fields.name else { throw .noName }
        return Team(
            publicKey: publicKey,
            name: name,
            group: fields.group,
            minimumSerial: fields.minimumSerial ?? 1,
            minimumLevel: fields.minimumLevel ?? .digest,
            revokedDigests: fields.revokedDigests,
            applicationGroups: fields.applicationGroups,
            sandboxes: fields.sandboxes
        )
    }

    private static func trimmed(_ text: Substring.UTF8View) -> Substring.UTF8View {
        let isSpace = { (character: UInt8) in
            character == UInt8(ascii: " ") || character == UInt8(ascii: "\t")
        }
        var text = text.drop(while: isSpace)
        while let last = text.last, isSpace(last) { text.removeLast() }
        return text
    }

    /// Stores the value of a key; returns whether the key and the value are valid.
    ///
    /// A key that can have only one value must not be repeated.
    private static func assign(_ value: String, to key: String, of fields: inout Fields) -> Bool {
        switch key {
        case "public-key":
            set(&fields.publicKey, Hexadecimal.bytes32(value).map { Ed25519PublicKey($0) })
        case "name":
            set(&fields.name, isName(value) ? value : nil)
        case "group":
            set(&fields.group, isGroup(value) ? value : nil)
        case "minimum-serial":
            set(&fields.minimumSerial, UInt32(value).flatMap { $0 > 0 && String($0) == value ? $0 : nil })
        case "minimum-level":
            set(&fields.minimumLevel, CallerLevel(name: value))
        case "revoked-digest":
            append(Hexadecimal.bytes32(value), to: &fields.revokedDigests)
        case "application-group":
            append(isApplicationGroup(value) ? value : nil, to: &fields.applicationGroups)
        case "sandbox":
            append(Sandbox(text: value), to: &fields.sandboxes)
        default: false
        }
    }

    private static func set<Value>(_ field: inout Value?, _ value: Value?) -> Bool {
        guard field == nil, let value else { return false }
        field = value
        return true
    }

    private static func append<Value>(_ value: Value?, to list: inout [Value]) -> Bool {
        guard let value else { return false }
        list.append(value)
        return true
    }

    /// Returns whether a string is a valid team name: 1 to 128 bytes on one line.
    ///
    /// A name has no `*`, no invisible character, and no space or tab at its start or end.
    package static func isName(_ text: String) -> Bool {
        (1...SignedEntitlements.maximumByteCount).contains(text.utf8.count)
            && SignedEntitlements.isPlain(text) && trimmed(text[...].utf8).count == text.utf8.count
    }

    /// Returns whether a string is a valid name of a system group.
    package static func isGroup(_ text: String) -> Bool {
        let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
        return (1...32).contains(text.utf8.count)
            && text.utf8.first.map { letters.contains($0) || $0 == UInt8(ascii: "_") } == true
            && text.utf8.allSatisfy { character in
                letters.contains(character) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(character)
                    || character == UInt8(ascii: "_") || character == UInt8(ascii: "-")
            }
    }

    private static func isApplicationGroup(_ text: String) -> Bool {
        SignedEntitlements.isShared(text) && SignedEntitlements.isPlain(text)
            && text.utf8.count > SignedEntitlements.sharedPrefix.utf8.count
            && text.utf8.count <= SignedEntitlements.maximumByteCount
    }

    package static func text(of team: Team) -> String {
        var lines = ["public-key = \(Hexadecimal.text(team.publicKey.bytes.bytes))", "name = \(team.name)"]
        if let group = team.group { lines.append("group = \(group)") }
        lines.append("minimum-serial = \(team.minimumSerial)")
        lines.append("minimum-level = \(team.minimumLevel.name)")
        lines += team.revokedDigests.map { "revoked-digest = \(Hexadecimal.text($0.bytes))" }
        lines += team.applicationGroups.map { "application-group = \($0)" }
        lines += team.sandboxes.map { "sandbox = \($0.text)" }
        return lines.joined(separator: "\n") + "\n"
    }
}

/// The reason why a team file is not used.
package enum TeamFileDefect: Error, Hashable, Sendable {
    case tooLong
    case notUTF8
    /// The line with this number is not `key = value` with a known key and a valid value.
    case line(Int)
    case noPublicKey
    case noName
    /// The file's name is not the team identifier of its public key.
    case otherName
    /// The file or its directory does not belong to the administrator, or other users can write it.
    case writableByOthers
    case notARegularFile
    /// A system call failed with this `errno`.
    case unreadable(Int32)

    /// A clause that completes a sentence about the file.
    package var text: String {
        switch self {
        case .tooLong: "it has more than 65,536 bytes"
        case .notUTF8: "it is not UTF-8"
        case .line(let number): "line \(number) is not a known key and a valid value"
        case .noPublicKey: "it has no public-key"
        case .noName: "it has no name"
        case .otherName: "its name is not the identifier of its public key"
        case .writableByOthers: "it belongs to another user or others can write it"
        case .notARegularFile: "it is not a regular file"
        case .unreadable(let code): unsafe String(cString: strerror(code))
        }
    }
}

/// Hexadecimal digits, as `b2sum` prints them.
package enum Hexadecimal {
    private static let digits = Array("0123456789abcdef".utf8)

    package static func text(_ bytes: [UInt8]) -> String {
        String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    /// Parses 64 lower-case digits; `nil` for other strings.
    package static func bytes32(_ text: String) -> Bytes32? {
        guard let bytes = bytes(text) else { return nil }
        return unsafe bytes.withUnsafeBytes { unsafe Bytes32($0) }
    }

    /// Parses lower-case digits, two for each byte; `nil` for other strings.
    package static func bytes(_ text: String) -> [UInt8]? {
        let values = text.utf8.compactMap { digit in digits.firstIndex(of: digit).map(UInt8.init) }
        guard values.count == text.utf8.count, values.count.isMultiple(of: 2) else { return nil }
        return stride(from: 0, to: values.count, by: 2).map { values[$0] << 4 | values[$0 + 1] }
    }
}
