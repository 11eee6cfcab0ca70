// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainClient
import KeychainModel

/// `verify`: decrypts every row of the store for which it has the key, and reports damaged rows.
///
/// It prints no secret, and no attribute except the access group.
struct VerifyKeychain {
    let arguments: ScannedArguments

    func run() throws(Failure) {
        try Keychains.useOperand(of: arguments)
        let progress = ProgressReport("verify", arguments)
        defer { progress.finish() }
        let result = try Maintenance.call("verify") { _ throws(StatusError) in
            try SystemKeychain.verifyRows(progress.receiver)
        }
        progress.finish()
        try Console.write(
            arguments.has("json") ? VerificationText(result).json.text + "\n" : VerificationText(result).lines
        )
        guard result.isIntact else { throw .said(result: Status.undecodable.rawValue) }
        guard result.locked > 0 else { return }
        Console.complain("locked rows were not opened; security unlock-keychain unlocks them")
        throw .said(result: Status.interactionNotAllowed.rawValue)
    }
}

/// `repair`: copies the valid rows of a damaged store into a new one.
struct RepairKeychain {
    let arguments: ScannedArguments

    func run() throws(Failure) {
        try Keychains.useOperand(of: arguments)
        let progress = ProgressReport("repair", arguments)
        defer { progress.finish() }
        let date = CalendarText(secondsSince1970: Double(time(nil))).compact
        let summary = try Maintenance.call("repair") { _ throws(StatusError) in
            try SystemKeychain.repairStore(
                dryRun: arguments.has("dry-run"),
                named: date,
                progress.receiver
            )
        }
        progress.finish()
        let text = VerificationText(summary.verification)
        guard !arguments.has("json") else {
            let members: [(String, JSONText)] =
                [("schemaVersion", .number(1)), ("verification", text.json)]
                + [("salvaged", .number(summary.salvaged))]
                + (summary.copy.map { [("copy", .string($0))] } ?? [])
                + (summary.endedSynchronization ? [("endedSynchronization", .boolean(true))] : [])
            return try Console.write(JSONText.object(members).line)
        }
        try Console.write(text.lines)
        if let copy = summary.copy {
            try Console.write("salvaged: \(summary.salvaged)\nthe damaged store: \(BlobText.line(copy))\n")
            guard summary.endedSynchronization else { return }
            Console.complain("the repaired keychain is not synchronized; security sync join adds it again")
        } else if summary.verification.isIntact {
            try Console.write("nothing to repair\n")
        }
    }
}

/// Formats the result of a store verification as lines and as JSON.
struct VerificationText {
    private let result: StoreVerification

    init(_ result: StoreVerification) { self.result = result }

    var lines: String {
        let counts = [
            ("intact", result.intact), ("locked", result.locked),
            ("with an access control", result.constrained),
            ("damaged", result.damages.count),
        ]
        let rows = counts.map { "\($0.0): \($0.1)\n" }.joined()
        let damages = result.damages.map { damage in
            let group = damage.group.map { " in the access group \"\(BlobText.line($0))\"" } ?? ""
            let itemClass = damage.itemClass.map { " of the class \($0.name)" } ?? ""
            return "row \(damage.row)\(itemClass)\(group): \(Self.sentence(damage.problem))\n"
        }
        return rows + damages.joined() + result.problems.map { "store: \(Self.sentence($0))\n" }.joined()
    }

    var json: JSONText {
        let damages = result.damages.map { damage in
            JSONText.object(
                [("row", .number(Int(damage.row))), ("problem", .string(damage.problem.rawValue))]
                    + (damage.itemClass.map { [("class", .string($0.name))] } ?? [])
                    + (damage.group.map { [("group", .string($0))] } ?? [])
            )
        }
        return .object([
            ("schemaVersion", .number(1)), ("intact", .number(result.intact)),
            ("locked", .number(result.locked)), ("accessControl", .number(result.constrained)),
            ("tombstones", .number(result.tombstones)), ("damaged", .array(damages)),
            ("problems", .array(result.problems.map { .string($0.rawValue) })),
        ])
    }

    private static func sentence(_ problem: StoreVerification.Problem) -> String {
        switch problem {
        case .record: "it was changed or is damaged"
        case .digests: "its digests are not those of its attributes"
        case .index: "an index does not lead to every row"
        case .database: "SQLite finds damage in the database"
        case .rows: "rows were added, removed or rolled back by another program"
        case .counts: "the counts in the header are wrong"
        case .header: "the header is damaged"
        }
    }
}
