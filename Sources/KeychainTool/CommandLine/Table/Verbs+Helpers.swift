// SPDX-License-Identifier: Apache-2.0

/// The verbs that are credential helpers for other programs, such as git.
extension Verb {
    /// The program names that make the tool a credential helper, and the verb that each selects.
    package static let helperNames: [(program: String, verb: String)] = [
        ("git-credential-keychain", "git-credential"), ("docker-credential-keychain", "docker-credential"),
        ("cargo-credential-keychain", "cargo-credential"), ("keychain-askpass", "askpass"),
    ]

    static let gitCredential = Verb(
        "git-credential",
        "Serves git as a credential helper. (Not on macOS.)",
        discussion: """
            A link to this program named git-credential-keychain does the same: git config credential.helper keychain. \
            Items are those of git-credential-osxkeychain.
            """,
        options: [keychainOption],
        operand: Operand(name: "operation", help: "get, store or erase; others are ignored.", limit: .max)
    ) { arguments throws(Failure) in try GitCredential(arguments: arguments).run() }

    static let dockerCredential = Verb(
        "docker-credential",
        "Serves Docker and Podman as a credential helper. (Not on macOS.)",
        discussion: """
            A link to this program named docker-credential-keychain does the same, with "credsStore": "keychain" in \
            ~/.docker/config.json. Errors go to standard output, where Docker expects them.
            """,
        options: [keychainOption],
        operand: Operand(name: "operation", help: "get, store, erase, list or version.", limit: 1)
    ) { arguments throws(Failure) in try DockerCredential(arguments: arguments).run() }

    static let cargoCredential = Verb(
        "cargo-credential",
        "Serves cargo as a credential provider. (Not on macOS.)",
        discussion: "A link to this program named cargo-credential-keychain does the same.",
        options: [
            keychainOption, .init(nil, "cargo-plugin", .flag, "Accepted without effect: cargo passes it."),
        ]
    ) { arguments throws(Failure) in try CargoCredential(arguments: arguments).run() }

    static let awsCredential = Verb(
        "aws-credential",
        "Prints an item as credential_process of AWS expects it. (Not on macOS.)",
        discussion: """
            The account is the access key, and the password the secret key; or the password is a JSON object with \
            AccessKeyId, SecretAccessKey and SessionToken.
            """,
        options: [keychainOption],
        operand: item
    ) { arguments throws(Failure) in try AWSCredential(arguments: arguments).run() }

    static let netrc = Verb(
        "netrc",
        "Prints internet passwords as lines of a netrc file. (Not on macOS.)",
        discussion:
            "For SwiftPM: security netrc HOST > FILE; swift build --netrc-file FILE. SwiftPM cannot read a pipe.",
        options: [keychainOption],
        operand: Operand(name: "host", help: "A server; without one, all servers.", limit: .max)
    ) { arguments throws(Failure) in try NetrcLines(arguments: arguments).run() }

    static let sshAgent = Verb(
        "ssh-agent",
        "Signs for SSH clients with keys of the keychain. (Not on macOS.)",
        discussion: """
            Offers every private key that can sign. A key with an access control prompts at each use. With a command, \
            runs it with SSH_AUTH_SOCK and ends with it; without one, prints SSH_AUTH_SOCK and serves until a signal.
            """,
        options: [
            keychainOption,
            .init(
                "a",
                "socket",
                .text,
                nil,
                "path",
                "The path of the socket; by default one in a new directory."
            ),
        ],
        operand: Operand(name: "command", help: "The command and its arguments.", limit: .max),
        stopsAtOperand: true
    ) { arguments throws(Failure) in try SSHAgent(arguments: arguments).run() }

    static let askpass = Verb(
        "askpass",
        "Answers OpenSSH's questions for passphrases and passwords. (Not on macOS.)",
        discussion: """
            SSH_ASKPASS names a link to this program named keychain-askpass. The passphrase of a key is the generic \
            password with the service SSH and the key's path as account; the password of a server is an internet \
            password with the protocol ssh. For other questions, it exits with 1.
            """,
        options: [keychainOption],
        operand: Operand(name: "question", help: "The question.", limit: 1)
    ) { arguments throws(Failure) in try Askpass(arguments: arguments).run() }
}
