// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@Suite struct StyleTests {
    /// Tables of constants may be as long as what they list.
    static let tables: Set<String> = [
        "KeychainServices/StatusConstants.swift", "KeychainServices/AttributeConstants.swift",
        "KeychainServices/AttributeValueConstants.swift",
    ]

    @Test func `no file is longer than a reader's patience`() throws {
        var counts: [Int] = []
        for file in try SourceFile.all() {
            let count = file.text.split(separator: "\n", omittingEmptySubsequences: false).count
            counts.append(count)
            if !Self.tables.contains(file.name) { #expect(count <= 400, "\(file.name): \(count) lines") }
        }
        let median = counts.sorted()[counts.count / 2]
        #expect(median <= 120)
    }

    @Test(arguments: [
        "fatalError(", "try!", "as!", "TODO", "FIXME", "nonisolated(unsafe) var", "@unchecked Sendable",
    ])
    func `no source has what we do without`(word: String) throws {
        for file in try SourceFile.all() {
            for line in file.code { #expect(!line.contains(word), "\(file.name): \(line)") }
        }
    }

    @Test func `every source names its license first`() throws {
        let manifest = SourceFile.root.appending(component: "Package.swift")
        for file in try SourceFile.all() + SourceFile.tests() where file.name != manifest.path {
            // A manifest begins with the version of the tools.
            let text =
                file.name.hasSuffix("/Package.swift")
                ? file.text.drop { $0 != "\n" }.dropFirst() : file.text[...]
            #expect(text.hasPrefix("// SPDX-License-Identifier: Apache-2.0\n"), "\(file.name)")
        }
    }
}
