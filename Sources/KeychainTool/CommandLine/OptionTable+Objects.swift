// SPDX-License-Identifier: Apache-2.0

import KeychainServices

extension ToolOption {
    // swift-format-ignore
    /// The options of the verbs that read and write files.
    static let fileRows: [ToolOption] = [
    //   letter  name                    kind          attribute                   verbs         value       help
        row("k", "keychain",             .text,        nil,                        [.files, .addCertificates, .createKeypair], "keychain", "The keychain: login.keychain, or the store's directory."),
        row("t", "type",                 .text,        nil,                        .import,      "type",     "What the file holds: cert, pub, priv or agg; else it is found out."),
        row("t", "type",                 .text,        nil,                        .export,      "type",     "What to export: certs, allcerts, pubKeys, privKeys, identities or all, which is the default."),
        row("f", "format",               .text,        nil,                        .import,      "format",   "The format: openssl, bsafe, pkcs8, pkcs12, x509, pemseq or openssh2; else it is found out."),
        row("f", "format",               .text,        nil,                        .export,      "format",   "The format: openssl, bsafe, pkcs8, pkcs12, x509, pemseq or openssh2; by default pemseq."),
        row("w", "wrapped",              .flag,        nil,                        .import,      "",         "The private keys are under a passphrase; it is found out anyway."),
        row("w", "wrapped",              .flag,        nil,                        .export,      "",         "Put private keys under a passphrase: PKCS#8."),
        row("p", "pem",                  .flag,        nil,                        .export,      "",         "Write PEM."),
        row("P", "passphrase",           .passphrase,  nil,                        .files,       "passphrase", "The passphrase of the file; last and alone, it is asked for, or read from standard input to its end."),
        row("l", "label",                .text,        nil,                        .export,      "label",    "Only items with this label or common name."),
        row("o", "output",               .text,        nil,                        .export,      "file",     "The file to write; by default standard output."),
        row("x", "non-extractable",      .flag,        nil,                        .import,      "",         "Mark private keys as not extractable: export refuses them."),
        row("a", "attribute",            .pair,        nil,                        .import,      "name value", "An attribute of the keys, and its value: label or application-tag."),
        row("A", "any-application",      .flag,        nil,                        [.import, .createKeypair], "", "Accepted without effect: access groups decide."),
        row("T", "trusted-application",  .text,        nil,                        [.import, .createKeypair], "path", "Accepted without effect: access groups decide."),
        row(nil, "access-group",         .text,        kSecAttrAccessGroup,        .addObjects,  "group",    "The access group. (Not on macOS.)"),
        row(nil, "accessible",           .protection,        kSecAttrAccessible,         .addObjects,  "class",    "The protection class: ak, ck, dk, aku, cku, dku or akpu. (Not on macOS.)"),
    ]

