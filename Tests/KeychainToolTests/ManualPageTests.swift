// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import KeychainTool
import Testing

/// The manual pages in `Documentation/man` are up to date.
///
/// With `RECORD_TRANSCRIPTS=1` the test writes the pages, and fails.
@Suite struct ManualPageTests {
    private static let directory = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Documentation/man")

    @Test(arguments: [("1", "security.1"), ("5", "keychain.5"), ("7", "keychain.7")])
    func `the manual pages are up to date`(section: String, name: String) throws {
        let page = try TemporaryHome().security("--generate-manual-page", section).outputText
        let file = Self.directory.appending(component: name)
        if ProcessInfo.processInfo.environment["RECORD_TRANSCRIPTS"] == "1" {
            try FileManager.default.createDirectory(at: Self.directory, withIntermediateDirectories: true)
            try page.write(to: file, atomically: true, encoding: .utf8)
            Issue.record("the page was written; run the tests without RECORD_TRANSCRIPTS")
        }
        #expect(try String(contentsOf: file, encoding: .utf8) == page)
    }

    @Test func `the manual page of the command has every verb and option`() throws {
        let page = try #require(ManualPage.page(section: "1"))
        for verb in Verb.table.flatMap(\.selectable) {
            #expect(page.contains(".SS \(verb.name.replacing("-", with: "\\-"))\n"))
            for option in verb.options {
                #expect(page.contains("\\fB\\-\\-\(option.name.replacing("-", with: "\\-"))\\fR"))
            }
        }
    }

    /// Words in the sources that look like variables, and variables that other programs set for one verb.
    private static let others: Set = [
        "SSH_AUTH_SOCK", "SSH_ASKPASS_REQUIRE", "PAM_TYPE", "PAM_USER", "LC_ALL", "LC_CTYPE",
    ]

    @Test func `the manual page has every environment variable that the command reads`() throws {
        let targets = [
            "KeychainTool", "KeychainClient", "KeychainUserPresence", "KeychainStore", "KeychainControl",
        ]
        let sources = Self.directory.appending(path: "../../Sources").standardizedFileURL
        var names: Set<String> = []
        for target in targets {
            let folder = sources.appending(component: target)
            let files =
                FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
            for file in files where file.hasSuffix(".swift") && !file.hasSuffix("/ManualPage.swift") {
                let text = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
                let words =
                    /"([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|HOME|PATH|TERM|VISUAL|EDITOR|DISPLAY|CLICOLOR|TMPDIR)"/
                names.formUnion(text.matches(of: words).map { String($0.1) })
            }
        }
        names = names.subtracting(Self.others).filter { !$0.hasPrefix("CSSMERR_") }
        let listed = ManualPage.variables.flatMap { $0.name.components(separatedBy: ", ") }
        #expect(Set(listed) == names)
    }

    @Test func `keychain(5) has every file of a store`() throws {
        let page = try #require(ManualPage.page(section: "5"))
        for file in StoreFile.allCases {
            #expect(page.contains("\\fB\(file.rawValue.replacing("-", with: "\\-"))\\fR"), "\(file.rawValue)")
        }
    }

    @Test func `no line of text in a manual page is taken for a macro`() throws {
        let macros = ["TH", "SH", "SS", "TP", "PP", "\\\""]
        for (section, _) in ManualPage.names {
            let page = try #require(ManualPage.page(section: section))
            for line in page.split(separator: "\n") where line.hasPrefix(".") || line.hasPrefix("'") {
                #expect(macros.contains { line.dropFirst().hasPrefix($0) })
            }
        }
    }

    @Test func `a manual page of another section is refused`() throws {
        #expect(try TemporaryHome().security("--generate-manual-page", "2").code == 2)
        #expect(try TemporaryHome().security("--generate-manual-page").code == 2)
    }
}
