// SPDX-License-Identifier: Apache-2.0

import KeychainServices

/// What is read after an option, and what becomes of it.
package enum OptionKind: Sendable {
    /// Nothing follows.
    case flag
    /// Text, used as it is.
    case text
    /// Text, used as its UTF-8 bytes.
    case bytes
    /// Up to four characters, padded with spaces: the text of a protocol or of a way to authenticate.
    case code
    /// Up to four characters, padded with spaces, used as the number that they are in memory.
    case numericCode
    /// The name of a protection class.
    case protection
    /// A number from 0 to 65,535.
    case port
    /// The password; if nothing follows, it is asked for or read from standard input.
    case secret
    /// The password, in hexadecimal digits.
    case hexadecimal
    /// The passphrase of a file; if nothing follows, it is asked for or read from standard input.
    case passphrase
    /// A name and, as the next argument, a value; they are two occurrences.
    case pair
}

/// One row of the option table.
package struct ToolOption: Sendable {
    /// The name after two dashes: ours, macOS has letters only.
    package let name: String
    /// The letter after one dash, as on macOS; options without one are ours.
    package let letter: Unicode.Scalar?
    package let kind: OptionKind
    /// The attribute that the value becomes, by its name in a dictionary.
    package let attribute: String?
    package let verbs: VerbSet
    /// What help calls the value.
    package let placeholder: String
    package let help: String
}

