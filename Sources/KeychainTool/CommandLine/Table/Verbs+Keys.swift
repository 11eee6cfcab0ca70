// SPDX-License-Identifier: Apache-2.0

import KeychainModel

extension Verb {
    static let createKeypair = Verb(
        "create-keypair",
        "Generates a key pair and stores both keys.",
        discussion: "The operand is the label of both keys.",
        options: pairOptions + [keychainOption] + newObjectAttributes
            + [keyAccessControl, anyApplication, trustedApplication, .jsonReport],
        operand: Operand(name: "label", help: "The label of the keys.", limit: 1)
    ) { arguments throws(Failure) in try CreateKeypair(arguments: arguments).run() }

    static let findKey = Verb(
        "find-key",
        "Finds keys.",
        discussion: "Shows every key that matches all options.",
        options: findOptions,
        operand: .keychains
    ) { arguments throws(Failure) in try FindKey(arguments: arguments).run() }

    static let deleteKey = Verb(
        "delete-key",
        "Deletes a key; a label or a tag is required, and only one key may match. (Not on macOS.)",
        discussion: "Both keys of a pair have the same label: select one with -t private or -t public.",
        options: [applicationLabel, applicationTag, label, type, .jsonReport],
        operand: .keychains
    ) { arguments throws(Failure) in try DeleteObject(objectClass: .key, arguments: arguments).run() }

    static let setKeyPartitionList = Verb(
        "set-key-partition-list",
        "Accepted without effect, for signing scripts of macOS: access groups decide which programs find a key.",
        options: partitionOptions,
        operand: .keychain
    ) { arguments throws(Failure) in try SetPartitionList(arguments: arguments).run() }
}

extension Verb {
    // swift-format-ignore
    private static let pairOptions: [ToolOption] = [
    //       letter  name                kind   attribute     value        help
        .init("a",  "algorithm",         .text, nil,          "algorithm", "rsa, which is the default, ec (also ecdsa, ecdh) or ed25519."),
        .init("s",  "size",              .text, nil,          "bits",      "The size: for rsa 2048 to 8192, by default 2048; for ec 256, 384 or 521, by default 256."),
        .init("f",  "from",              .text, nil,          "date",      "The day from whose start, in UTC, the keys are valid: 2030-12-31 or 12/31/2030."),
        .init("t",  "to",                .text, nil,          "date",      "The day at whose start, in UTC, the keys expire."),
        .init("d",  "days",              .text, nil,          "days",      "The number of days for which the keys are valid."),
    ]

    // swift-format-ignore
    private static let applicationLabel = ToolOption(
        "a", "application-label", .text, nil, "label", "The application label, in hexadecimal digits or as a string.")

    // swift-format-ignore
    private static let applicationTag = ToolOption(
        nil, "application-tag", .bytes, .applicationTag, "tag", "The application tag. (Not on macOS.)")

    // swift-format-ignore
    private static let label = ToolOption("l", "label", .text, .label, "label", "The label.")

    // swift-format-ignore
    private static let type = ToolOption("t", "type", .text, nil, "type", "The type: public, private or symmetric.").taking(["public", "private", "symmetric"])

    // swift-format-ignore
    private static let findOptions: [ToolOption] = [
        applicationLabel,
        .init("c",  "creator",           .numericCode, .creator,   "code",    "The creator, a four-character code."),
        .init("d",  "decrypt",           .flag, .canDecrypt,                  "A key that can decrypt."),
        .init("D",  "kind",              .text, .description,      "kind",    "The kind of item, which keys do not have."),
        .init("e",  "encrypt",           .flag, .canEncrypt,                  "A key that can encrypt."),
        .init("j",  "comment",           .text, .comment,          "comment", "The comment, which keys do not have."),
        applicationTag,
        label,
        .init("r",  "derive",            .flag, .canDerive,                   "A key that can derive."),
        .init("s",  "sign",              .flag, .canSign,                     "A key that can sign."),
        type,
        .init("u",  "unwrap",            .flag, .canUnwrap,                   "A key that can unwrap."),
        .init("v",  "verify",            .flag, .canVerify,                   "A key that can verify."),
        .init("w",  "wrap",              .flag, .canWrap,                     "A key that can wrap."),
        .init(nil,  "json",              .flag,                               "Print JSON. (Not on macOS.)"),
    ]

    // swift-format-ignore
    private static let partitionOptions: [ToolOption] = [
        .init("S",  "partition-list",    .text,   nil, "list",     "Accepted without effect: access groups decide which programs find an item."),
        .init("k",  "password",          .secret, nil, "password", withoutEffect),
        .init("s",  "sign",              .flag,                    "Accepted without effect, like the options that select keys."),
        .init("a",  "application-label", .text,   nil, "label",    withoutEffect),
        .init("c",  "creator",           .text,   nil, "code",     withoutEffect),
        .init("d",  "decrypt",           .flag,                    withoutEffect),
        .init("D",  "kind",              .text,   nil, "kind",     withoutEffect),
        .init("e",  "encrypt",           .flag,                    withoutEffect),
        .init("j",  "comment",           .text,   nil, "comment",  withoutEffect),
        .init("l",  "label",             .text,   nil, "label",    withoutEffect),
        .init("r",  "derive",            .flag,                    withoutEffect),
        .init("t",  "type",              .text,   nil, "type",     withoutEffect),
        .init("u",  "unwrap",            .flag,                    withoutEffect),
        .init("v",  "verify",            .flag,                    withoutEffect),
        .init("w",  "wrap",              .flag,                    withoutEffect),
    ]

    private static let withoutEffect = "Accepted without effect."
}
