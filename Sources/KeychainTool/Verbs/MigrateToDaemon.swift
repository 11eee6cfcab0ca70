// SPDX-License-Identifier: Apache-2.0

import KeychainClient
import KeychainModel

/// `migrate-to-daemon`: moves the items of a store that programs have opened themselves into securityd.
struct MigrateToDaemon {
    let arguments: ScannedArguments

    private static let step = "migrate-to-daemon"
    private static let exitIncomplete: Int32 = 1

    func run() throws(Failure) {
        let directory = try arguments.operands.first.map { operand throws(Failure) in
            try Keychains.existing(operand, arguments)
        }
        let groups = try groups()
        let isDryRun = arguments.has("dry-run")
        let migration = try KeychainCalls.failing(Self.step) { () throws(StatusError) in
            try StoreMigration(from: directory, groups: groups, isDryRun: isDryRun)
        }
        let passcode = try passcode(migration)
        let progress = ProgressReport(Self.step, arguments)
        defer { progress.finish() }
        let report = try KeychainCalls.failing(Self.step) { () throws(StatusError) in
            try migration.run(with: passcode, progress.receiver)
        }
        progress.finish()
        try Console.write(arguments.has("json") ? json(report).text + "\n" : lines(report))
        guard !report.isComplete else { return }
        throw .message(
            "\(BlobText.line(report.directory)): the keychain stays, because not all of its items can be moved",
            result: Self.exitIncomplete
        )
    }

    private func passcode(_ migration: StoreMigration) throws(Failure) -> SecretBytes {
        let isNeeded = try KeychainCalls.failing(Self.step) { () throws(StatusError) in
            try migration.needsPasscode
        }
        guard isNeeded else { return unsafe SecretBytes(count: 0) { _ in } }
        return try TeamPasscode(arguments: arguments).read(asking: ["passcode of the keychain: "])
    }

    /// The new names of access groups, from `--group OLD=NEW`.
    private func groups() throws(Failure) -> [String: String] {
        var groups: [String: String] = [:]
        for occurrence in arguments.occurrences where occurrence.option.name == "group" {
            let parts = (occurrence.value ?? "").split(
                separator: "=",
                maxSplits: 1,
                omittingEmptySubsequences: false
            )
            guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty, groups[String(parts[0])] == nil
            else {
                throw .usage("--group takes OLD=NEW, once for each old access group")
            }
            groups[String(parts[0])] = String(parts[1])
        }
        return groups
    }

    private func lines(_ report: MigrationReport) -> String {
        let verb = arguments.has("dry-run") ? "would be moved" : "moved"
        var lines = report.groups.sorted { $0.key < $1.key }.map { name, group in
            let conflicts = group.conflicts == 0 ? "" : ", \(group.conflicts) differ from those in securityd"
            return "\(BlobText.line(name)): \(group.moved) \(verb)\(conflicts)"
        }
        if report.omitted > 0 {
            lines.append("\(report.omitted) cannot be read with the passcode alone")
        }
        lines.append("items \(verb): \(report.moved)")
        if report.isRenamed { lines.append("the old keychain: \(BlobText.line(report.directory))") }
        return lines.map { $0 + "\n" }.joined()
    }

    private func json(_ report: MigrationReport) -> JSONText {
        let groups = report.groups.sorted { $0.key < $1.key }.map { name, group in
            JSONText.object([
                ("group", .string(name)), ("moved", .number(group.moved)),
                ("conflicts", .number(group.conflicts)),
            ])
        }
        return .object([
            ("schemaVersion", .number(1)), ("dryRun", .boolean(arguments.has("dry-run"))),
            ("groups", .array(groups)), ("moved", .number(report.moved)),
            ("conflicts", .number(report.conflicts)), ("omitted", .number(report.omitted)),
            ("directory", .string(report.directory)), ("renamed", .boolean(report.isRenamed)),
        ])
    }
}
