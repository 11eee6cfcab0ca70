// SPDX-License-Identifier: Apache-2.0

import CKeychainLinux
import Glibc
package import KeychainModel
import KeychainStore

/// The names and first lines of the files of an audit log.
package enum AuditFile {
    /// The file with the head of the log: the number and the digest of the last record.
    ///
    /// The daemon rewrites the file after each record.
    package static let head = "head"
    /// How many log files the daemon keeps; it removes the oldest one when it starts another because one is full.
    ///
    /// A file that is started because the last one was damaged replaces none, so one file more can remain.
    package static let kept = 8
    private static let suffix = ".log"
    private static let mark = "#keychain-audit 1"
    private static let digits = 6

    /// The name of the file with a number: at least six digits, and `.log`.
    package static func name(_ number: UInt64) -> String {
        let text = "\(number)"
        return String(repeating: "0", count: max(digits - text.count, 0)) + text + suffix
    }

    /// Returns the number in the name of a log file; `nil` for a name that ``name(_:)`` does not return.
    static func number(_ name: String) -> UInt64? {
        guard name.hasSuffix(suffix), let number = UInt64(name.dropLast(suffix.count)),
            Self.name(number) == name
        else { return nil }
        return number
    }

    /// Returns the first line of a log file: its number, and the number and digest of the record before the file.
    package static func firstLine(_ number: UInt64, after head: AuditHead) -> String {
        "\(mark) \(number) \(head.text)\n"
    }

    /// Returns the number and digest of the record before a file's first one, from the file's first line.
    ///
    /// The result is `nil` if the line is not the first line of the file with this number.
    static func head(inFirstLine line: some StringProtocol, of number: UInt64) -> AuditHead? {
        let prefix = "\(mark) \(number) "
        guard line.hasPrefix(prefix) else { return nil }
        return AuditHead(text: line.dropFirst(prefix.count))
    }

    /// Returns the number and digest of a file's last record, without verifying the records.
    ///
    /// In a file without records, the first line contains the result: the number and digest of the record before the
    /// file. The result is `nil` if the first or last line of the file is malformed.
    package static func lastHead(of bytes: ArraySlice<UInt8>, _ number: UInt64) -> AuditHead? {
        let lines = bytes.split(separator: UInt8(ascii: "\n"))
        guard let first = lines.first, let last = lines.last,
            let head = head(inFirstLine: String(decoding: first, as: UTF8.self), of: number)
        else { return nil }
        guard lines.count > 1 else { return head }
        let fields = String(decoding: last, as: UTF8.self).split(separator: " ")
        guard fields.count == AuditText.fields.count, let record = UInt64(fields[0]),
            let digest = fields.last.flatMap({ Hexadecimal.bytes32(String($0)) })
        else { return nil }
        return AuditHead(number: record, digest: digest)
    }

    /// Returns the contents of the file `head`; `nil` if the file is missing or malformed.
    package static func head(in directory: CInt) -> AuditHead? {
        read(head, in: directory).flatMap { bytes in
            AuditHead(text: String(decoding: bytes, as: UTF8.self).prefix { $0 != "\n" })
        }
    }

    /// Returns the numbers of the log's files in a directory, in order.
    package static func numbers(in directory: CInt) -> [UInt64] {
        PrivateDirectory.names(in: directory).compactMap(number).sorted()
    }

    /// Reads at most the first 64 MiB of a file; returns `nil` and sets `errno` if reading fails.
    package static func read(_ name: String, in directory: CInt) -> [UInt8]? {
        let file = FileDescriptor(
            unsafe openat(directory, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK)
        )
        guard file.number >= 0 else { return nil }
        return BoundedFile.read(file.number, atMost: maximumByteCount)
    }

    /// The maximum number of bytes to read from a file; the daemon starts a new file at a much smaller size.
    private static let maximumByteCount = 64 << 20
}

/// A line of an audit log, split into its fields.
package struct AuditLine: Hashable, Sendable {
    package let number: UInt64
    /// The fields in the order of ``AuditText/fields``.
    package let fields: [String]

    package subscript(name: String) -> String {
        AuditText.fields.firstIndex(of: name).map { fields[$0] } ?? ""
    }

    /// Parses the line of the record that follows `head`, checks its digest, and advances `head` to this record.
    ///
    /// The result is `nil` if the line is malformed, or if its number or digest does not follow from `head`.
    init?(_ text: String, after head: inout AuditHead) {
        let fields = text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        guard fields.count == AuditText.fields.count, let number = UInt64(fields[0]),
            number == head.number &+ 1, let last = fields.last, let digest = Hexadecimal.bytes32(last),
            head.digest(of: String(text.dropLast(last.count))) == digest
        else { return nil }
        self.number = number
        self.fields = fields
        head = AuditHead(number: number, digest: digest)
    }
}

