// SPDX-License-Identifier: Apache-2.0

package enum Suggestion {
    /// Returns the most similar word; `nil` if none is similar enough, or `typed` does not have 2 to 64 characters.
    package static func word(like typed: String, in words: [String]) -> String? {
        guard typed.unicodeScalars.count > 1, typed.unicodeScalars.count <= 64 else { return nil }
        let limit = max(1, typed.unicodeScalars.count / 3)
        return words.map { (word: $0, distance: distance(typed, $0)) }
            .filter { $0.distance <= limit }
            .min { $0.distance < $1.distance }?.word
    }

    /// The smallest number of insertions, deletions, substitutions and transpositions between two words.
    ///
    /// This is the optimal string alignment distance.
    static func distance(_ first: String, _ second: String) -> Int {
        let (first, second) = (Array(first.unicodeScalars), Array(second.unicodeScalars))
        var older: [Int] = []
        var old = Array(0...second.count)
        for row in first.indices {
            var new = [row + 1]
            for column in second.indices {
                let change = old[column] + (first[row] == second[column] ? 0 : 1)
                var least = min(change, old[column + 1] + 1, new[column] + 1)
                if row > 0, column > 0, first[row] == second[column - 1], first[row - 1] == second[column] {
                    least = min(least, older[column - 1] + 1)
                }
                new.append(least)
            }
            (older, old) = (old, new)
        }
        return old[second.count]
    }
}
