// SPDX-License-Identifier: Apache-2.0

package import KeychainModel

package enum ExitCode {
    /// The statuses whose low bytes are documented as exit codes.
    package static let statuses: [Status] = [
        .dataNotAvailable, .missingEntitlement, .keySizeNotAllowed, .interactionNotAllowed,
        .noDefaultKeychain, .noSuchAttribute, .dataTooLarge, .itemNotFound, .duplicateItem,
        .duplicateKeychain, .noSuchKeychain, .authenticationFailed, .readOnly, .notAvailable,
        .pkcs12VerificationFailed, .passphraseRequired, .unknownFormat, .unsupportedFormat,
        .internalInconsistency, .undecodable, .userCanceled, .allocation, .writePermission,
        .invalidParameter, .inputOutput, .diskFull, .unimplemented,
    ]

    /// The documented exit codes that are not the low byte of a status.
    private static let others: [(code: Int32, meaning: String)] = [
        (0, "Success."),
        (1, "An error that has no status; the message names the error."),
        (2, "The arguments are invalid."),
        (3, "codesign: the signature is valid, but expired, revoked or not trusted."),
        (126, "run: the command cannot be run."),
        (127, "run: there is no such command."),
        (130, "Control-C ended the command (the signal SIGINT)."),
        (141, "The program that read the output has ended (the signal SIGPIPE)."),
    ]

    /// The meaning of an exit code that belongs to no status; `nil` for other codes.
    static func meaning(ofCodeWithoutStatus code: Int32) -> String? {
        others.first { $0.code == code }?.meaning
    }

    private static var sorted: [(code: Int32, status: Status?, meaning: String)] {
        let rows =
            others.map { (code: $0.code, status: nil as Status?, meaning: $0.meaning) }
            + statuses.map { status in
                (status.rawValue & 0xff, status, StatusText.sentence(status))
            }
        return rows.sorted { $0.code < $1.code }
    }

    /// The exit codes and their meanings, for the manual page.
    static var rows: [(code: Int32, text: String)] {
        sorted.map { row in
            let status = row.status.map { "\($0.rule?.symbol ?? "") \($0.rawValue): " } ?? ""
            return (row.code, status + row.meaning)
        }
    }

    /// `exit-codes`: prints every code with its status and message.
    static func write(asJSON: Bool) throws(Failure) {
        let sorted = sorted
        guard !asJSON else { return try Console.write(json(sorted) + "\n") }
        for row in sorted {
            let code = String(row.code)
            let padding = String(repeating: " ", count: 3 - code.count)
            let status = row.status.map { "\($0.rule?.symbol ?? "") \($0.rawValue) " } ?? ""
            try Console.write("\(padding)\(code)  \(status)\(row.meaning)\n")
        }
    }

    private static func json(_ rows: [(code: Int32, status: Status?, meaning: String)]) -> String {
        let codes = rows.map { row in
            let status: [(String, JSONText)] =
                row.status.map { status in
                    [
                        ("status", .number(Int(status.rawValue))),
                        ("symbol", .string(status.rule?.symbol ?? "")),
                    ]
                } ?? []
            return JSONText.object(
                [("code", .number(Int(row.code)))] + status + [("meaning", .string(row.meaning))]
            )
        }
        return JSONText.object([("schemaVersion", .number(1)), ("codes", .array(codes))]).text
    }
}