/// The result of verifying an audit log.
package struct AuditVerification: Hashable, Sendable {
    package enum Damage: Hashable, Sendable {
        /// The record after this number is changed, removed, inserted, or incomplete.
        case record(after: UInt64, file: String)
        /// The file with this name is missing, or its first line does not continue the previous file.
        case file(String)
        /// The log ends before a record whose number is in the file `head`, or in the anchor of the verification.
        ///
        /// An anchor is an earlier copy of the file `head`, stored elsewhere.
        case truncated(after: UInt64, expected: UInt64)
        /// The record with this number has another digest than in the file `head`, or in an earlier copy (an anchor).
        case anchor(UInt64)
    }

    /// The number of the oldest record that is kept; 0 for an empty log.
    package var first: UInt64 = 0
    package var head = AuditHead()
    package var damage: Damage?
    /// Whether the file `head`, or an earlier copy of it (an anchor), contains the number and digest of a record.
    ///
    /// If so, the log was not truncated before the end of that record.
    package var isAnchored = false
    /// Whether the anchor, an earlier copy of the file `head`, names a record that the daemon has already removed.
    ///
    /// The anchor then could not be compared with the log.
    package var isAnchorTooOld = false

    package init() {}
}

/// Reads and verifies the audit log in a directory.
package enum AuditLogReader {
    /// Verifies the digests of the records up to the first damage, and passes each record to `body`.
    ///
    /// The log is compared with the file `head`, which contains the number and the digest of the last record, and with
    /// `anchor`, an earlier copy of such a head that was stored elsewhere. The daemon writes a record before it updates
    /// the file `head`, so the log may have later records.
    ///
    /// - Throws: `notAvailable` with `systemCall` if the directory or a file cannot be read.
    package static func verify(
        _ path: String,
        anchor: AuditHead? = nil,
        _ body: (AuditLine) -> Void = { _ in }
    ) throws(StatusError) -> AuditVerification {
        let directory = FileDescriptor(unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC))
        guard directory.number >= 0 else { throw StatusError(.notAvailable, .systemCall, code: errno) }
        var result = AuditVerification()
        var (start, isAnchored) = (UInt64(0), false)
        let noted = AuditFile.head(in: directory.number)
        let anchors = [noted, anchor].compactMap { $0 }
        let numbers = AuditFile.numbers(in: directory.number)
        result.damage = missingFile(numbers)
        for number in numbers where result.damage == nil {
            guard let bytes = AuditFile.read(AuditFile.name(number), in: directory.number) else {
                throw StatusError(.notAvailable, .systemCall, code: errno)
            }
            result.damage = verify(bytes, number, isFirst: number == numbers.first, &result) { line, head in
                let anchors = anchors.filter { $0.number == head.number }
                guard anchors.allSatisfy({ $0 == head }) else { return false }
                if !anchors.isEmpty { isAnchored = true }
                if let line { body(line) } else { start = head.number }
                return true
            }
        }
        result.isAnchored = isAnchored
        result.isAnchorTooOld = anchor.map { $0.number < start } ?? false
        if result.damage == nil, let latest = anchors.map(\.number).max(), latest > result.head.number {
            result.damage = .truncated(after: result.head.number, expected: latest)
        }
        return result
    }

    /// Returns the damage if a file of the log is missing.
    ///
    /// The oldest files may be missing, because the daemon removes them once it has enough newer ones.
    private static func missingFile(_ numbers: [UInt64]) -> AuditVerification.Damage? {
        for (earlier, later) in zip(numbers, numbers.dropFirst()) where earlier + 1 != later {
            return .file(AuditFile.name(earlier + 1))
        }
        guard let first = numbers.first, first > 1, numbers.count < AuditFile.kept else { return nil }
        return .file(AuditFile.name(first - 1))
    }

    private static func verify(
        _ bytes: [UInt8],
        _ number: UInt64,
        isFirst: Bool,
        _ result: inout AuditVerification,
        _ body: (AuditLine?, AuditHead) -> Bool
    ) -> AuditVerification.Damage? {
        let name = AuditFile.name(number)
        // A complete file ends with a newline, so the last part is empty.
        var lines = String(decoding: bytes, as: UTF8.self)
            .split(separator: "\n", omittingEmptySubsequences: false)[...]
        let rest = lines.popLast()
        guard let first = lines.popFirst(), let head = AuditFile.head(inFirstLine: first, of: number) else {
            return .file(name)
        }
        if isFirst {
            // File 1 continues no other file, so its first line must contain the number 0 and a digest of zeros.
            guard number > 1 || head == AuditHead() else { return .file(name) }
            result.head = head
            guard body(nil, head) else { return .anchor(head.number) }
        } else if head != result.head {
            return .file(name)
        }
        for line in lines {
            guard let parsed = AuditLine(String(line), after: &result.head) else {
                return .record(after: result.head.number, file: name)
            }
            if result.first == 0 { result.first = parsed.number }
            guard body(parsed, result.head) else { return .anchor(parsed.number) }
        }
        return rest == "" ? nil : .record(after: result.head.number, file: name)
    }
}