    // swift-format-ignore
    /// The options of the verbs that find, make and delete keys and certificates.
    static let objectRows: [ToolOption] = [
    //   letter  name                    kind          attribute                   verbs         value       help
        row("a", "all",                  .flag,        nil,                        .findCertificate, "",     "Show every certificate that fits, not only the first."),
        row("c", "name",                 .text,        nil,                        .findCertificate, "name", "A part of the common name or of the label."),
        row("e", "email",                .text,        nil,                        .findCertificate, "address", "A mailbox that the certificate names."),
        row("m", "show-email",           .flag,        nil,                        .findCertificate, "",     "Show the mailboxes that the certificate names."),
        row("p", "pem",                  .flag,        nil,                        .findCertificate, "",     "Print PEM instead of the attributes."),
        row("Z", "hashes",               .flag,        nil,                        .findCertificate, "",     "Print the SHA-256 and SHA-1 hashes of the certificate."),
        row("c", "name",                 .text,        nil,                        .deleteObjects, "name",   "A part of the common name or of the label; the whole of one wins."),
        row("Z", "hash",                 .text,        nil,                        .deleteObjects, "hash",   "The SHA-256 or SHA-1 hash of the certificate, in hexadecimal digits."),
        row("t", "trust-settings",       .flag,        nil,                        .deleteObjects, "",       "Accepted without effect: there are no trust settings of users."),
        row("p", "policy",               .text,        nil,                        .findIdentity, "policy",  "The purpose of the identity: basic (the default), codesigning, or with the trait Trust ssl-server or ssl-client."),
        row("s", "name",                 .text,        nil,                        .findIdentity, "name",    "A part of the label, of the common name or of a mailbox."),
        row("v", "valid-only",           .flag,        nil,                        .findIdentity, "",        FindIdentity.validityHelp),
        row("a", "application-label",    .text,        nil,                        .keys,        "label",    "The application label, in hexadecimal digits or as a string."),
        row("c", "creator",              .numericCode, kSecAttrCreator,            .findKey,     "code",     "The creator, a four-character code."),
        row("d", "decrypt",              .flag,        kSecAttrCanDecrypt,         .findKey,     "",         "A key that can decrypt."),
        row("D", "kind",                 .text,        kSecAttrDescription,        .findKey,     "kind",     "The kind of item: keys have none here."),
        row("e", "encrypt",              .flag,        kSecAttrCanEncrypt,         .findKey,     "",         "A key that can encrypt."),
        row("j", "comment",              .text,        kSecAttrComment,            .findKey,     "comment",  "The comment: keys have none here."),
        row(nil, "application-tag",      .bytes,       kSecAttrApplicationTag,     .keys,        "tag",      "The application tag. (Not on macOS.)"),
        row("l", "label",                .text,        kSecAttrLabel,              .keys,        "label",    "The label."),
        row("r", "derive",               .flag,        kSecAttrCanDerive,          .findKey,     "",         "A key that can derive."),
        row("s", "sign",                 .flag,        kSecAttrCanSign,            .findKey,     "",         "A key that can sign."),
        row("t", "type",                 .text,        nil,                        .keys,        "type",     "The type: public, private or symmetric."),
        row("u", "unwrap",               .flag,        kSecAttrCanUnwrap,          .findKey,     "",         "A key that can unwrap."),
        row("v", "verify",               .flag,        kSecAttrCanVerify,          .findKey,     "",         "A key that can verify."),
        row("w", "wrap",                 .flag,        kSecAttrCanWrap,            .findKey,     "",         "A key that can wrap."),
        row("a", "algorithm",            .text,        nil,                        .createKeypair, "algorithm", "rsa, which is the default, or ec (also ecdsa, ecdh)."),
        row("s", "size",                 .text,        nil,                        .createKeypair, "bits",   "The size: for rsa 2048 to 8192, by default 2048; for ec 256, 384 or 521, by default 256."),
        row("f", "from",                 .text,        nil,                        .createKeypair, "date",   "The first day on which the keys are to be used: 2030-12-31 or 12/31/2030."),
        row("t", "to",                   .text,        nil,                        .createKeypair, "date",   "The last day on which the keys are to be used."),
        row("S", "partition-list",       .text,        nil,                        .partitionList, "list",  "Accepted without effect: access groups decide."),
        row("k", "password",             .secret,      nil,                        .partitionList, "password", "Accepted without effect."),
        row("s", "sign",                 .flag,        nil,                        .partitionList, "",      "Accepted without effect, like the letters that describe a key."),
        row("a", "application-label",    .text,        nil,                        .partitionList, "label", "Accepted without effect."),
        row("c", "creator",              .text,        nil,                        .partitionList, "code",  "Accepted without effect."),
        row("d", "decrypt",              .flag,        nil,                        .partitionList, "",      "Accepted without effect."),
        row("D", "kind",                 .text,        nil,                        .partitionList, "kind",  "Accepted without effect."),
        row("e", "encrypt",              .flag,        nil,                        .partitionList, "",      "Accepted without effect."),
        row("j", "comment",              .text,        nil,                        .partitionList, "comment", "Accepted without effect."),
        row("l", "label",                .text,        nil,                        .partitionList, "label", "Accepted without effect."),
        row("r", "derive",               .flag,        nil,                        .partitionList, "",      "Accepted without effect."),
        row("t", "type",                 .text,        nil,                        .partitionList, "type",  "Accepted without effect."),
        row("u", "unwrap",               .flag,        nil,                        .partitionList, "",      "Accepted without effect."),
        row("v", "verify",               .flag,        nil,                        .partitionList, "",      "Accepted without effect."),
        row("w", "wrap",                 .flag,        nil,                        .partitionList, "",      "Accepted without effect."),
        row("d", "days",                 .text,        nil,                        .createKeypair, "days",   "For how many days the keys are to be used."),
    ]
}
