// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

struct LockKeychainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lock-keychain",
        abstract: "Locks the store for every program; needs a passcode to be set."
    )

    @Flag(row: "all", .lock) var all = false
    @OptionGroup var keychain: KeychainOperand
}

struct UnlockKeychainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unlock-keychain",
        abstract: "Unlocks the store for every program of the user.",
        discussion: """
            Without -p the passcode is asked for, or is the next line of standard input. After four wrong ones there \
            is a delay, which grows to an hour.
            """
    )

    @Flag(row: "use-password", .unlock) var usePassword = false
    @Option(row: "passcode", .unlock) var passcode: String?
    @OptionGroup var keychain: KeychainOperand
}

struct SetKeychainSettingsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set-keychain-settings",
        abstract: "Says when the store locks by itself; without options, never."
    )

    @Flag(row: "lock-on-sleep", .lockSettings) var lockOnSleep = false
    @Flag(row: "lock-after-timeout", .lockSettings) var lockAfterTimeout = false
    @Option(row: "timeout", .lockSettings) var timeout: String?
    @OptionGroup var keychain: KeychainOperand
}

struct SetKeychainPasswordCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set-keychain-password",
        abstract: "Sets, changes or removes the passcode of the store.",
        discussion: """
            What is not given as an option is asked for; where standard input is not a terminal, each is its next line. \
            Removing the passcode destroys every item of the class akpu, and every item whose access control needs the \
            user, whatever its class: the command says how many and asks at a terminal; elsewhere it refuses without \
            --force.
            """
    )

    @Option(row: "old-passcode", .passcode) var oldPasscode: String?
    @Option(row: "new-passcode", .passcode) var newPasscode: String?
    @Flag(row: "remove", .passcode) var remove = false
    @Flag(row: "force", .passcode) var force = false
    @OptionGroup var keychain: KeychainOperand
}
