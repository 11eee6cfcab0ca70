// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// Importing several items of which one cannot be stored, or exists already.
@Suite struct FailedImportTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// The files imported beforehand; `nil` for an empty store.
        var before: String?
        /// The files that are concatenated and then imported.
        let files: String
        var report = ""
    }

    /// Imports that fail while the keychain is locked: certificates can be stored, but keys cannot.
    static let failing: [Row] = [
        Row(testDescription: "certificates before a key", files: "certificate.pem other.pem key.pem"),
        Row(
            testDescription: "an existing key",
            before: "key.pem -a label Before",
            files: "certificate.pem key.pem other.key"
        ),
        Row(
            testDescription: "an existing certificate",
            before: "other.pem",
            files: "other.pem certificate.pem key.pem"
        ),
        Row(
            testDescription: "all existing but one certificate",
            before: "both.pem",
            files: "certificate.pem key.pem other.pem"
        ),
    ]

    static let repeating: [Row] = [
        Row(
            testDescription: "an existing key first",
            before: "key.pem -a label Before",
            files: "key.pem certificate.pem other.key",
            report: "1 key imported.\n1 certificate imported.\n"
        ),
        Row(
            testDescription: "an existing key last",
            before: "key.pem -a label Before",
            files: "certificate.pem other.key key.pem",
            report: "1 key imported.\n1 certificate imported.\n"
        ),
        Row(
            testDescription: "an existing certificate in the middle",
            before: "certificate.pem --accessible ck",
            files: "key.pem certificate.pem other.pem",
            report: "1 key imported.\n1 certificate imported.\n"
        ),
        Row(
            testDescription: "all existing but one",
            before: "both.pem",
            files: "key.pem other.pem other.key",
            report: "1 key imported.\n"
        ),
        Row(testDescription: "all existing", before: "both.pem", files: "key.pem other.pem"),
    ]

    private let home: TemporaryHome

    init() throws {
        home = try TemporaryHome()
        let request = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes"
        try sh("\(request) -subj /CN=Good -keyout key.pem -out certificate.pem 2>&1")
        try sh("\(request) -subj /CN=Other -keyout other.key -out other.pem 2>&1")
        try sh("cat key.pem other.pem > both.pem")
    }

    /// Runs a shell command in the test's directory, which must succeed, and returns its output.
    @discardableResult
    private func sh(_ line: String) throws -> String {
        let result = try home.shell("cd && \(line)")
        try #require(result.code == 0, "\(line): \(result.complaintsText)")
        return result.outputText
    }

    /// Returns the digests (`sha1`) of the items in a dump; an item's digest changes with every change of the
    /// item.
    private func digests(in dump: String) -> Set<String> {
        Set(dump.matches(of: #/"sha1":\{[^}]*\}/#).map { String($0.output) })
    }

    @Test(arguments: failing)
    func `if one item cannot be stored, none is stored and existing ones are kept`(row: Row) throws {
        try sh("security set-keychain-password -p 'open sesame'")
        if let before = row.before { try sh("security import \(before)") }
        let before = try sh("security dump-keychain --json")
        try sh("cat \(row.files) > file && security lock-keychain")
        let result = try home.shell("cd && security import file")
        #expect(
            result.complaintsText.hasSuffix(
                "\nsecurity: SecKeychainItemImport (file): User interaction is not allowed.\n"
            )
        )
        #expect(result.code == 36)
        #expect(result.output.isEmpty)
        try sh("security unlock-keychain -p 'open sesame'")
        #expect(try sh("security dump-keychain --json") == before)
        // The failed import did not store the certificate, so importing it alone succeeds.
        try sh("security lock-keychain")
        #expect(try sh("security import certificate.pem") == "1 certificate imported.\n")
    }

    @Test(arguments: repeating)
    func `existing items are kept and the others are imported`(row: Row) throws {
        try sh("security import \(#require(row.before)) && cat \(row.files) > file")
        let before = try sh("security dump-keychain --json")
        let items = digests(in: before)
        let result = try home.shell("cd && security import file")
        #expect(result.outputText == row.report)
        #expect(
            result.complaintsText
                == "security: SecKeychainItemImport (file): The specified item already exists in the keychain.\n"
        )
        #expect(result.code == 45)
        let after = try sh("security dump-keychain --json")
        #expect(!items.isEmpty && items.isSubset(of: digests(in: after)))
        if row.report.isEmpty { #expect(after == before) }
        // The failed import stored the new items, so a second one adds nothing and prints nothing.
        #expect(try home.shell("cd && security import file").output.isEmpty)
    }
}
