// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainControl

/// `delete-keychain`: the store, with everything in it.
struct DeleteKeychain {
    let arguments: ScannedArguments

    func run() throws(Failure) {
        guard !arguments.operands.isEmpty else { return try delete(nil) }
        // All are looked at before one is deleted.
        for operand in arguments.operands {
            _ = try Keychains.existing(operand, arguments, acceptsForeignPaths: false)
        }
        for operand in arguments.operands { try delete(operand) }
    }

    private func delete(_ operand: String?) throws(Failure) {
        try Keychains.use(operand, arguments, acceptsForeignPaths: false)
        let directory = KeychainCalls.directory()
        if !arguments.has("erase-all-items") { try confirm(directory, isNamed: operand != nil) }
        try KeychainCalls.control("SecKeychainDelete") { () throws(KeychainControlError) in
            try KeychainControl.delete()
        }
        try SearchList.remove(directory)
    }

    /// Nothing brings a keychain back: a user types a word, and a script names the keychain.
    ///
    /// The login keychain is what the programs of the user have: for that one a script must say more than its name.
    private func confirm(_ directory: String, isNamed: Bool) throws(Failure) {
        guard Console.isTerminal(STDIN_FILENO) else {
            if isNamed, try directory != Keychains.login() { return }
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
