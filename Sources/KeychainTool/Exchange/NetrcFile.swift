// SPDX-License-Identifier: Apache-2.0

import KeychainModel

enum NetrcFile {
    static func parse(_ bytes: [UInt8]) throws(Failure) -> ImportedFile {
        guard let text = String(validating: bytes, as: UTF8.self) else { throw NetrcWords.malformed }
        var file = ImportedFile()
        var entry: [String: String] = [:]
        var location = ""
        var words = NetrcWords(text)
        while let (word, line) = try words.nextKeyword() {
            switch word {
            case "machine", "default":
                try finish(&entry, location, in: &file)
                location = "line \(line)"
                entry = ["machine": word == "machine" ? try words.next()?.word ?? "" : ""]
            case "login", "password", "account": entry[word] = try words.next()?.word ?? ""
            case "macdef": words.skipMacro()
            default: throw NetrcWords.malformed
            }
        }
        try finish(&entry, location, in: &file)
        return file
    }

    private static func finish(
        _ entry: inout [String: String],
        _ location: String,
        in file: inout ImportedFile
    ) throws(Failure) {
        defer { entry = [:] }
        guard let machine = entry["machine"] else { return }
        guard !machine.isEmpty else { return file.reject(location, "it names no machine") }
        guard let password = entry["password"], !password.isEmpty else {
            return file.reject(location, "it has no password")
        }
        file.passwords.append(
            try LoginEntry.item(
                name: machine,
                url: "https://\(machine)",
                account: entry["login"] ?? "",
                password: password,
                location: location
            )
        )
    }
}

/// Splits a `.netrc` file into words.
///
/// A word in quotation marks can contain spaces and tabs, but no line feed. In such a word, `\n`, `\r` and `\t` stand
/// for control characters, and a backslash before any other character stands for that character.
private struct NetrcWords {
    static let malformed = ImportFormat.malformed("a netrc file")

    private var rest: Substring.UnicodeScalarView
    private var line = 1

    init(_ text: String) { rest = Substring(text).unicodeScalars }

    private mutating func take() -> Unicode.Scalar? {
        let scalar = rest.popFirst()
        if scalar == "\n" { line += 1 }
        return scalar
    }

    private mutating func skipLine() {
        while let scalar = take(), scalar != "\n" {}
    }

    private static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
        " \t\r\n".unicodeScalars.contains(scalar)
    }

    /// Returns the next word and its line; `nil` at the end.
    mutating func next() throws(Failure) -> (word: String, line: Int)? {
        while let scalar = rest.first, Self.isSpace(scalar) { _ = take() }
        guard let first = rest.first else { return nil }
        let start = line
        if first == "\"" { return (try quotation(), start) }
        var word = String.UnicodeScalarView()
        while let scalar = rest.first, !Self.isSpace(scalar) {
            word.append(scalar)
            _ = take()
        }
        return (String(word), start)
    }

    /// Returns the next word that is not in a comment, and its line; `nil` at the end.
    ///
    /// A comment begins with `#` and ends with the line.
    mutating func nextKeyword() throws(Failure) -> (word: String, line: Int)? {
        while true {
            while let scalar = rest.first, Self.isSpace(scalar) { _ = take() }
            guard rest.first == "#" else { return try next() }
            skipLine()
        }
    }

    private mutating func quotation() throws(Failure) -> String {
        _ = take()
        var word = String.UnicodeScalarView()
        while let scalar = take(), scalar != "\n" {
            switch scalar {
            case "\"": return String(word)
            case "\\":
                guard let escaped = take(), escaped != "\n" else { throw Self.malformed }
                word.append(Self.controls[escaped] ?? escaped)
            default: word.append(scalar)
            }
        }
        throw Self.malformed
    }

    private static let controls: [Unicode.Scalar: Unicode.Scalar] = ["n": "\n", "r": "\r", "t": "\t"]

    /// Skips a macro, which ends with an empty line.
    mutating func skipMacro() {
        skipLine()
        while let first = rest.first {
            let isEnd = first == "\n" || rest.starts(with: "\r\n".unicodeScalars)
            skipLine()
            if isEnd { return }
        }
    }
}
