// SPDX-License-Identifier: Apache-2.0

/// The character classes of generated passwords, with the minimum number of each.
package struct PasswordPolicy {
    private struct Part {
        let characters: [UInt8]
        var minimum: Int
    }

    private var parts: [Part]

    // swift-format-ignore
    private static let classes: [(name: String, characters: String)] = [
        ("lower",   "abcdefghijklmnopqrstuvwxyz"),
        ("upper",   "ABCDEFGHIJKLMNOPQRSTUVWXYZ"),
        ("digits",  "0123456789"),
        ("symbols", "!#$%&()*+,-./:;<=>?@[]^_{|}~"),
    ]

    /// Characters that look alike in some fonts.
    private static let ambiguous = Array("0O1lI|".utf8)

    /// The default: 64 characters that are not special in a shell, so 6 random bits per character.
    package static let standard = Self(parts: [
        Part(
            characters: Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8),
            minimum: 0
        )
    ])

    private init(parts: [Part]) { self.parts = parts }

    /// Parses names of character classes with commas between them, such as `lower,upper,digits:2,unambiguous`.
    package init(_ text: String) throws(Failure) {
        parts = []
        var isUnambiguous = false
        for word in text.split(separator: ",", omittingEmptySubsequences: false) {
            if word == "unambiguous" {
                isUnambiguous = true
                continue
            }
            let pieces = word.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard let row = Self.classes.first(where: { $0.name == pieces[0] }),
                let minimum = pieces.count == 2 ? UInt16(pieces[1]) : 1
            else { throw Self.malformed }
            parts.append(Part(characters: Array(row.characters.utf8), minimum: Int(minimum)))
        }
        guard !parts.isEmpty else { throw Self.malformed }
        guard isUnambiguous else { return }
        parts = parts.map { part in
            Part(
                characters: part.characters.filter { !Self.ambiguous.contains($0) },
                minimum: part.minimum
            )
        }
    }

    private static let malformed = Failure.usage(
        "--policy takes lower, upper, digits, symbols and unambiguous with commas between them; digits:2 stands for two at least"
    )

    /// Generates a password with at least the required number of characters of each class.
    package func password(length: Int) throws(Failure) -> [UInt8] {
        guard parts.reduce(0, { $0 + $1.minimum }) <= length else {
            throw .usage("--length is less than the characters that --policy requires")
        }
        var random = SystemRandomNumberGenerator()
        var password: [UInt8] = []
        for part in parts {
            for _ in 0..<part.minimum { password.append(Self.any(part.characters, &random)) }
        }
        let all = Set(parts.flatMap(\.characters)).sorted()
        while password.count < length { password.append(Self.any(all, &random)) }
        password.shuffle(using: &random)
        return password
    }

    private static func any(_ characters: [UInt8], _ random: inout SystemRandomNumberGenerator) -> UInt8 {
        characters[Int.random(in: characters.indices, using: &random)]
    }
}
