// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@Suite struct StyleTests {
    /// Files with tables of constants, which may exceed the limit of lines.
    static let tables: Set<String> = [
        "KeychainServices/Constants/StatusConstants.swift",
        "KeychainServices/Constants/ModuleStatusConstants.swift",
        "KeychainServices/Constants/AttributeConstants.swift",
        "KeychainServices/Constants/AttributeValueConstants.swift",
    ]

    /// Files whose functions consist of a table of strings, and may exceed the limit of lines per function.
    static let longFunctions: Set<String> = [
        "KeychainModel/Explanation.swift", "KeychainModel/Attribute.swift",
        "KeychainStore/Storage/Schema.swift",
    ]

    @Test func `files have at most 400 lines`() throws {
        var counts: [Int] = []
        for file in try SourceFile.all() {
            let count = file.text.split(separator: "\n", omittingEmptySubsequences: false).count
            counts.append(count)
            if !Self.tables.contains(file.name) { #expect(count <= 400, "\(file.name): \(count) lines") }
        }
        let median = counts.sorted()[counts.count / 2]
        #expect(median <= 120)
    }

    @Test func `functions have at most 40 lines`() throws {
        let words = ["func", "init", "deinit", "subscript", "var"]
        var functions = 0
        for file in try SourceFile.all() where !Self.longFunctions.contains(file.name) {
            let lines = file.text.split(separator: "\n", omittingEmptySubsequences: false)
            for (start, line) in lines.enumerated() {
                let opening = line.prefix { !"(<?{".contains($0) }.split(separator: " ")
                guard opening.contains(where: { words.contains(String($0)) }),
                    let end = Self.end(ofBodyAt: start, in: lines)
                else { continue }
                functions += 1
                let count = end - start + 1
                #expect(count <= 40, "\(file.name): \(line) has \(count) lines")
            }
        }
        #expect(functions > 1_000)
    }

    /// Returns the line of the closing brace of a body; `nil` if the declaration has no body.
    private static func end(ofBodyAt start: Int, in lines: [Substring]) -> Int? {
        let indent = lines[start].prefix { $0 == " " }
        let next = lines[(start + 1)...].firstIndex { line in
            let rest = line.dropFirst(indent.count)
            return !rest.isEmpty && line.hasPrefix(indent) && ![" ", ")"].contains(rest.first)
                && !rest.hasPrefix("where ")
        }
        return next.flatMap { lines[$0] == indent + "}" ? $0 : nil }
    }

    @Test(arguments: [
        "fatalError(", "try!", "as!", "TODO", "FIXME", "nonisolated(unsafe) var", "@unchecked Sendable",
    ])
    func `sources do not use forbidden constructs`(word: String) throws {
        for file in try SourceFile.all() {
            // A subclass of `NSError` is exempt, because it must repeat the unchecked conformance of `NSError`.
            for line in file.code where !line.contains(": NSError, @unchecked Sendable") {
                #expect(!line.contains(word), "\(file.name): \(line)")
            }
        }
    }

    @Test func `every source file starts with its license`() throws {
        let manifest = SourceFile.root.appending(component: "Package.swift")
        for file in try SourceFile.all() + SourceFile.tests() + SourceFile.scripts()
        where file.name != manifest.path {
            // In a manifest, the license follows the line with the tools version.
            let text =
                file.name.hasSuffix("/Package.swift")
                ? file.text.drop { $0 != "\n" }.dropFirst() : file.text[...]
            #expect(text.hasPrefix("// SPDX-License-Identifier: Apache-2.0\n"), "\(file.name)")
        }
    }
}

@Suite struct ErrorTypeTests {
    /// Without `LocalizedError`, the `localizedDescription` of an error has only its type and a number.
    @Test func `every public error has a localized description`() throws {
        var count = 0
        for file in try SourceFile.all() {
            // Only lines with "Error" are matched, because regular expressions are slow.
            for line in file.code where line.contains("Error") && line.contains("public ") {
                guard line.contains(#/public (?:struct|enum|class) \w+:.*\b(?:\w*Error)\b/#) else { continue }
                guard line.contains(#/: .*\b(?:Error|LocalizedError|CustomNSError)\b/#) else { continue }
                count += 1
                #expect(line.contains("LocalizedError"), "\(file.name): \(line)")
            }
        }
        #expect(count > 6)
    }
}
