// SPDX-License-Identifier: Apache-2.0

import Foundation

extension Checks {
    /// Checks that each test in the table of `Tests/EmbeddedOnly.md` exists and has a reason.
    mutating func embeddedOnly() throws {
        let url = PackageFiles.root.appending(path: "Tests/EmbeddedOnly.md")
        let page = try String(contentsOf: url, encoding: .utf8)
        let rows = page.matches(of: #/\| `(\w+Tests)\.(\w+)(?:/([^`]+))?` \| ([^|]*) \|/#)
        expect(!rows.isEmpty, "EmbeddedOnly.md: its table is not found")
        for row in rows {
            let (folder, suite) = (String(row.1), String(row.2))
            expect(!row.4.isEmpty, "EmbeddedOnly.md: \(suite) has no reason")
            if let test = row.3 {
                check(Proof("\(folder).\(suite)", String(test)), in: "EmbeddedOnly.md")
            } else {
                expect(sources.hasSuite(suite, in: folder), "EmbeddedOnly.md: there is no \(folder).\(suite)")
            }
        }
    }
}
