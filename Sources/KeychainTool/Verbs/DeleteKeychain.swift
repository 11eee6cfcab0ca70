// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainControl

/// `delete-keychain`: deletes the store with all its items.
struct DeleteKeychain {
    let arguments: ScannedArguments

    func run() throws(Failure) {
        guard !arguments.operands.isEmpty else { return try report([delete(nil)]) }
        // Checks all operands before deleting any keychain.
        for operand in arguments.operands {
            _ = try Keychains.existing(operand, arguments, acceptsForeignPaths: false)
        }
        var deleted: [String] = []
        for operand in arguments.operands { deleted.append(try delete(operand)) }
        try report(deleted)
    }

    private func report(_ deleted: [String]) throws(Failure) {
        try arguments.reportChange(ofKeychain: false, [("keychains", .array(deleted.map { .string($0) }))])
    }

    /// Deletes a keychain, and returns its directory.
    private func delete(_ operand: String?) throws(Failure) -> String {
        try Keychains.use(operand, arguments, acceptsForeignPaths: false)
        let directory = KeychainCalls.directory()
        if !arguments.has("erase-all-items") { try confirm(directory, isNamed: operand != nil) }
        try KeychainCalls.control("SecKeychainDelete") { () throws(KeychainControlError) in
            try KeychainControl.delete()
        }
        try SearchList.remove(directory)
        return directory
    }

    /// Asks for confirmation at a terminal; `--erase-all-items` skips this check.
    ///
    /// Without a terminal, accepts only a keychain that an operand names, and not the login keychain, which the
    /// user's programs use.
    private func confirm(_ directory: String, isNamed: Bool) throws(Failure) {
        guard Console.isTerminal(STDIN_FILENO) else {
            if isNamed, try directory != Keychains.login() { return }
            throw .usage("without a terminal, --erase-all-items is required to delete every item")
        }
        Console.say(
            "\(KeychainCalls.shownDirectory()): this deletes every item of every program\(Self.count), and cannot be undone.\n"
        )
        try TerminalPrompt.confirm(typing: "delete", orThrow: "nothing was deleted")
    }

    /// A phrase with the number of items; empty if the store cannot be read.
    private static var count: String {
        // Reading the status would create a missing store.
        guard unsafe access(KeychainCalls.directory() + "/keychain.db", F_OK) == 0,
            let status = try? KeychainControl.status()
        else { return "" }
        return ", \(status.itemCount) in all"
    }
}
