// SPDX-License-Identifier: Apache-2.0

import KeychainModel

extension Verb {
    static let addGenericPassword = Verb(
        "add-generic-password",
        "Adds a generic password.",
        discussion: """
            The account and the service are required. The label is by default the service. Without a password option, \
            the password is empty, or with -U unchanged.
            """,
        options: passwordAttributes + genericAttributes + addOptions + [legacyPassword],
        operand: .keychain
    ) { arguments throws(Failure) in try AddPassword(.genericPassword, arguments).run() }

    static let addInternetPassword = Verb(
        "add-internet-password",
        "Adds an internet password.",
        discussion: """
            The account and the server are required. The label is by default the server, and the authentication type \
            dflt. Without a password option, the password is empty, or with -U unchanged.
            """,
        options: passwordAttributes + internetAttributes + addOptions,
        operand: .keychain
    ) { arguments throws(Failure) in try AddPassword(.internetPassword, arguments).run() }

    static let findGenericPassword = Verb(
        "find-generic-password",
        "Finds a generic password.",
        discussion: firstIsShown,
        options: passwordAttributes + genericAttributes + findOptions,
        operand: .keychains
    ) { arguments throws(Failure) in try FindPassword(.genericPassword, arguments).run() }

    static let findInternetPassword = Verb(
        "find-internet-password",
        "Finds an internet password.",
        discussion: firstIsShown,
        options: passwordAttributes + internetAttributes + findOptions,
        operand: .keychains
    ) { arguments throws(Failure) in try FindPassword(.internetPassword, arguments).run() }

    static let deleteGenericPassword = Verb(
        "delete-generic-password",
        "Deletes a generic password.",
        discussion: firstIsDeleted,
        options: passwordAttributes + genericAttributes + [.jsonReport],
        operand: .keychains
    ) { arguments throws(Failure) in try DeletePassword(.genericPassword, arguments).run() }

    static let deleteInternetPassword = Verb(
        "delete-internet-password",
        "Deletes an internet password.",
        discussion: firstIsDeleted,
        options: passwordAttributes + internetAttributes + [.jsonReport],
        operand: .keychains
    ) { arguments throws(Failure) in try DeletePassword(.internetPassword, arguments).run() }

    private static let firstIsShown = "Shows the first item that matches every given attribute."
    private static let firstIsDeleted =
        "Deletes the first item that matches every given attribute; at least one is required."
}

extension Verb {
    // swift-format-ignore
    /// The options for attributes that generic passwords and internet passwords have.
    private static let passwordAttributes: [ToolOption] = [
    //       letter  name              kind          attribute         value      help
        .init("a",  "account",         .text,        .account,         "account", "The account name."),
        .init("c",  "creator",         .numericCode, .creator,         "code",    "The creator, a four-character code."),
        .init("C",  "type",            .numericCode, .type,            "code",    "The type, a four-character code."),
        .init("D",  "kind",            .text,        .description,     "kind",    "The kind of item."),
        .init("j",  "comment",         .text,        .comment,         "comment", "The comment."),
        .init("l",  "label",           .text,        .label,           "label",   "The label."),
        .init(nil,  "access-group",    .text,        .accessGroup,     "group",   "The access group. (Not on macOS.)"),
        .init(nil,  "synchronizable",  .flag,        .synchronizable,             "A synchronizable item. (Not on macOS.)"),
    ]

    // swift-format-ignore
    private static let genericAttributes: [ToolOption] = [
        .init("s",  "service",         .text,        .service,         "service", "The service name."),
        .init("G",  "generic",         .bytes,       .generic,         "generic", "The generic attribute."),
    ]

    // swift-format-ignore
    private static let internetAttributes: [ToolOption] = [
        .init("s",  "server",              .text,    .server,             "server", "The server name."),
        .init("d",  "security-domain",     .text,    .securityDomain,     "domain", "The security domain."),
        .init("p",  "path",                .text,    .path,               "path",   "The path on the server."),
        .init("P",  "port",                .port,    .port,               "port",   "The port number."),
        .init("r",  "protocol",            .code,    .protocol,           "code",   "The protocol, a four-character code such as htps or ftp."),
        .init("t",  "authentication-type", .code,    .authenticationType, "code",   "The authentication type, a four-character code such as form."),
    ]

    // swift-format-ignore
    private static let addOptions: [ToolOption] = [
        .init("w",  "password",             .secret,      nil, "password",    "The password; as the last argument without a value, prompts for it or reads all of standard input."),
        .init("X",  "hexadecimal-password", .hexadecimal, nil, "digits",      "The password, in hexadecimal digits."),
        .init("U",  "update",               .flag,                            "Update the item if it exists."),
        accessible,
        accessControl,
        expires,
        applicationPassword,
        anyApplication,
        trustedApplication,
        .jsonReport,
    ]

    // swift-format-ignore
    private static let findOptions: [ToolOption] = [
        .init("g",  "show-password",   .flag, "Show the password, on standard error."),
        .init("w",  "password-only",   .flag, "Print only the password; in hexadecimal digits unless it is one line of printable ASCII."),
        .init(nil,  "raw",             .flag, "Print only the password, byte for byte and without a newline. (Not on macOS.)"),
        .init(nil,  "json",            .flag, "Print JSON. (Not on macOS.)"),
        applicationPassword,
    ]

    // swift-format-ignore
    private static let legacyPassword = ToolOption(
        "p", "legacy-password", .secret, nil, "password", "The same as -w.")

    // swift-format-ignore
    static let applicationPassword = ToolOption(
        nil, "application-password", .secret, nil, "password",
        "The password of items that require an application password; as the last argument without a value, prompts for it or reads the next line of standard input. (Not on macOS.)")

    // swift-format-ignore
    static let accessControl = ToolOption(
        nil, "access-control", .text, nil, "constraints",
        "What reading the item requires: user-presence, device-passcode, biometry-any, biometry-current-set, watch or application-password; several words are separated by commas, with the word or if one of them suffices. (Not on macOS.)")

    // swift-format-ignore
    static let keyAccessControl = ToolOption(
        nil, "access-control", .text, nil, "constraints",
        "What using a private key requires, such as user-presence: see add-generic-password. (Not on macOS.)")

    // swift-format-ignore
    static let accessible = ToolOption(
        nil, "accessible", .protection, .accessible, "class",
        "The protection class: ak, ck, dk, aku, cku, dku or akpu. (Not on macOS.)").taking(ToolOption.protectionClasses)

    // swift-format-ignore
    static let anyApplication = ToolOption(
        "A", "any-application", .flag, "Accepted without effect: access groups decide which programs find an item.")

    // swift-format-ignore
    static let trustedApplication = ToolOption(
        "T", "trusted-application", .text, nil, "path", isRepeatable: true, "Accepted without effect: access groups decide which programs find an item.")
}
