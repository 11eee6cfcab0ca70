// SPDX-License-Identifier: Apache-2.0

import Foundation
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
