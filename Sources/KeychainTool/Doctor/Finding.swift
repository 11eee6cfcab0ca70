// SPDX-License-Identifier: Apache-2.0

import KeychainModel

/// One result of `doctor`.
struct Finding {
    enum Level: String {
        case ok, note, problem

        /// The parameter of the escape sequence for the colour: green, yellow or red.
        fileprivate var colour: Int {
            switch self {
            case .ok: 32
            case .note: 33
            case .problem: 31
            }
        }
    }

    let topic: String
    let level: Level
    let text: String
    /// What the user can do; `nil` if there is nothing to suggest.
    let remedy: String?

    init(_ topic: String, _ level: Level, _ text: String, remedy: String? = nil) {
        self.topic = topic
        self.level = level
        self.text = text
        self.remedy = remedy
    }

    init(_ topic: String, _ level: Level, _ error: StatusError) {
        let explanation = error.explanation
        self.init(topic, level, explanation.problem, remedy: explanation.remedy)
    }

    /// The level, topic and text; the remedy on a separate line.
    var line: String {
        let padding = String(repeating: " ", count: "problem".count - level.rawValue.count)
        let word =
            Console.isColoured ? "\u{1B}[\(level.colour)m\(level.rawValue)\u{1B}[m" : level.rawValue
        let text = "\(word)\(padding)  \(topic): \(BlobText.line(text))\n"
        let indentation = String(repeating: " ", count: "problem".count + 2)
        return text + (remedy.map { "\(indentation)\(BlobText.line($0))\n" } ?? "")
    }

    var json: JSONText {
        let members: [(String, JSONText)] = [
            ("topic", .string(topic)), ("level", .string(level.rawValue)), ("text", .string(text)),
        ]
        return .object(members + (remedy.map { [("remedy", .string($0))] } ?? []))
    }
}
