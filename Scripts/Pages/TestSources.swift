// SPDX-License-Identifier: Apache-2.0

import Foundation

enum PackageFiles {
    /// The folder of the package, in which `Scripts/check-pages` runs this program.
    static let root = URL(filePath: FileManager.default.currentDirectoryPath)

    struct File: Sendable {
        /// The path relative to the searched folder.
        let path: String
        let text: String

        var lines: [Substring] { text.split(separator: "\n", omittingEmptySubsequences: false) }
        var baseName: String { String((path.split(separator: "/").last ?? "").dropLast(".swift".count)) }
    }

    static func swift(in folder: String) throws -> [File] {
        let folder = root.appending(component: folder)
        return try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted()
            .filter { $0.hasSuffix(".swift") }
            .map {
                File(path: $0, text: try String(contentsOf: folder.appending(path: $0), encoding: .utf8))
            }
    }
}

/// The names of all tests, by folder and suite, read from the sources.
struct TestSources {
    private struct Name: Hashable {
        let folder: String
        let suite: String
        let test: String
    }

    private var tests: Set<Name> = []
    private var texts: [String: String] = [:]

    init() throws {
        for file in try PackageFiles.swift(in: "Tests") {
            let folder = String(file.path.split(separator: "/").first ?? "")
            texts[folder, default: ""] += file.text
            var suite = ""
            // The regular expressions below are slow, so only lines that can match are tried.
            for line in file.lines
            where line.first?.isLetter == true || line.first == "@" || line.contains("func `") {
                if let type = line.firstMatch(
                    of: /^(?:@Suite.*? )??(?:final )?(?:struct|class|extension) (\w+)/
                ) {
                    suite = String(type.1)
                }
                if let test = line.firstMatch(of: /\bfunc `([^`]+)`/) {
                    tests.insert(Name(folder: folder, suite: suite, test: String(test.1)))
                }
            }
        }
    }

    func hasSuite(_ suite: String, in folder: String) -> Bool {
        tests.contains { $0.folder == folder && $0.suite == suite }
    }

    /// Returns what is wrong with a proof; `nil` if exactly one test has this name, and the row exists.
    func complaint(about proof: Proof) -> String? {
        let found = tests.filter {
            $0.suite == proof.suiteName && $0.test == proof.test && (proof.folder ?? $0.folder) == $0.folder
        }
        guard let name = found.first else { return "there is no test \(proof)" }
        guard found.count == 1 else { return "several folders have a test \(proof)" }
        if let row = proof.row, texts[name.folder]?.contains("\"\(row)\"") != true {
            return "no table of \(name.folder) has the row \(row)"
        }
        return nil
    }
}
