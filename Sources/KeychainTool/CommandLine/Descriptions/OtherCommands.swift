// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

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

    @Argument(
        parsing: .allUnrecognized,
        help: "Statuses by name, in decimal or with 0x in hexadecimal digits; exit codes too."
    )
    var status: [String] = []
}
