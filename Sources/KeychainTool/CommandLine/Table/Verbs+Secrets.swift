// SPDX-License-Identifier: Apache-2.0

import KeychainModel

extension Verb {
    // swift-format-ignore
    /// The options that select the source of a new password, for `set` and `edit`.
    static let newSecretOptions: [ToolOption] = [
        .init(nil, "generate", .flag,                   "Generate a random password of letters, digits, - and _."),
        .init(nil, "length",   .text,  nil, "length",   "The length of the generated password: 24 by default."),
        .init(nil, "policy",   .text,  nil, "classes",  "The character classes of the generated password, with commas between them: lower, upper, digits, symbols, unambiguous; digits:2 requires at least two digits."),
        .init(nil, "fd",       .text,  nil, "number",   "Read the password from this descriptor."),
    ]

    static let copy = Verb(
        "copy",
        "Puts the password of an item on the clipboard. (Not on macOS.)",
        discussion: """
            It needs wl-copy under Wayland, xclip or xsel under X11. After the time-out the clipboard is cleared if it \
            still contains the password.
            """,
        options: copyOptions,
        operand: item
    ) { arguments throws(Failure) in try CopyPassword(arguments: arguments).run() }

    // swift-format-ignore
    private static let copyOptions: [ToolOption] = [
        keychainOption,
        .init(nil, "timeout", .text, nil, "seconds", "Clear the clipboard after so many seconds: 45 by default, 0 for never."),
        .init(nil, "clear",   .flag,                 "Copy nothing: wait, and clear the clipboard if it contains the password that standard input has."),
    ]

    static let edit = Verb(
        "edit",
        "Changes attributes or the password of an item. (Not on macOS.)",
        discussion: """
            --editor opens the password in VISUAL or EDITOR as a file in memory; an editor that may write a copy to a \
            disk is refused.
            """,
        options: [keychainOption] + editOptions + newSecretOptions + [.jsonReport],
        operand: item
    ) { arguments throws(Failure) in try EditItem(arguments: arguments).run() }

    // swift-format-ignore
    private static let editOptions: [ToolOption] = [
        .init("s", "service",  .text, .service,     "service", "The new service name."),
        .init("a", "account",  .text, .account,     "account", "The new account name."),
        .init("l", "label",    .text, .label,       "label",   "The new label."),
        .init("j", "comment",  .text, .comment,     "comment", "The new comment."),
        .init("D", "kind",     .text, .description, "kind",    "The new kind of item."),
        expires,
        .init("w", "password", .flag,                          "Ask for a new password, or read it from standard input."),
        .init("e", "editor",   .flag,                          "Edit the password in VISUAL or EDITOR."),
    ]

    // swift-format-ignore
    static let expires = ToolOption(
        nil, "expires", .day, .endDate, "day", "When the password expires: 2030-12-31, or never. (Not on macOS.)")

    static let otp = Verb(
        "otp",
        "Prints the one-time code of an item. (Not on macOS.)",
        discussion: """
            The password of the item is an otpauth: URL of the type totp (RFC 6238), or has a line with one. On a \
            terminal, the command also prints how long the code is valid.
            """,
        options: [keychainOption, .json],
        operand: item
    ) { arguments throws(Failure) in try ShowOneTimeCode(arguments: arguments).run() }
}
