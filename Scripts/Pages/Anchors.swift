// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The headings of Markdown pages, and the links that lead to them.
struct Anchors {
    /// The anchors of each page, by its path below the package's folder.
    private var headings: [String: Set<String>] = [:]
    /// The links to sections: the page that contains the link, the page it leads to, and the anchor of the
    /// section.
    private(set) var links: [(page: String, target: String, anchor: String)] = []

    init(_ pages: [(name: String, text: String)]) {
        for page in pages {
            var isCode = false
            headings[page.name] = []
            for line in Excerpts.lines(of: page.text) {
                if line.hasPrefix("```") { isCode.toggle() }
                guard !isCode else { continue }
                if line.hasPrefix("#") { headings[page.name]?.insert(Self.anchor(of: line)) }
                for link in line.matches(of: /\]\(([^)#:]*)#([^)]+)\)/) {
                    let base = URL(filePath: "/" + page.name)
                    let url = link.1.isEmpty ? base : URL(filePath: String(link.1), relativeTo: base)
                    links.append((page.name, String(url.standardized.path.dropFirst()), String(link.2)))
                }
            }
        }
    }

    /// Returns whether a page has a heading with this anchor; true for files that are not Markdown pages.
    func exists(_ anchor: String, in page: String) -> Bool { headings[page]?.contains(anchor) ?? true }

    /// Returns the anchor of a heading: in lower case, with hyphens for spaces, and without punctuation.
    private static func anchor(of heading: String) -> String {
        let text = heading.drop { $0 == "#" }.dropFirst().lowercased()
        return String(text.filter { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "-" || $0 == " " })
            .replacing(" ", with: "-")
    }
}

extension Checks {
    /// Checks that each link to a section leads to an existing heading.
    mutating func anchors() throws {
        let folders = ["Documentation", "Tests", "Sources", "Benchmarks", "Fuzz"]
        var pages = try folders.flatMap { try Excerpts.files(in: $0, ending: [".md"]) }
        for name in ["README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"] {
            let file = PackageFiles.root.appending(path: name)
            pages.append((name, try String(contentsOf: file, encoding: .utf8)))
        }
        let anchors = Anchors(pages)
        expect(anchors.links.count > 10, "the links to sections are not found")
        for link in anchors.links {
            let exists = anchors.exists(link.anchor, in: link.target)
            expect(exists, "\(link.page): \(link.target) has no section #\(link.anchor)")
        }
    }
}
