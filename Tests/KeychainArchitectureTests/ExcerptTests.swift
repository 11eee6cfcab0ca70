// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// What the pages show is what is built and run: their blocks are excerpts of the examples.
@Suite struct ExcerptTests {
    /// A fenced block of a page.
    struct Block: Sendable, CustomTestStringConvertible {
        let page: String
        let line: Int
        let language: String
        let lines: [String]

        var testDescription: String { "\(page):\(line)" }
    }

    /// The pages whose blocks are held to the examples: the articles of DocC, and those about other libraries.
    static let pages = Result {
        let articles = try files(in: "Sources", ending: [".md"])
        let pages = try files(in: "Documentation", ending: [".md"])
        return (articles + pages).map { (name: $0, blocks: blocks(of: $1, in: $0)) }
    }

    @Test func `each block of Swift is in a source of the examples`() throws {
        let sources = try Self.files(in: "Examples", ending: [".swift"]).map { Self.lines(of: $1) }
        try check("swift", in: sources)
    }

    @Test func `each block of output is printed by an example`() throws {
        let outputs = try Self.files(in: "Examples", ending: ["output.txt"]).map { Self.lines(of: $1) }
        try check("console", in: outputs)
    }

    @Test(arguments: ["Valet", "FXKeychain", "Lockbox"])
    func `the readme shows a wrapper in five lines of its example`(wrapper: String) throws {
        let lines = try linesOfReadme(importing: wrapper, madeOf: "\(wrapper)Example")
        #expect(lines.count { !$0.isEmpty && !$0.hasPrefix("import ") } <= 4)
    }

    @Test func `the readme locks and unlocks as its example does`() throws {
        #expect(try linesOfReadme(importing: "KeychainControl", madeOf: "ControlExample").count > 4)
    }

    /// The readme's program that imports a module, each line of which must be in an example.
    private func linesOfReadme(importing module: String, madeOf example: String) throws -> [String] {
        let readme = SourceFile.root.appending(component: "README.md")
        let blocks = Self.blocks(of: try String(contentsOf: readme, encoding: .utf8), in: "README.md")
        let block = try #require(blocks.first { $0.lines.contains("import \(module)") })
        let files = try Self.files(in: "Examples/\(example)", ending: ["main.swift"])
        let source = Set(files.flatMap { Self.lines(of: $0.text) })
        for line in block.lines { #expect(source.contains(line)) }
        return block.lines
    }

    private func check(_ language: String, in sources: [[String]]) throws {
        let blocks = try Self.pages.get().flatMap(\.blocks).filter { $0.language == language }
        try #require(!blocks.isEmpty && !sources.isEmpty)
        for block in blocks where !sources.contains(where: { Self.contains($0, block.lines) }) {
            Issue.record("\(block.testDescription): no example has this block")
        }
    }

    /// Whether some lines follow each other in others, by whatever they are indented.
    static func contains(_ source: [String], _ excerpt: [String]) -> Bool {
        guard !excerpt.isEmpty, source.count >= excerpt.count else { return false }
        return (0...source.count - excerpt.count).contains { start in
            let candidate = Array(source[start..<start + excerpt.count])
            return dedented(candidate) == dedented(excerpt)
        }
    }

    @Test(arguments: [
        (["a", "  b", "c"], ["b"], true), (["  a", "    b"], ["a", "  b"], true),
        (["a", "b"], ["a", "  b"], false),
        (["a", "b", "c"], ["a", "c"], false), (["a"], ["a", "b"], false), (["a"], [], false),
        (["a", "", "b"], ["a", "", "b"], true),
    ])
    func `an excerpt is what follows each other and keeps its shape`(
        source: [String],
        excerpt: [String],
        isExcerpt: Bool
    ) {
        #expect(Self.contains(source, excerpt) == isExcerpt)
    }

    private static func dedented(_ lines: [String]) -> [String] {
        let indents = lines.filter { !$0.isEmpty }.map { $0.prefix { $0 == " " }.count }
        return lines.map { String($0.dropFirst(indents.min() ?? 0)) }
    }

    private static func blocks(of text: String, in page: String) -> [Block] {
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

    private static func lines(of text: String) -> [String] {
        text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    private static func files(in folder: String, ending: [String]) throws -> [(name: String, text: String)] {
        let root = SourceFile.root.appending(path: folder)
        return try FileManager.default.subpathsOfDirectory(atPath: root.path).sorted()
            .filter { name in ending.contains { name.hasSuffix($0) } }
            .map { ("\(folder)/\($0)", try String(contentsOf: root.appending(path: $0), encoding: .utf8)) }
    }
}
