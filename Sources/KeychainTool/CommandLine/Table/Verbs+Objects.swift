// SPDX-License-Identifier: Apache-2.0

import KeychainModel

extension Verb {
    static let findCertificate = Verb(
        "find-certificate",
        "Finds certificates.",
        options: certificateOptions,
        operand: .keychains
    ) { arguments throws(Failure) in try FindCertificate(arguments: arguments).run() }

    static let findIdentity = Verb(
        "find-identity",
        "Lists identities: certificates together with their private keys.",
        discussion: FindIdentity.validityHelp,
        options: identityOptions,
        operand: .keychains
    ) { arguments throws(Failure) in try FindIdentity(arguments: arguments).run() }

    static let deleteCertificate = Verb(
        "delete-certificate",
        "Deletes a certificate; a name or a hash is required, and only one certificate may fit.",
        options: deleteOptions,
        operand: .keychains
    ) { arguments throws(Failure) in try DeleteObject(objectClass: .certificate, arguments: arguments).run() }

    static let deleteIdentity = Verb(
        "delete-identity",
        "Deletes a certificate, and its private key unless another certificate needs it.",
        discussion: "A name or a hash is required, and only one identity may fit.",
        options: deleteOptions,
        operand: .keychains
    ) { arguments throws(Failure) in try DeleteObject(objectClass: .identity, arguments: arguments).run() }

    static let addCertificates = Verb(
        "add-certificates",
        "Adds the certificates of files, in PEM or DER.",
        options: [keychainOption] + newObjectAttributes,
        operand: Operand(name: "files", help: "The files; - is standard input.", limit: .max)
    ) { arguments throws(Failure) in try AddCertificates(arguments: arguments).run() }

    static let `import` = Verb(
        "import",
        "Adds the keys and certificates of a file.",
        discussion: """
            Everything in the file must be readable, else nothing is stored. What is in the keychain already is left as \
            it is, and the rest is added. PKCS#12 and encrypted PKCS#8 need a build with the package trait PKCS12.
            """,
        options: [keychainOption] + importOptions + [anyApplication, trustedApplication]
            + newObjectAttributes,
        operand: Operand(name: "file", help: "The file; - is standard input.", limit: 1)
    ) { arguments throws(Failure) in try ImportItems(arguments: arguments).run() }

    static let export = Verb(
        "export",
        "Writes keys and certificates into a file.",
        discussion: """
            A file with private keys can be read by its owner alone. Several items make a PEM text, a pkcs12 file or, if \
            all are public keys, lines of openssh2. A pkcs12 file holds one private key; it and pkcs8 under a passphrase \
            need a build with the package trait PKCS12.
            """,
        options: [keychainOption] + exportOptions
    ) { arguments throws(Failure) in try ExportItems(arguments: arguments).run() }
}

extension Verb {
    // swift-format-ignore
    static let keychainOption = ToolOption(
        "k", "keychain", .text, nil, "keychain", "The keychain: login.keychain, or the store's directory.")

    // swift-format-ignore
    /// The attributes of objects that are stored.
    static let newObjectAttributes: [ToolOption] = [
        .init(nil,  "access-group", .text, .accessGroup, "group", "The access group. (Not on macOS.)"),
        accessible,
    ]

    // swift-format-ignore
    private static let importOptions: [ToolOption] = [
    //       letter  name              kind         attribute value      help
        .init("t",  "type",            .text,        nil, "type",       "What the file holds: cert, pub, priv or agg; else it is found out."),
        .init("f",  "format",          .text,        nil, "format",     "The format: openssl, bsafe, pkcs8, pkcs12, x509, pemseq or openssh2; else it is found out."),
        .init("w",  "wrapped",         .flag,                           "The private keys are under a passphrase; it is found out anyway."),
        .init("x",  "non-extractable", .flag,                           "Mark private keys as not extractable: export refuses them."),
        passphrase,
        .init("a",  "attribute",       .pair,        nil, "name value", isRepeatable: true, "An attribute of the keys, and its value: label or application-tag."),
    ]

    // swift-format-ignore
    private static let exportOptions: [ToolOption] = [
        .init("t",  "type",            .text,        nil, "type",       "What to export: certs, allcerts, pubKeys, privKeys, identities or all, which is the default."),
        .init("f",  "format",          .text,        nil, "format",     "The format: openssl, bsafe, pkcs8, pkcs12, x509, pemseq or openssh2; by default pemseq."),
        .init("w",  "wrapped",         .flag,                           "Put private keys under a passphrase: PKCS#8."),
        .init("p",  "pem",             .flag,                           "Write PEM."),
        passphrase,
        .init("l",  "label",           .text,        nil, "label",      "Only items with this label or common name."),
        .init("o",  "output",          .text,        nil, "file",       "The file to write; by default standard output."),
    ]

    // swift-format-ignore
    private static let passphrase = ToolOption(
        "P", "passphrase", .passphrase, nil, "passphrase", "The passphrase of the file; last and alone, it is asked for, or read from standard input to its end.")

    // swift-format-ignore
    private static let certificateOptions: [ToolOption] = [
        .init("a",  "all",             .flag,                           "Show every certificate that fits, not only the first."),
        .init("c",  "name",            .text,        nil, "name",       "A part of the common name or of the label."),
        .init("e",  "email",           .text,        nil, "address",    "A mailbox that the certificate names."),
        .init("m",  "show-email",      .flag,                           "Show the mailboxes that the certificate names."),
        .init("p",  "pem",             .flag,                           "Print PEM instead of the attributes."),
        .init("Z",  "hashes",          .flag,                           "Print the SHA-256 and SHA-1 hashes of the certificate."),
    ]

    // swift-format-ignore
    private static let identityOptions: [ToolOption] = [
        .init("p",  "policy",          .text,        nil, "policy",     "The purpose of the identity: basic (the default), codesigning, or with the trait Trust ssl-server or ssl-client."),
        .init("s",  "name",            .text,        nil, "name",       "A part of the label, of the common name or of a mailbox."),
        .init("v",  "valid-only",      .flag,                           FindIdentity.validityHelp),
    ]

    // swift-format-ignore
    private static let deleteOptions: [ToolOption] = [
        .init("c",  "name",            .text,        nil, "name",       "A part of the common name or of the label; the whole of one wins."),
        .init("Z",  "hash",            .text,        nil, "hash",       "The SHA-256 or SHA-1 hash of the certificate, in hexadecimal digits."),
        .init("t",  "trust-settings",  .flag,                           "Accepted without effect: there are no trust settings of users."),
    ]
}
