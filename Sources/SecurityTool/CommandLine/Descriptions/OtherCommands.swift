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
    @Argument(help: "The keychain: login.keychain, or the store's directory.") var keychain: String?
}

struct DumpKeychainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dump-keychain",
        abstract: "Shows every item that this program may open, without its data unless asked."
    )

    @Flag(row: "access", .dump) var access = false
    @Flag(row: "data", .dump) var data = false
    @Flag(row: "raw-data", .dump) var rawData = false
    @Flag(row: "edit-access", .dump) var editAccess = false
    @Flag(row: "json", .dump) var json = false
    @Option(row: "application-password", .dump) var applicationPassword: String?
    @OptionGroup var keychains: KeychainOperands
}

struct ErrorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "error",
        abstract: "Says what statuses mean."
    )

    @Argument(parsing: .allUnrecognized, help: "Statuses, in decimal or with 0x in hexadecimal digits.")
    var status: [String] = []
}
