// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Checks that code blocks in pages are excerpts of the examples or of their output.
struct Excerpts {
    struct Block {
        let page: String
        let line: Int
        let language: String
        let lines: [String]
    }

    /// Returns whether the lines of `excerpt` occur consecutively in `source`, apart from common indentation.
    static func contains(_ source: [String], _ excerpt: [String]) -> Bool {
        guard !excerpt.isEmpty, source.count >= excerpt.count else { return false }
        return (0...source.count - excerpt.count).contains { start in
            let candidate = Array(source[start..<start + excerpt.count])
            return dedented(candidate) == dedented(excerpt)
        }
    }

    /// Cases that test the comparison itself.
    static let samples: [(source: [String], excerpt: [String], isExcerpt: Bool)] = [
        (["a", "  b", "c"], ["b"], true), (["  a", "    b"], ["a", "  b"], true),
        (["a", "b"], ["a", "  b"], false), (["a", "b", "c"], ["a", "c"], false),
        (["a"], ["a", "b"], false), (["a"], [], false), (["a", "", "b"], ["a", "", "b"], true),
    ]

    private static func dedented(_ lines: [String]) -> [String] {
        let indents = lines.filter { !$0.isEmpty }.map { $0.prefix { $0 == " " }.count }
        return lines.map { String($0.dropFirst(indents.min() ?? 0)) }
    }

    static func blocks(of text: String, in page: String) -> [Block] {
        var blocks: [Block] = []
        var open: (line: Int, language: String, lines: [String])?
        for (number, line) in lines(of: text).enumerated() {
            guard line.hasPrefix("```") else {
                open?.lines.append(line)
                continue
            }
            if let block = open {
                blocks.append(
                    Block(page: page, line: block.line, language: block.language, lines: block.lines)
                )
                open = nil
            } else {
                open = (number + 1, String(line.dropFirst(3)), [])
            }
        }
        return blocks
    }

    static func lines(of text: String) -> [String] {
        text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    /// Returns the files in a folder that have one of the endings, without build products.
    static func files(in folder: String, ending: [String]) throws -> [(name: String, text: String)] {
        let root = PackageFiles.root.appending(path: folder)
        return try FileManager.default.subpathsOfDirectory(atPath: root.path).sorted()
            .filter { name in !name.contains(".build/") && ending.contains { name.hasSuffix($0) } }
            .map { ("\(folder)/\($0)", try String(contentsOf: root.appending(path: $0), encoding: .utf8)) }
    }
}

extension Checks {
    /// Checks that each Swift block is in an example, and each output block in the output of an example.
    mutating func excerpts() throws {
        for sample in Excerpts.samples {
            let isExcerpt = Excerpts.contains(sample.source, sample.excerpt)
            expect(isExcerpt == sample.isExcerpt, "\(sample.excerpt) of \(sample.source): \(isExcerpt)")
        }
        let articles = try Excerpts.files(in: "Sources", ending: [".md"])
        let pages = try Excerpts.files(in: "Documentation", ending: [".md"])
        let readme = (
            "README.md",
            try String(contentsOf: PackageFiles.root.appending(path: "README.md"), encoding: .utf8)
        )
        let blocks = (articles + pages + [readme]).flatMap { Excerpts.blocks(of: $0.text, in: $0.name) }
        for (language, ending) in [("swift", ".swift"), ("console", "output.txt")] {
            let sources = try Excerpts.files(in: "Examples", ending: [ending])
                .map { Excerpts.lines(of: $0.text) }
            let excerpts = blocks.filter { $0.language == language }
            expect(!excerpts.isEmpty && !sources.isEmpty, "there are no blocks of \(language)")
            for block in excerpts where !sources.contains(where: { Excerpts.contains($0, block.lines) }) {
                expect(false, "\(block.page):\(block.line): no example has this block")
            }
        }
    }
}
