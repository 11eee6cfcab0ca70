// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// The shell commands quoted in the pages of `Documentation`.
enum PageRecipe {
    /// Returns the first `sh` code block in a page that follows the string `words`.
    static func shell(in page: String, after words: String) throws -> String {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
        let text = try String(contentsOf: root.appending(path: "Documentation/\(page)"), encoding: .utf8)
        let rest = try #require(text.range(of: words)).upperBound
        let start = try #require(text.range(of: "```sh\n", range: rest..<text.endIndex)).upperBound
        let end = try #require(text.range(of: "```", range: start..<text.endIndex)).lowerBound
        return String(text[start..<end])
    }
}
