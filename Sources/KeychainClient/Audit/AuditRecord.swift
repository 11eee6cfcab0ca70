// SPDX-License-Identifier: Apache-2.0

package import KeychainModel
import KeychainStore

/// An event that the daemon records: the caller, the operation and the result.
///
/// It contains no secret. Of an item, it contains only the class and the access group.
package struct AuditEvent: Hashable, Sendable {
    package var user: UInt32
    package var process: Int32
    package var level: CallerLevel
    /// The application identifier of the program.
    package var program: String
    /// The first 16 hexadecimal digits of the executable's digest; empty if the daemon has not computed it.
    package var executable: String
    package var operation: Operation
    /// The name of the item class; empty for an operation on no class or several.
    package var itemClass: String
    package var accessGroup: String
    /// The status, 0 for success.
    package var result: Int32
    /// The number of changed or returned items; the sum, if several equal reads were combined into one record.
    ///
    /// A failed read counts as one item.
    package var count: Int
    package var microseconds: UInt64

    package enum Operation: Hashable, Sendable {
        case start, stop, reload
        case connect, refuse
        case call(CallKind)

        package var name: String {
            switch self {
            case .start: "start"
            case .stop: "stop"
            case .reload: "reload"
            case .connect: "connect"
            case .refuse: "refuse"
            case .call(let kind): kind.name
            }
        }
    }

    package init(
        _ operation: Operation,
        user: UInt32 = 0,
        process: Int32 = 0,
        level: CallerLevel = .embedded,
        program: String = "",
        executable: String = ""
    ) {
        self.operation = operation
        self.user = user
        self.process = process
        self.level = level
        self.program = program
        self.executable = executable
        (itemClass, accessGroup, result, count, microseconds) = ("", "", 0, 0, 0)
    }

    /// The fields of the record's line, without number, time and digest.
    private var fields: [String] {
        [
            "\(user)", "\(process)", level.name, AuditText.encoded(program), AuditText.encoded(executable),
            operation.name, AuditText.encoded(itemClass), AuditText.encoded(AuditText.shortened(accessGroup)),
            "\(result)",
            "\(count)",
            "\(microseconds)",
        ]
    }

    /// Returns the line up to the digest, with a final space.
    package func line(number: UInt64, nanoseconds: UInt64) -> String {
        (["\(number)", "\(nanoseconds)"] + fields).joined(separator: " ") + " "
    }
}

/// The names of the fields of an audit log's lines, and the encoding of the fields.
package enum AuditText {
    /// The fields of a line, in order.
    package static let fields = [
        "number", "nanoseconds", "user", "process", "level", "program", "executable", "operation", "class",
        "group", "result", "count", "microseconds", "digest",
    ]

    /// Truncates an access group to 512 bytes, because a call may contain a name that is longer than any real group's.
    static func shortened(_ group: String) -> String {
        group.utf8.count <= 512 ? group : String(decoding: group.utf8.prefix(512), as: UTF8.self)
    }

    /// Percent-encodes each byte that is `%`, a space, or not printable ASCII.
    ///
    /// An empty string becomes `-`, and the string `-` becomes `%2d`.
    package static func encoded(_ text: String) -> String {
        if text.isEmpty { return "-" }
        if text == "-" { return "%2d" }
        var encoded: [UInt8] = []
        for byte in text.utf8 {
            if (0x21...0x7E).contains(byte), byte != UInt8(ascii: "%") {
                encoded.append(byte)
            } else {
                encoded.append(UInt8(ascii: "%"))
                encoded += Hexadecimal.text([byte]).utf8
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }
}

/// The digest of an audit log up to a record.
///
/// Each record's digest covers the digest before it and the record's line, so no record can be changed, inserted or
/// removed without changing all later digests.
package struct AuditHead: Hashable, Sendable {
    /// The number of the record; 0 before the first one.
    package var number: UInt64 = 0
    package var digest = Bytes32.zero

    package init() {}

    package init(number: UInt64, digest: Bytes32) {
        self.number = number
        self.digest = digest
    }

    /// Returns the digest of the record after this head.
    ///
    /// `line` is the record's line without its last field, the digest, but with the space before that field.
    package func digest(of line: String) -> Bytes32 { Bytes32(digestOf: digest.bytes + Array(line.utf8)) }

    /// The head as text: the number, a colon, and the digest in hexadecimal digits.
    package var text: String { "\(number):\(Hexadecimal.text(digest.bytes))" }

    package init?(text: some StringProtocol) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, let number = UInt64(parts[0]),
            let digest = Hexadecimal.bytes32(String(parts[1]))
        else { return nil }
        self.init(number: number, digest: digest)
    }
}