extension ToolOption {
    // swift-format-ignore
    /// Every option of every verb. Adding an option is adding a row, and a declaration in `Descriptions`.
    package static let table: [ToolOption] = [
    //   letter  name                    kind          attribute                   verbs         value       help
        row("a", "account",              .text,        kSecAttrAccount,            .passwords,   "account",  "The account name."),
        row("s", "service",              .text,        kSecAttrService,            .generic,     "service",  "The service name."),
        row("s", "server",               .text,        kSecAttrServer,             .internet,    "server",   "The server name."),
        row("d", "security-domain",      .text,        kSecAttrSecurityDomain,     .internet,    "domain",   "The security domain."),
        row("p", "path",                 .text,        kSecAttrPath,               .internet,    "path",     "The path on the server."),
        row("P", "port",                 .port,        kSecAttrPort,               .internet,    "port",     "The port number."),
        row("r", "protocol",             .code,        kSecAttrProtocol,           .internet,    "code",     "The protocol, a four-character code such as htps or ftp."),
        row("t", "authentication-type",  .code,        kSecAttrAuthenticationType, .internet,    "code",     "The way to authenticate, a four-character code such as form."),
        row("c", "creator",              .numericCode, kSecAttrCreator,            .passwords,   "code",     "The creator, a four-character code."),
        row("C", "type",                 .numericCode, kSecAttrType,               .passwords,   "code",     "The type, a four-character code."),
        row("D", "kind",                 .text,        kSecAttrDescription,        .passwords,   "kind",     "The kind of item."),
        row("G", "generic",              .bytes,       kSecAttrGeneric,            .generic,     "generic",  "The generic attribute."),
        row("j", "comment",              .text,        kSecAttrComment,            .passwords,   "comment",  "The comment."),
        row("l", "label",                .text,        kSecAttrLabel,              .passwords,   "label",    "The label."),
        row(nil, "access-group",         .text,        kSecAttrAccessGroup,        .passwords,   "group",    "The access group. (Not on macOS.)"),
        row(nil, "synchronizable",       .flag,        kSecAttrSynchronizable,     .passwords,   "",         "An item that synchronizes. (Not on macOS.)"),
        row(nil, "accessible",           .protection,        kSecAttrAccessible,         .add,         "class",    "The protection class: ak, ck, dk, aku, cku, dku or akpu. (Not on macOS.)"),
        row(nil, "access-control",       .text,        nil,                        .add,         "constraints", "What opening the item demands: user-presence, device-passcode, biometry-any, biometry-current-set, watch or application-password; several are joined by commas, with the word or where one of them is enough. (Not on macOS.)"),
        row(nil, "application-password", .secret,      nil,                        [.add, .find, .dump], "password", "The password of items that demand an application password; last and alone, it is asked for, or the next line of standard input. (Not on macOS.)"),
        row("w", "password",             .secret,      nil,                        .add,         "password", "The password; last and alone, it is asked for, or read from standard input to its end."),
        row("p", "legacy-password",      .secret,      nil,                        .addGeneric,  "password", "The same as -w."),
        row("X", "hexadecimal-password", .hexadecimal, nil,                        .add,         "digits",   "The password, in hexadecimal digits."),
        row("U", "update",               .flag,        nil,                        .add,         "",         "Update the item if there is one."),
        row("A", "any-application",      .flag,        nil,                        .add,         "",         "Accepted without effect: access groups decide."),
        row("T", "trusted-application",  .text,        nil,                        .add,         "path",     "Accepted without effect: access groups decide."),
        row("g", "show-password",        .flag,        nil,                        .find,        "",         "Show the password, on standard error."),
        row("w", "password-only",        .flag,        nil,                        .find,        "",         "Print only the password; in hexadecimal digits unless it is one line of printable ASCII."),
        row(nil, "raw",                  .flag,        nil,                        .find,        "",         "Print only the password, byte for byte and without a newline. (Not on macOS.)"),
        row(nil, "json",                 .flag,        nil,                        [.find, .dump, .info], "", "Print JSON. (Not on macOS.)"),
        row("a", "access",               .flag,        nil,                        .dump,        "",         "Show who can open each item, and when."),
        row("d", "data",                 .flag,        nil,                        .dump,        "",         "Show the data of each item."),
        row("r", "raw-data",             .flag,        nil,                        .dump,        "",         "Refused: sealed data never leaves the store."),
        row("i", "edit-access",          .flag,        nil,                        .dump,        "",         "Refused: access groups decide, and there is no list to edit."),
        row("p", "passcode",             .secret,      nil,                        [.create, .unlock], "passcode", "The passcode; last and alone, it is asked for, or the next line of standard input."),
        row("o", "old-passcode",         .secret,      nil,                        .passcode,    "passcode", "The passcode that is set; without this it is asked for."),
        row("p", "new-passcode",         .secret,      nil,                        .passcode,    "passcode", "The passcode to set; without this it is asked for twice."),
        row(nil, "remove",               .flag,        nil,                        .passcode,    "",         "Remove the passcode, and destroy every item that needs one. (Not on macOS.)"),
        row(nil, "force",                .flag,        nil,                        .passcode,    "",         "With --remove: destroy the items that need a passcode without asking. (Not on macOS.)"),
        row(nil, "erase-all-items",      .flag,        nil,                        .deleteKeychain, "",      "Delete every item without asking. (Not on macOS.)"),
        row("d", "domain",               .text,        nil,                        .lists,       "domain",   "The domain: user, which is the only one."),
        row("s", "set",                  .flag,        nil,                        [.defaultKeychain, .listKeychains], "", "Set it to the operands; without operands, to the login keychain alone."),
        row("a", "all",                  .flag,        nil,                        .lock,        "",         "Lock every keychain; there is one."),
        row("u", "use-password",         .flag,        nil,                        .unlock,      "",         "Accepted without effect: a passcode is always asked for."),
        row("l", "lock-on-sleep",        .flag,        nil,                        .lockSettings, "",        "Lock when the machine has slept."),
        row("u", "lock-after-timeout",   .flag,        nil,                        .lockSettings, "",        "Lock after the time-out of -t."),
        row("t", "timeout",              .text,        nil,                        .lockSettings, "seconds", "Lock so many seconds after an unlock; without this there is no time-out."),
        row("i", "interactive",          .flag,        nil,                        .tool,        "",         "Read commands from standard input, one per line."),
        row("l", "leaks",                .flag,        nil,                        .tool,        "",         "Accepted without effect."),
        row("p", "prompt",               .text,        nil,                        .tool,        "prompt",   "Ask with this prompt; implies -i."),
        row("q", "quiet",                .flag,        nil,                        .tool,        "",         "Say less."),
        row("v", "verbose",              .flag,        nil,                        .tool,        "",         "Say which command runs."),
    ] + fileRows + objectRows

    static func row(
        _ letter: Unicode.Scalar?,
        _ name: String,
        _ kind: OptionKind,
        _ attribute: CFString?,
        _ verbs: VerbSet,
        _ placeholder: String,
        _ help: String
    ) -> ToolOption {
        ToolOption(
            name: name,
            letter: letter,
            kind: kind,
            attribute: attribute.map { $0 as String },
            verbs: verbs,
            placeholder: placeholder,
            help: help
        )
    }

    static func find(letter: Unicode.Scalar, in verbs: VerbSet) -> ToolOption? {
        table.first { $0.letter == letter && !$0.verbs.isDisjoint(with: verbs) }
    }

    static func find(name: Substring, in verbs: VerbSet) -> ToolOption? {
        table.first { $0.name == name && !$0.verbs.isDisjoint(with: verbs) }
    }
}
