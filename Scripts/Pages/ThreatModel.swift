// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Documentation/ThreatModel.md: a section for each attacker, with promises and the tests that show them.
struct ThreatModelPage {
    /// A section whose heading starts with a number, such as `### 4a. Reader of the key cache`.
    struct Attacker {
        let number: String
        /// The paragraphs and lists that follow a bold word such as `**Promised:**`, by that word.
        var parts: [String: String] = [:]

        var hasPromise: Bool { parts["Promised"].map { !$0.hasPrefix("nothing.") } ?? false }

        /// The names in code spans of the evidence: `Target/Suite`, a folder of tests, or a script.
        var evidence: [String] {
            (parts["Evidence"] ?? "").matches(of: /`([^`]+)`/).map { String($0.1) }
        }
    }

    private(set) var attackers: [Attacker] = []

    init() throws {
        let url = PackageFiles.root.appending(path: "Documentation/ThreatModel.md")
        let page = try String(contentsOf: url, encoding: .utf8)
        var part: String?
        for line in page.split(separator: "\n") {
            if line.hasPrefix("#") {
                part = nil
                if let heading = line.firstMatch(of: #/^### (\d+[a-z]?)\. /#) {
                    attackers.append(Attacker(number: String(heading.1)))
                } else if line.hasPrefix("## ") {
                    // The sections after the last attacker name tests, too. An entry without a number, which is
                    // removed below, collects them, so that they do not count as evidence for the last attacker.
                    attackers.append(Attacker(number: ""))
                }
                continue
            }
            guard !attackers.isEmpty else { continue }
            var text = line[...]
            if let start = line.firstMatch(of: #/^\*\*(\w[\w ]*):\*\* */#) {
                part = String(start.1)
                text = line[start.range.upperBound...]
            }
            if let part { attackers[attackers.count - 1].parts[part, default: ""] += text + " " }
        }
        attackers.removeAll { $0.number.isEmpty }
    }
}

extension Checks {
    /// Checks that each promise of the threat model names evidence, and that each named test exists.
    mutating func threatModel() throws {
        let attackers = try ThreatModelPage().attackers
        expect(attackers.count { $0.hasPromise } > 20, "ThreatModel.md: its promises are not found")
        expect(
            Set(attackers.map(\.number)).count == attackers.count,
            "ThreatModel.md: a number is used twice"
        )
        for attacker in attackers {
            let section = "ThreatModel.md, \(attacker.number)"
            expect(attacker.parts["Promised"] != nil, "\(section): it does not say what is promised")
            expect(
                attacker.hasPromise != attacker.evidence.isEmpty,
                "\(section): a promise without evidence, or the reverse"
            )
            for name in attacker.evidence { expect(isEvidence(name), "\(section): there is no \(name)") }
        }
    }

    /// Returns whether a suite, a folder of tests or a script has this name.
    private func isEvidence(_ name: String) -> Bool {
        let parts = name.split(separator: "/").map(String.init)
        if parts.count == 2, sources.hasSuite(parts[1], in: parts[0]) { return true }
        return ["Tests/\(name)", name].contains {
            FileManager.default.fileExists(atPath: PackageFiles.root.appending(path: $0).path)
        }
    }
}
