// SPDX-License-Identifier: Apache-2.0

extension Verb {
    static let verifyCertificate = Verb(
        "verify-cert",
        "Verifies a certificate and its chain to a trusted root.",
        discussion: """
            The certificates of the other -c options and of the keychains complete the chain. No revocation status is \
            fetched. Needs a build with the package trait Trust.
            """,
        options: verificationOptions
    ) { arguments throws(Failure) in try VerifyCertificate(arguments: arguments).run() }

    // swift-format-ignore
    private static let verificationOptions: [ToolOption] = [
        .init("c",  "certificate",   .text, nil, "file", isRepeatable: true, "A file with the certificate, in PEM or DER; further files have intermediate certificates."),
        .init("r",  "root",          .text, nil, "file", isRepeatable: true, "Trust only the roots in this file, not those of the system."),
        .init("p",  "policy",        .text, nil, "policy", "The policy: basic, ssl, smime or codeSign."),
        .init("C",  "client",        .flag,              "With -p ssl: the certificate of a client."),
        .init("s",  "host",          .text, nil, "host", "The host name that the certificate must have; implies -p ssl."),
        .init("e",  "email",         .text, nil, "address", "The email address that the certificate must have."),
        .init("d",  "date",          .text, nil, "date", "Verify at this date, such as 2030-12-31-23:59:59 in UTC, instead of today."),
        .init("n",  "no-keychain",   .flag,              "Use no certificates of keychains."),
        .init("R",  "revocation",    .text, nil, "check", "The check of revocation: only none."),
        .init("L",  "local",         .flag,              "Accepted without effect: nothing is fetched from the network."),
        .init("N",  "no-network",    .flag,              "Accepted without effect."),
        .init("l",  "authority",     .flag,              "Accepted without effect: the certificate may belong to a certificate authority."),
        .init("q",  "quiet",         .flag,              "Print nothing; only the exit code tells the result."),
        .init("v",  "verbose-chain", .flag,              "Print the names of the certificates of the chain."),
        .json,
        keychainOption,
    ]
}
