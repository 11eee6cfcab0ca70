// SPDX-License-Identifier: Apache-2.0

import Glibc

/// `sync`: replaces this process with `keychain-sync`, which uses the network.
struct SyncProgram {
    let subcommand: String
    let arguments: ScannedArguments

    static let name = "keychain-sync"

    /// Replaces this process with the program; returns only on failure.
    func start() -> Failure {
        guard !arguments.isInteractive else { return .usage("sync is not available in interactive mode") }
        guard let path = Self.find() else { return CompanionProgram.missing(Self.name) }
        var words = unsafe ([path] + commandLine).map { unsafe strdup($0) } + [nil]
        unsafe execv(path, &words)
        return .message("\(BlobText.line(path)): \(unsafe String(cString: strerror(errno)))", result: 126)
    }

    /// The subcommand, its options under their long names, and its operands.
    private var commandLine: [String] {
        [subcommand]
            + arguments.occurrences.flatMap { ["--\($0.option.name)"] + ($0.value.map { [$0] } ?? []) }
            + arguments.operands
    }

    /// The path of the program; `nil` if absent.
    static func find() -> String? { CompanionProgram.find(name) }
}
