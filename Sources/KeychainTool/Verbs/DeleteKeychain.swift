// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainControl

/// `delete-keychain`: the store, with everything in it.
struct DeleteKeychain {
    let arguments: ScannedArguments

    func run() throws(Failure) {
        try KeychainCalls.check(operands: arguments.operands, acceptsPaths: false)
        if !arguments.has("erase-all-items") { try confirm() }
        try KeychainCalls.control("SecKeychainDelete") { () throws(KeychainControlError) in
            try KeychainControl.delete()
        }
    }

    /// Nothing brings a keychain back: a person types a word, a script says what it means.
    private func confirm() throws(Failure) {
        guard Console.isTerminal(STDIN_FILENO) else {
            throw .usage("without a terminal to ask at, --erase-all-items must say that every item is to go")
        }
        Console.say(
            "\(KeychainCalls.shownDirectory()): every item of every program goes\(Self.count), and nothing brings it back.\n"
        )
        Console.say("Type delete to go on: ")
        guard try StandardInput.nextLine() == Array("delete".utf8) else {
            throw .message("nothing was deleted", result: 1)
        }
    }

    /// How many items there are, as far as the store can be read.
    private static var count: String {
        // Asking for the status would make a store where there is none.
        guard unsafe access(KeychainCalls.directory() + "/keychain.db", F_OK) == 0,
            let status = try? KeychainControl.status()
        else { return "" }
        return ", \(status.itemCount) in all"
    }
}
