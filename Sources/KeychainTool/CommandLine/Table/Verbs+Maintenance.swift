// SPDX-License-Identifier: Apache-2.0

import KeychainModel

extension Verb {
    static let verifyKeychain = Verb(
        "verify",
        "Opens every item of every program and reports damaged ones. (Not on macOS.)",
        discussion: """
            It prints no secret, and no attribute except the access group. It exits with 93 if something is damaged, \
            and with 36 if rows are locked.
            """,
        options: [maintenanceJSON],
        operand: .keychain
    ) { arguments throws(Failure) in try VerifyKeychain(arguments: arguments).run() }

    static let backup = Verb(
        "backup",
        "Writes an encrypted backup of the items of every program. (Not on macOS.)",
        discussion: """
            Other programs can use the keychain meanwhile. Items whose class never leaves this device, and items with \
            an access control, are counted and not copied.
            """,
        options: [
            keychainOption, backupPassphrase, passphraseDescriptor,
            .init(nil, "force", .flag, "Replace the file if it exists."), maintenanceJSON,
        ],
        operand: Operand(name: "file", help: "The file to write.", limit: 1)
    ) { arguments throws(Failure) in try BackUpKeychain(arguments: arguments).run() }

    static let restore = Verb(
        "restore",
        "Adds the items of a backup, all or none. (Not on macOS.)",
        options: [
            keychainOption, backupPassphrase, passphraseDescriptor,
            .init("n", "dry-run", .flag, "Change nothing; print what would be done."),
            .init(
                nil,
                "on-conflict",
                .text,
                nil,
                "rule",
                "What to do with an item that exists: skip, replace, or fail, which is the default."
            ).taking(conflictRules),
            maintenanceJSON,
        ],
        operand: Operand(name: "file", help: "The backup.", limit: 1)
    ) { arguments throws(Failure) in try RestoreBackup(arguments: arguments).run() }

    static let repair = Verb(
        "repair",
        "Copies what is valid in a damaged keychain into a new one. (Not on macOS.)",
        discussion: """
            The new keychain takes the place of the damaged one, which is kept beside it. An intact keychain is not \
            changed.
            """,
        options: [
            .init("n", "dry-run", .flag, "Change nothing; print what is damaged."), maintenanceJSON,
        ],
        operand: .keychain
    ) { arguments throws(Failure) in try RepairKeychain(arguments: arguments).run() }

    static let rotateKeys = Verb(
        "rotate-keys",
        "Makes new keys and encrypts every item of every program with them. (Not on macOS.)",
        discussion: """
            Other programs can use the keychain meanwhile. If the command is interrupted, the next one continues, and so \
            does a process in the background after the next unlock-keychain. With a passcode, it prompts for it and \
            unlocks the keychain. It exits with 93 if damaged items keep the former \
            keys in use, and with 36 if the keychain was locked meanwhile.
            """,
        options: [
            passcode,
            .init(nil, "passcode-fd", .text, nil, "descriptor", "Read the passcode from this descriptor."),
            .init(
                nil,
                "background",
                .flag,
                "Return as soon as the new keys exist; another process encrypts the items."
            ),
            maintenanceJSON,
        ],
        operand: .keychain
    ) { arguments throws(Failure) in try RotateKeys(arguments: arguments).run() }

    // swift-format-ignore
    private static let maintenanceJSON = ToolOption(
        nil, "json", .flag, "Print JSON, and progress as JSON on standard error, even on a terminal.")

    // swift-format-ignore
    private static let backupPassphrase = ToolOption(
        "P", "passphrase", .passphrase, nil, "passphrase", "The passphrase of the backup; as the last argument without a value, prompts for it or reads standard input.")

    // swift-format-ignore
    private static let passphraseDescriptor = ToolOption(
        nil, "fd", .text, nil, "number", "Read the passphrase from this descriptor.")

    /// The values of `--on-conflict`.
    static var conflictRules: [String] { RestoreConflict.allCases.map(\.rawValue) }
}
