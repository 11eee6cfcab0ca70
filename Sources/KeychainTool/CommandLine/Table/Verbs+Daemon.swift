// SPDX-License-Identifier: Apache-2.0

extension Verb {
    static let daemonStatus = Verb(
        "daemon-status",
        "Prints the state of securityd, and counts and latencies of its calls. (Not on macOS.)",
        discussion: """
            The system service tells only root how many clients and calls there are. The command exits with 1 if \
            securityd cannot write its audit log, and with 53 if no securityd answers.
            """,
        options: [.json]
    ) { arguments throws(Failure) in try DaemonStatusReport(arguments: arguments).run() }

    static let audit = Verb(
        "audit",
        "Lists or verifies the audit log of securityd. (Not on macOS.)",
        discussion: """
            The log of the system service, /var/lib/keychain/audit, needs root. With --verify, the command exits with \
            0 if the log is complete, with 1 if records were changed or removed, and with 3 if neither the log's file \
            head nor --anchor confirms which record is the last.
            """,
        options: [
            .init(nil, "verify", .flag, "Verify the digests of all records, and list none."),
            .init(
                nil,
                "anchor",
                .text,
                nil,
                "head",
                "The number and digest of a record, as securityd has logged them: NUMBER:DIGEST."
            ),
            .init(nil, "directory", .text, nil, "directory", "The directory of the log."),
            .init(nil, "json", .flag, "Print each record as JSON."),
        ]
    ) { arguments throws(Failure) in try AuditReport(arguments: arguments).run() }

    // swift-format-ignore
    static let migrateToDaemon = Verb(
        "migrate-to-daemon",
        "Moves the items of a keychain in files into securityd. (Not on macOS.)",
        discussion: """
            An interrupted migration is continued by the same command. The old keychain is renamed at the end, and not \
            deleted. If there are items that the passcode alone cannot open, they are counted, and the old keychain is \
            not renamed.
            """,
        options: [
            .init("n", "dry-run", .flag, "Change nothing; print what would be moved."),
            .init(nil, "group", .text, nil, "old=new", isRepeatable: true, "Move the items of an access group into another one."),
            .init(nil, "passcode-fd", .text, nil, "descriptor", "Read the passcode from this descriptor; otherwise it is asked for."),
            .init(nil, "json", .flag, "Print JSON, and progress as JSON on standard error, even on a terminal."),
        ],
        operand: .keychain
    ) { arguments throws(Failure) in try MigrateToDaemon(arguments: arguments).run() }
}
