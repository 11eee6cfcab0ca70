// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

struct CreateKeychainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create-keychain",
        abstract: "Makes a store; adding the first password does so too."
    )

    @Option(row: "passcode", .create) var passcode: String?
    @Argument(help: "The store's directory, an absolute path.") var directory: String?
}

struct ShowKeychainInfoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show-keychain-info",
        abstract: "Shows what is known about the store."
    )

    @Flag(row: "json", .info) var json = false
    @OptionGroup var keychain: KeychainOperand
}

struct DeleteKeychainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete-keychain",
        abstract: "Deletes the store with every item in it; the passcode is not asked for.",
        discussion: """
            The way out when the passcode is forgotten or the store is damaged. At a terminal a word must be typed; \
            elsewhere --erase-all-items is required. The next command finds a new store without items and passcode.
            """
    )

    @Flag(row: "erase-all-items", .deleteKeychain) var eraseAllItems = false
    @OptionGroup var keychains: KeychainOperands
}
