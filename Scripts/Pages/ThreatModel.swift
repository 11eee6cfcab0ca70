// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The page of the threat model: what it promises, and the tests that it names.
struct ThreatModelPage {
    /// A row of the last table.
    struct Shown {
        /// The numbers of the promises.
        let promises: [String]
        /// What stands in code: `Folder/Suite`, a folder of tests, or a script.
        let names: [String]
    }

    /// The numbers of the attackers against whom something is promised.
    private(set) var promises: Set<String> = []
    private(set) var shown: [Shown] = []

    init() throws {
        let url = PackageFiles.root.appending(path: "Documentation/ThreatModel.md")
        let page = try String(contentsOf: url, encoding: .utf8)
        var heading = ""
        for line in page.split(separator: "\n") {
            if line.hasPrefix("## ") { heading = line.dropFirst(3).trimmingCharacters(in: .whitespaces) }
            let cells = line.split(separator: "|", omittingEmptySubsequences: false)
                .map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.first == "", cells.count > 3 else { continue }
            if heading.isEmpty, cells[1].wholeMatch(of: /\d+[a-z]?/) != nil {
                if !["", "nothing"].contains(cells[4]) { promises.insert(cells[1]) }
            } else if heading == "Shown by tests" {
                let numbers = cells[1].prefixMatch(of: /\d+[a-z]?(?:, \d+[a-z]?)*/)?.output ?? ""
                shown.append(
                    Shown(
                        promises: numbers.components(separatedBy: ", ").filter { !$0.isEmpty },
                        names: cells[2].matches(of: /`([^`]+)`/).map { String($0.1) }
                    )
                )
            }
        }
    }
}

extension Checks {
    /// Each test that the threat model names is there; each promise names one, and only promises do.
    mutating func threatModel() throws {
        let page = try ThreatModelPage()
        for name in page.shown.flatMap(\.names) {
            let parts = name.split(separator: "/").map(String.init)
            let isThere =
                parts.count == 2 && sources.hasSuite(parts[1], in: parts[0])
                || ["Tests/\(name)", name].contains {
                    FileManager.default.fileExists(atPath: PackageFiles.root.appending(path: $0).path)
                }
            expect(isThere, "ThreatModel.md: there is no \(name)")
        }
        let shown = Set(page.shown.filter { !$0.names.isEmpty }.flatMap(\.promises))
        expect(page.promises.count > 20, "ThreatModel.md: its promises are not found")
        for promise in page.promises.symmetricDifference(shown).sorted() {
            expect(false, "ThreatModel.md: the promise \(promise) is not shown by a test, or is none")
        }
        expect(
            page.shown.allSatisfy { !$0.names.isEmpty || $0.promises.isEmpty },
            "ThreatModel.md: a row of the last table names no test"
        )
    }
}
