// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A page, one part of which is generated.
///
/// Two HTML comments mark the generated part.
struct Page: Sendable {
    /// The path of the file below the package's folder.
    let path: String
    let generated: @Sendable () -> String

    static let all = [
        Page(path: "Documentation/Compatibility.md", generated: differences),
        Page(path: "Tests/Conformance.md", generated: conformance),
        Page(path: "Tests/Wrappers.md", generated: wrappers),
    ]

    private static let start = "<!-- Written by Scripts/update-pages from Scripts/Pages: -->\n"
    private static let end = "<!-- Up to here. -->\n"

    private var url: URL { PackageFiles.root.appending(path: path) }

    func current() throws -> String { try String(contentsOf: url, encoding: .utf8) }

    /// Returns the page with the generated part replaced; `nil` if the marks are missing.
    func expected() throws -> String? {
        let text = try current()
        guard let first = text.range(of: Self.start),
            let last = text.range(of: Self.end, range: first.upperBound..<text.endIndex)
        else { return nil }
        return text.replacingCharacters(in: first.upperBound..<last.lowerBound, with: "\n\(generated())\n")
    }

    func write() throws {
        guard let text = try expected() else { return }
        try Data(text.utf8).write(to: url)
    }
}

extension Page {
    private static let width = 156

    /// Returns a wrapped list entry, whose further lines are indented.
    private static func entry(_ text: String, level: Int = 0) -> String {
        let indentation = String(repeating: "  ", count: level)
        var lines = [indentation + (level == 0 ? "*" : "-")]
        for word in text.split(separator: " ") {
            if lines[lines.count - 1].count + 1 + word.count > width { lines.append(indentation + " ") }
            lines[lines.count - 1] += " " + word
        }
        return lines.joined(separator: "\n") + "\n"
    }

    @Sendable private static func differences() -> String {
        Difference.table.map { difference in
            let namesPlatform = difference.apple.hasPrefix("iOS: ") || difference.apple.hasPrefix("macOS: ")
            return entry(difference.place)
                + entry((namesPlatform ? "" : "Apple: ") + difference.apple, level: 1)
                + entry("Here: \(difference.ours)", level: 1) + entry("Why: \(difference.why)", level: 1)
        }
        .joined()
    }

    @Sendable private static func conformance() -> String {
        ConformanceSection.table.map { section in
            "## \(section.title)\n\n"
                + section.statements.map { entry("\($0.text) — \(shown($0.evidence))") }.joined()
        }
        .joined(separator: "\n")
    }

    @Sendable private static func wrappers() -> String {
        WrapperSection.table.map { section in
            "## \(section.title)\n\n"
                + section.behaviours.map { entry("\($0.text) — \($0.proof)") }.joined()
        }
        .joined(separator: "\n")
    }

    private static func shown(_ evidence: Statement.Evidence) -> String {
        switch evidence {
        case .shown(let proof): "\(proof)"
        case .differs(let name):
            "*Differs*: " + (Difference.table.first { $0.name == name }?.ours ?? "")
        case .impossible(let reason): "does not apply: \(reason)"
        case .later(let what): "planned: \(what)"
        }
    }
}
