// SPDX-License-Identifier: Apache-2.0

import CKeychainLinux
import Glibc
import KeychainClient
import KeychainModel

/// `backup`: writes an encrypted backup of the items of all access groups.
///
/// Items with an access control, and those that must not leave this device, are left out. If the system service of
/// securityd has the keychain, items of other programs are left out, too.
struct BackUpKeychain {
    let arguments: ScannedArguments

    func run() throws(Failure) {
        guard let name = arguments.operands.first else { throw .usage("a file is required") }
        let replaces = arguments.has("force")
        let target = replaces ? OutputFile.resolved(name) : name
        guard replaces || OutputFile.isAbsent(name) else {
            throw .message("\(BlobText.line(name)): the file exists; --force replaces it", result: 1)
        }
        // Refuses a device or another special file, because the backup would replace it.
        let isSpecial = unsafe clinux_is_special_file(target) != 0
        guard !isSpecial else {
            throw .message("\(BlobText.line(name)): it is not a regular file", result: 1)
        }
        try Keychains.useOption(of: arguments)
        var bytes = try BackupPassphrase(arguments: arguments).read(isNew: true)
        let passphrase = SecretBytes(moving: &bytes)
        let file = try NewFile(target, calling: name)
        let progress = ProgressReport("backup", arguments)
        defer { progress.finish() }
        let summary = try Maintenance.call("backup") { failure throws(StatusError) in
            try SystemKeychain.backUp(under: passphrase, progress.receiver) { chunk throws(StatusError) in
                do throws(Failure) {
                    try file.write(chunk)
                } catch {
                    failure = error
                    throw StatusError(.inputOutput)
                }
            }
        }
        try file.commit(replacing: replaces)
        progress.finish()
        try write(summary)
    }

    private func write(_ summary: BackupSummary) throws(Failure) {
        guard !arguments.has("json") else {
            return try Console.write(JSONText.object(Maintenance.members(summary)).line)
        }
        try Console.write("backed up: \(summary.items)\n")
        if summary.thisDeviceOnly > 0 {
            try Console.write(
                "not copied, because their class never leaves this device: \(summary.thisDeviceOnly)\n"
            )
        }
        if summary.constrained > 0 {
            try Console.write("not copied, because they have an access control: \(summary.constrained)\n")
        }
        if summary.ofOtherPrograms > 0 {
            try Console.write(
                "not copied, because securityd has them for other programs: \(summary.ofOtherPrograms)\n"
            )
        }
    }
}

/// `restore`: adds the items of a backup; `--on-conflict` selects what happens to items that exist already.
struct RestoreBackup {
    let arguments: ScannedArguments

    func run() throws(Failure) {
        guard let name = arguments.operands.first else { throw .usage("a file is required") }
        guard let conflicts = RestoreConflict(rawValue: arguments.value("on-conflict") ?? "fail") else {
            throw .usage("--on-conflict takes skip, replace or fail")
        }
        let descriptor = unsafe open(name, O_RDONLY | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 else { throw InputFile.failure(name, errno) }
        defer { close(descriptor) }
        // Refuses a pipe: other processes cannot write to the store until the whole file has been read.
        guard lseek(descriptor, 0, SEEK_END) >= 0, lseek(descriptor, 0, SEEK_SET) == 0 else {
            throw InputFile.failure(name, errno)
        }
        try Keychains.useOption(of: arguments)
        var bytes = try BackupPassphrase(arguments: arguments).read(isNew: false)
        let passphrase = SecretBytes(moving: &bytes)
        let progress = ProgressReport("restore", arguments)
        defer { progress.finish() }
        let summary = try Maintenance.call(BlobText.line(name)) { _ throws(StatusError) in
            try SystemKeychain.restore(
                under: passphrase,
                conflicts: conflicts,
                dryRun: arguments.has("dry-run"),
                progress.receiver
            ) { count throws(StatusError) in try Self.read(descriptor, count) }
        }
        progress.finish()
        try write(summary)
    }

    /// Reads up to `limit` bytes; fewer only at the end of the file.
    private static func read(_ descriptor: Int32, _ limit: Int) throws(StatusError) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < limit {
            // Read in parts, because a damaged file may state a length far beyond its end.
            var piece = [UInt8](repeating: 0, count: min(limit - bytes.count, 1 << 20))
            let count = unsafe piece.withUnsafeMutableBytes {
                unsafe Glibc.read(descriptor, $0.baseAddress, $0.count)
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw StatusError(.inputOutput, .systemCall, code: errno) }
            if count == 0 { break }
            bytes += piece[..<count]
        }
        return bytes
    }

    private func write(_ summary: RestoreSummary) throws(Failure) {
        let isPreview = arguments.has("dry-run")
        guard !arguments.has("json") else {
            let members: [(String, JSONText)] =
                [
                    ("schemaVersion", .number(1)), ("dryRun", .boolean(isPreview)),
                    ("added", .number(summary.added)), ("replaced", .number(summary.replaced)),
                    ("skipped", .number(summary.skipped)),
                    ("backup", .object(Maintenance.members(summary.backup))),
                ] + Maintenance.ofOtherPrograms(UInt64(summary.ofOtherPrograms))
            return try Console.write(JSONText.object(members).line)
        }
        try Console.write(
            """
            \(isPreview ? "would be added" : "added"): \(summary.added)
            \(isPreview ? "would be replaced" : "replaced"): \(summary.replaced)
            skipped: \(summary.skipped)

            """
        )
        if summary.ofOtherPrograms > 0 {
            try Console.write(
                "left out, because securityd adds no items of other programs: \(summary.ofOtherPrograms)\n"
            )
        }
    }
}

/// The passphrase of a backup: from a descriptor, an argument, standard input or the terminal.
struct BackupPassphrase {
    let arguments: ScannedArguments

    func read(isNew: Bool) throws(Failure) -> [UInt8] {
        if let number = try DescriptorInput.named(by: arguments) {
            return try DescriptorInput.secret(from: number, orThrow: SecretInput.notGiven("passphrase"))
        }
        if let given = try FilePassphrase(arguments: arguments).given(isNew: isNew) {
            guard !given.isEmpty else { throw SecretInput.notGiven("passphrase") }
            return given
        }
        guard let asked = try FilePassphrase.asked(isNew: isNew) else {
            throw SecretInput.notGiven("passphrase")
        }
        return asked
    }
}

/// Runs calls that concern a whole store; converts their errors to failures.
enum Maintenance {
    /// Calls `body`.
    ///
    /// - Throws: The failure that `body` stored in its argument, or else the error of `body` as a failure.
    static func call<Result>(
        _ step: String,
        _ body: (inout Failure?) throws(StatusError) -> Result
    ) throws(Failure) -> Result {
        var failure: Failure?
        do throws(StatusError) {
            return try body(&failure)
        } catch {
            if let failure { throw failure }
            guard error.reason != nil else { throw .status(error.status, step: step) }
            throw .store(error.status, step: step, detail: KeychainCalls.described(error))
        }
    }

    static func ofOtherPrograms(_ count: UInt64) -> [(String, JSONText)] {
        count == 0 ? [] : [("ofOtherPrograms", .number(Int(clamping: count)))]
    }

    static func members(_ summary: BackupSummary) -> [(String, JSONText)] {
        [
            ("schemaVersion", .number(1)), ("items", .number(Int(clamping: summary.items))),
            ("thisDeviceOnly", .number(Int(clamping: summary.thisDeviceOnly))),
            ("accessControl", .number(Int(clamping: summary.constrained))),
        ] + ofOtherPrograms(summary.ofOtherPrograms)
    }
}
