// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainClient
import KeychainModel

/// `audit`: lists the records of securityd's audit log, or verifies the log.
struct AuditReport {
    let arguments: ScannedArguments

    private static let systemDirectory = "/var/lib/keychain/audit"
    private static let exitWithoutAnchor: Int32 = 3
    /// How often to try a verification that fails: the daemon may write or remove a file while this command reads it.
    private static let attempts = 3

    func run() throws(Failure) {
        let directory = try directory()
        let anchor = try anchor()
        guard arguments.has("verify") else { return try list(directory) }
        var result = try verify(directory, anchor)
        for _ in 1..<Self.attempts where result.damage != nil { result = try verify(directory, anchor) }
        try arguments.has("json") ? Console.write(Self.json(result).line) : write(result, directory)
        if result.damage != nil { throw .said(result: 1) }
        if !result.isAnchored || result.isAnchorTooOld { throw .said(result: Self.exitWithoutAnchor) }
    }

    private func write(_ result: AuditVerification, _ directory: String) throws(Failure) {
        if let damage = result.damage {
            return Console.complain("\(BlobText.line(directory)): \(Self.sentence(damage))")
        }
        let end = result.isAnchored ? "" : ", but nothing confirms that the log ends there"
        if result.head.number == 0 {
            try Console.write("the audit log is empty\n")
        } else {
            try Console.write(
                "records \(result.first) to \(result.head.number) are whole\(end)\nhead: \(result.head.text)\n"
            )
        }
        if result.isAnchorTooOld {
            Console.complain("the anchor was not compared, because older records were removed")
        }
    }

    private static func json(_ result: AuditVerification) -> JSONText {
        var members: [(String, JSONText)] = [
            ("schemaVersion", .number(1)), ("isIntact", .boolean(result.damage == nil)),
        ]
        if let damage = result.damage {
            members.append(("problem", .string(sentence(damage))))
        } else {
            members += [
                ("first", .number(Int(result.first))), ("last", .number(Int(result.head.number))),
                ("head", .string(result.head.text)), ("isAnchored", .boolean(result.isAnchored)),
                ("isAnchorTooOld", .boolean(result.isAnchorTooOld)),
            ]
        }
        return .object(members)
    }

    /// The log's directory: of the option; else of the user's service, if that has one; else of the system service.
    private func directory() throws(Failure) -> String {
        if let directory = arguments.value("directory") { return directory }
        let own = try Keychains.login() + ".audit"
        return unsafe access(own, F_OK) == 0 ? own : Self.systemDirectory
    }

    private func anchor() throws(Failure) -> AuditHead? {
        guard let text = arguments.value("anchor") else { return nil }
        guard let head = AuditHead(text: text) else {
            throw .usage("--anchor takes a head as securityd logs it: NUMBER:DIGEST")
        }
        return head
    }

    private func verify(
        _ directory: String,
        _ anchor: AuditHead?,
        _ body: (AuditLine) -> Void = { _ in }
    ) throws(Failure) -> AuditVerification {
        do throws(StatusError) {
            return try AuditLogReader.verify(directory, anchor: anchor, body)
        } catch {
            throw .message(
                "\(BlobText.line(directory)): \(unsafe String(cString: strerror(error.code ?? EIO)))",
                result: 1
            )
        }
    }

    private func list(_ directory: String) throws(Failure) {
        var text = ""
        let result = try verify(directory, nil) { line in
            text += arguments.has("json") ? Self.json(line) : Self.line(line)
        }
        try Console.write(text)
        if let damage = result.damage { throw .message(Self.sentence(damage), result: 1) }
    }

    /// Formats a record without its digest; the time in UTC.
    private static func line(_ line: AuditLine) -> String {
        let seconds = (Double(line["nanoseconds"]) ?? 0) / 1e9
        let date = CalendarText(secondsSince1970: seconds).compact
        let rest = AuditText.fields.dropFirst(2).dropLast().map { "\($0)=\(line[$0])" }
        return "\(line.number) \(date) \(rest.joined(separator: " "))\n"
    }

    private static func json(_ line: AuditLine) -> String {
        let numbers: Set = ["number", "nanoseconds", "user", "process", "result", "count", "microseconds"]
        let members = AuditText.fields.map { name -> (String, JSONText) in
            let value = line[name]
            return (name, numbers.contains(name) ? .number(Int(value) ?? 0) : .string(value))
        }
        return JSONText.object([("schemaVersion", .number(1))] + members).text + "\n"
    }

    private static func sentence(_ damage: AuditVerification.Damage) -> String {
        switch damage {
        case .record(let number, let file):
            "\(BlobText.line(file)): a record after \(number) was changed, removed or inserted"
        case .file(let file):
            "\(BlobText.line(file)): the file is missing, or does not continue the previous file"
        case .truncated(let number, let expected):
            "the log ends after record \(number), but securityd has written records up to \(expected)"
        case .anchor(let number): "record \(number) has another digest than the one that securityd has noted"
        }
    }
}
