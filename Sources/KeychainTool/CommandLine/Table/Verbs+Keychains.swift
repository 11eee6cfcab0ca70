// SPDX-License-Identifier: Apache-2.0

extension Verb {
    static let listKeychains = Verb(
        "list-keychains",
        "Shows or sets the search list: the keychains that are searched if a command names none.",
        options: [domain, setOption, json],
        operand: .keychains
    ) { arguments throws(Failure) in try KeychainLists(list: .search, arguments: arguments).run() }

    static let defaultKeychain = Verb(
        "default-keychain",
        "Shows or sets the default keychain, which is used if a command names none.",
        options: [domain, setOption, json],
        operand: .keychain
    ) { arguments throws(Failure) in try KeychainLists(list: .default, arguments: arguments).run() }

    static let loginKeychain = Verb(
        "login-keychain",
        "Shows the keychain that programs use.",
        options: [domain, json]
    ) { arguments throws(Failure) in try KeychainLists(list: .login, arguments: arguments).run() }

    static let createKeychain = Verb(
        "create-keychain",
        "Creates a keychain; adding the first password also creates one.",
        options: [passcode, .jsonReport],
        operand: Operand(
            name: "keychain",
            help: "A name such as build.keychain, or the absolute path of a directory.",
            limit: 1
        )
    ) { arguments throws(Failure) in
        try CreateKeychain(arguments: arguments).run()
        try arguments.reportChange()
    }

    static let showKeychainInfo = Verb(
        "show-keychain-info",
        "Shows the status of the store.",
        options: [.init(nil, "json", .flag, "Print JSON. (Not on macOS.)")],
        operand: .keychain
    ) { arguments throws(Failure) in try KeychainInfo(arguments: arguments).run() }

    static let deleteKeychain = Verb(
        "delete-keychain",
        "Deletes the keychain with all its items, without asking for the passcode.",
        discussion: """
            Use it when the passcode is forgotten or the store is damaged. At a terminal it asks for confirmation; \
            elsewhere --erase-all-items is required for the login keychain. The next command creates a new store \
            without items and passcode. The name of this command cannot be abbreviated.
            """,
        options: [
            .init(nil, "erase-all-items", .flag, "Delete every item without confirmation. (Not on macOS.)"),
            .jsonReport,
        ],
        operand: .keychains
    ) { arguments throws(Failure) in try DeleteKeychain(arguments: arguments).run() }

    static let lockKeychain = Verb(
        "lock-keychain",
        "Locks the store for every program; a passcode must be set.",
        options: [
            .init("a", "all", .flag, "Lock all keychains of the search list that have a passcode."),
            .jsonReport,
        ],
        operand: .keychain
    ) { arguments throws(Failure) in
        try LockKeychain(arguments: arguments).run()
        try arguments.reportChange()
    }

    static let unlockKeychain = Verb(
        "unlock-keychain",
        "Unlocks the store for every program of the user.",
        discussion: """
            Without -p, prompts for the passcode, or reads the next line of standard input. In a systemd unit with the \
            credential keychain.passcode, reads the credential instead. After four wrong passcodes there is a delay, \
            which grows to an hour.
            """,
        options: [
            .init("u", "use-password", .flag, "Accepted without effect: a passcode is always required."),
            passcode,
            .init(nil, "passcode-fd", .text, nil, "descriptor", "Read the passcode from this descriptor."),
            .init(nil, "pam", .flag, "Unlock for the user who logs in; for pam_exec.so with expose_authtok."),
            .jsonReport,
        ],
        operand: .keychain
    ) { arguments throws(Failure) in
        try UnlockKeychain(arguments: arguments).run()
        try arguments.reportChange()
    }

    static let setKeychainSettings = Verb(
        "set-keychain-settings",
        "Sets when the store locks by itself; without options, never.",
        options: settings + [.jsonReport],
        operand: .keychain
    ) { arguments throws(Failure) in
        try SetKeychainSettings(arguments: arguments).run()
        try arguments.reportChange()
    }

    static let setKeychainPassword = Verb(
        "set-keychain-password",
        "Sets, changes or removes the passcode of the store.",
        discussion: """
            Prompts for passcodes that are not given as options; if standard input is not a terminal, reads each from \
            the next line. Removing the passcode destroys every item of the class akpu, and every item whose access \
            control requires the user, whatever its class: on a terminal, the command prints their number and asks for \
            confirmation; otherwise, it requires --force.
            """,
        options: passcodes + [.jsonReport],
        operand: .keychain
    ) { arguments throws(Failure) in
        try SetKeychainPassword(arguments: arguments).run()
        try arguments.reportChange()
    }
}

extension Verb {
    // swift-format-ignore
    private static let domain = ToolOption(
        "d", "domain", .text, nil, "domain", "The domain: user, which is the only one.")

    private static let json = ToolOption(nil, "json", .flag, "Print JSON. (Not on macOS.)")

    // swift-format-ignore
    private static let setOption = ToolOption(
        "s", "set", .flag, "Set what this command shows: to the operands, or without operands to its default.")

    // swift-format-ignore
    static let passcode = ToolOption(
        "p", "passcode", .secret, nil, "passcode", "The passcode; as the last argument without a value, prompts for it or reads the next line of standard input.")

    // swift-format-ignore
    private static let settings: [ToolOption] = [
        .init("l",  "lock-on-sleep",      .flag,                  "Lock when the machine has slept."),
        .init("u",  "lock-after-timeout", .flag,                  "Lock after the time-out of -t."),
        .init("t",  "timeout",            .text, nil, "seconds",  "Lock this many seconds after an unlock; without this option there is no time-out."),
    ]

    // swift-format-ignore
    private static let passcodes: [ToolOption] = [
        .init("o",  "old-passcode", .secret, nil, "passcode", "The current passcode; prompts for it if not given."),
        .init("p",  "new-passcode", .secret, nil, "passcode", "The new passcode; prompts twice for it if not given."),
        .init(nil,  "remove",       .flag,                    "Remove the passcode, and destroy every item that needs one. (Not on macOS.)"),
        .init(nil,  "force",        .flag,                    "With --remove: destroy the items that need a passcode without confirmation. (Not on macOS.)"),
    ]
}
