// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The members of the JSON objects that commands print, from `Documentation/CommandLine.md`.
package enum DocumentedMembers {
    /// The members by command, from the page's table of JSON output, and from paragraphs that list members.
    ///
    /// Such a paragraph begins "`audit --json` prints …". Commands are left out whose row says "and others".
    package static let table: [String: [String]] = {
        let page = URL(filePath: #filePath).appending(path: "../../../Documentation/CommandLine.md")
        let text = (try? String(contentsOf: page.standardizedFileURL, encoding: .utf8)) ?? ""
        let table = text.components(separatedBy: "Other commands print one object").last ?? ""
        let rows =
            table.components(separatedBy: "\n\n").dropFirst().first?.components(separatedBy: "\n") ?? []
        let paragraphs = text.components(separatedBy: "\n\n")
            .filter { $0.hasPrefix("`") && $0.contains(" --json` prints `schemaVersion`") }
            .map { $0.replacing(" --json` prints", with: "` prints") }
        return Dictionary(
            (rows + paragraphs).compactMap { line in
                let words = line.matches(of: /`([^`]+)`/).map { String($0.1) }
                return line.contains("and others") ? nil : words.first.map { ($0, Array(words.dropFirst())) }
            },
            uniquingKeysWith: { first, _ in first }
        )
    }()

    /// Whether a line is a JSON object of version 1 that has only members documented for a command.
    package static func describe(_ line: String, of command: String) -> Bool {
        let object = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
        guard let object, let members = table[command], object["schemaVersion"] as? Int == 1 else {
            return false
        }
        return Set(object.keys).subtracting(members).subtracting(["schemaVersion"]).isEmpty
    }
}
