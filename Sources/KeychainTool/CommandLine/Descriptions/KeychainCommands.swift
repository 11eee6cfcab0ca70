// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

struct CreateKeychainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create-keychain",
        abstract: "Creates a keychain; adding the first password also creates one."
    )

    @Option(row: "passcode", .create) var passcode: String?
    @Argument(help: "A name such as build.keychain, or the absolute path of a directory.") var keychain:
        String?
}

struct ListKeychainsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list-keychains",
        abstract: "Shows or sets the search list: the keychains that commands search unless they name one."
    )

    @Option(row: "domain", .listKeychains) var domain: String?
    @Flag(row: "set", .listKeychains) var set = false
    @OptionGroup var keychains: KeychainOperands
}

struct DefaultKeychainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "default-keychain",
        abstract: "Shows or sets the default keychain, which commands use unless they name another."
    )

    @Option(row: "domain", .defaultKeychain) var domain: String?
    @Flag(row: "set", .defaultKeychain) var set = false
    @OptionGroup var keychain: KeychainOperand
}

struct LoginKeychainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "login-keychain",
        abstract: "Shows the keychain that programs use."
    )

    @Option(row: "domain", .loginKeychain) var domain: String?
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
        abstract: "Deletes the keychain with all its items, without asking for the passcode.",
        discussion: """
            Use it when the passcode is forgotten or the store is damaged. At a terminal it asks for confirmation; \
            elsewhere --erase-all-items is required for the login keychain. The next command creates a new store \
            without items and passcode. The name of this command cannot be abbreviated.
            """
    )

    @Flag(row: "erase-all-items", .deleteKeychain) var eraseAllItems = false
    @OptionGroup var keychains: KeychainOperands
}
