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
        options: identityOptions,
        operand: .keychains
    ) { arguments throws(Failure) in try FindIdentity(arguments: arguments).run() }

    static let deleteCertificate = Verb(
        "delete-certificate",
        "Deletes a certificate; a name or a hash is required, and only one certificate may match.",
        options: deleteOptions + [.jsonReport],
        operand: .keychains
    ) { arguments throws(Failure) in try DeleteObject(objectClass: .certificate, arguments: arguments).run() }

    static let deleteIdentity = Verb(
        "delete-identity",
        "Deletes a certificate, and its private key unless another certificate needs it.",
        discussion: "A name or a hash is required, and only one identity may match.",
        options: deleteOptions + [.jsonReport],
        operand: .keychains
    ) { arguments throws(Failure) in try DeleteObject(objectClass: .identity, arguments: arguments).run() }

    static let addCertificates = Verb(
        "add-certificates",
        "Adds the certificates of files, in PEM or DER.",
        options: [keychainOption] + newObjectAttributes + [.jsonReport],
        operand: Operand(name: "files", help: "The files; - is standard input.", limit: .max)
    ) { arguments throws(Failure) in try AddCertificates(arguments: arguments).run() }

    static let `import` = Verb(
        "import",
        "Adds the keys and certificates of a file.",
        discussion: """
            If anything in the file cannot be read, nothing is stored. Existing items are kept unchanged, and the \
            others are added. PKCS#12 and encrypted PKCS#8 need a build with the package trait PKCS12.
            """,
        options: [keychainOption] + importOptions + [anyApplication, trustedApplication]
            + newObjectAttributes + [keyAccessControl, .json],
        operand: Operand(name: "file", help: "The file; - is standard input.", limit: 1)
    ) { arguments throws(Failure) in try ImportItems(arguments: arguments).run() }

    static let export = Verb(
        "export",
        "Writes keys and certificates to a file.",
        discussion: """
            Only its owner can read a file with private keys. Several items are written as PEM, as a pkcs12 file or, \
            if all are public keys, as lines of openssh2. pkcs12 files and encrypted pkcs8 keys need a build with the \
            package trait PKCS12.
            """,
        options: [keychainOption] + exportOptions
    ) { arguments throws(Failure) in try ExportItems(arguments: arguments).run() }
}

extension Verb {
    // swift-format-ignore
    static let keychainOption = ToolOption(
        "k", "keychain", .text, nil, "keychain", "The keychain: a name such as build.keychain, or the absolute path of a directory.")

    // swift-format-ignore
    /// The options for attributes of certificates and keys that a command stores.
    static let newObjectAttributes: [ToolOption] = [
        .init(nil,  "access-group", .text, .accessGroup, "group", "The access group. (Not on macOS.)"),
        accessible,
    ]

    // swift-format-ignore
    private static let importOptions: [ToolOption] = [
    //       letter  name              kind         attribute value      help
        .init("t",  "type",            .text,        nil, "type",       "The required contents: cert, pub, priv or agg; by default any.").taking(["cert", "pub", "priv", "agg"]),
        .init("f",  "format",          .text,        nil, "format",     "The format: openssl, bsafe, pkcs8, pkcs12, x509, pemseq or openssh2; by default it is detected.").taking(formats),
        .init("w",  "wrapped",         .flag,                           "The private keys are encrypted; accepted without effect, because this is detected."),
        .init("x",  "non-extractable", .flag,                           "Mark private keys as not extractable: export refuses them."),
        passphrase,
        .init("a",  "attribute",       .pair,        nil, "name value", isRepeatable: true, "An attribute of the keys, and its value: label or application-tag."),
    ]

    // swift-format-ignore
    private static let exportOptions: [ToolOption] = [
        .init("t",  "type",            .text,        nil, "type",       "What to export: certs, allcerts, pubKeys, privKeys, identities or all, which is the default.").taking(ExportType.allCases.map(\.rawValue)),
        .init("f",  "format",          .text,        nil, "format",     "The format: openssl, bsafe, pkcs8, pkcs12, x509, pemseq or openssh2; by default pemseq.").taking(formats),
        .init("w",  "wrapped",         .flag,                           "Encrypt private keys with a passphrase, as PKCS#8."),
        .init("p",  "pem",             .flag,                           "Write PEM."),
        passphrase,
        .init("l",  "label",           .text,        nil, "label",      "Only items with this label or common name."),
        .init("o",  "output",          .text,        nil, "file",       "The file to write; by default standard output."),
    ]

    // swift-format-ignore
    private static let passphrase = ToolOption(
        "P", "passphrase", .passphrase, nil, "passphrase", "The passphrase of the file; as the last argument without a value, prompts for it or reads all of standard input.")

    // swift-format-ignore
    private static let certificateOptions: [ToolOption] = [
        .init("a",  "all",             .flag,                           "Show every matching certificate, not only the first."),
        .init("c",  "name",            .text,        nil, "name",       "A part of the common name or of the label."),
        .init("e",  "email",           .text,        nil, "address",    "An email address in the certificate."),
        .init("m",  "show-email",      .flag,                           "Show the email addresses in the certificate."),
        .init("p",  "pem",             .flag,                           "Print PEM instead of the attributes."),
        .init("Z",  "hashes",          .flag,                           "Print the SHA-256 and SHA-1 hashes of the certificate."),
        .init(nil,  "json",            .flag,                           "Print JSON. (Not on macOS.)"),
    ]

    // swift-format-ignore
    private static let identityOptions: [ToolOption] = [
        .init("p",  "policy",          .text,        nil, "policy",     "The purpose of the identity: basic (the default), codesigning, or with the trait Trust ssl-server or ssl-client."),
        .init("s",  "name",            .text,        nil, "name",       "A part of the label, the common name or an email address."),
        .init("v",  "valid-only",      .flag,                           FindIdentity.validityHelp),
        .init(nil,  "json",            .flag,                           "Print JSON. (Not on macOS.)"),
    ]

    // swift-format-ignore
    private static let deleteOptions: [ToolOption] = [
        .init("c",  "name",            .text,        nil, "name",       "A part of the common name or the label; a complete match takes precedence."),
        .init("Z",  "hash",            .text,        nil, "hash",       "The SHA-256 or SHA-1 hash of the certificate, in hexadecimal digits."),
        .init("t",  "trust-settings",  .flag,                           "Accepted without effect: there are no trust settings of users."),
    ]

    /// The values of `import -f` and `export -f`.
    private static let formats = ["openssl", "bsafe", "pkcs8", "pkcs12", "x509", "pemseq", "openssh2"]
}
