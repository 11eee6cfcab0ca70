// SPDX-License-Identifier: Apache-2.0

import KeychainModel

/// Parses and writes comma-separated values (RFC 4180).
package enum CSVText {
    package struct Row {
        package let line: Int
        package let fields: [String]
    }

    /// Parses rows; `nil` for an unfinished quotation or bytes that are not UTF-8.
    ///
    /// Empty lines are skipped.
    package static func rows(_ bytes: [UInt8]) -> [Row]? {
        var content = bytes[...]
        if content.starts(with: [0xEF, 0xBB, 0xBF]) { content = content.dropFirst(3) }
        guard let text = String(validating: content, as: UTF8.self) else { return nil }
        var parser = Parser()
        for scalar in text.unicodeScalars { parser.take(scalar) }
        return parser.finish()
    }

    private struct Parser {
        private var rows: [Row] = []
        private var fields: [String] = []
        private var field = ""
        private var isQuoted = false
        private var isAfterQuotation = false
        private var line = 1
        private var firstLine = 1

        mutating func take(_ scalar: Unicode.Scalar) {
            if scalar == "\n" { line += 1 }
            if isQuoted {
                guard scalar == "\"" else { return field.unicodeScalars.append(scalar) }
                isQuoted = false
                isAfterQuotation = true
                return
            }
            switch scalar {
            case "\"":
                // Two quotation marks in a quoted field represent one.
                if isAfterQuotation { field.unicodeScalars.append(scalar) }
                isQuoted = true
                isAfterQuotation = false
            case ",": endField()
            case "\r": break
            case "\n": endRow()
            default: field.unicodeScalars.append(scalar)
            }
        }

        private mutating func endField() {
            fields.append(field)
            field = ""
            isAfterQuotation = false
        }

        private mutating func endRow() {
            endField()
            if fields != [""] { rows.append(Row(line: firstLine, fields: fields)) }
            fields = []
            firstLine = line
        }

        mutating func finish() -> [Row]? {
            guard !isQuoted else { return nil }
            if !fields.isEmpty || !field.isEmpty { endRow() }
            return rows
        }
    }

    /// Formats a line; quotes the fields that require it.
    package static func line(_ fields: [String]) -> String {
        fields.map { field in
            let isPlain = !field.unicodeScalars.contains { ",\"\r\n".unicodeScalars.contains($0) }
            guard !isPlain else { return field }
            // Iterate over scalars: a combining mark after a quotation mark forms one character with it.
            var quoted = String.UnicodeScalarView()
            for scalar in field.unicodeScalars {
                if scalar == "\"" { quoted.append(scalar) }
                quoted.append(scalar)
            }
            return "\"\(String(quoted))\""
        }
        .joined(separator: ",") + "\r\n"
    }
}

/// Parses the CSV files that browsers and 1Password export; finds the columns by name.
struct BrowserCSV {
    private let format: ImportFormat

    init(_ format: ImportFormat) { self.format = format }

    // swift-format-ignore
    private var columns: (name: String, url: String, account: String, password: String, note: String, realm: String) {
        switch format {
        case .firefox: ("",      "url", "username", "password", "",      "httprealm")
        case .chrome:  ("name",  "url", "username", "password", "note",  "")
        default:       ("title", "url", "username", "password", "notes", "")
        }
    }

    func parse(_ bytes: [UInt8]) throws(Failure) -> ImportedFile {
        guard let rows = CSVText.rows(bytes), let header = rows.first?.fields.map({ $0.lowercased() }),
            header.contains(columns.url), header.contains(columns.password)
        else { throw ImportFormat.malformed("a CSV file of \(format.rawValue)") }
        var file = ImportedFile()
        for row in rows.dropFirst() {
            let location = "line \(row.line)"
            guard row.fields.count == header.count else {
                file.reject(location, "it has \(row.fields.count) fields, and the first line \(header.count)")
                continue
            }
            func field(_ name: String) -> String {
                header.firstIndex(of: name).map { row.fields[$0] } ?? ""
            }
            try add(field, location, to: &file)
        }
        return file
    }

    private func add(
        _ field: (String) -> String,
        _ location: String,
        to file: inout ImportedFile
    ) throws(Failure) {
        let (name, url, account) = (field(columns.name), field(columns.url), field(columns.account))
        let password = field(columns.password)
        let code = field("otpauth")
        guard !name.isEmpty || !url.isEmpty else {
            return file.reject(location, "it has neither a name nor a URL")
        }
        guard !password.isEmpty || !code.isEmpty else { return file.reject(location, "it has no password") }
        if !password.isEmpty {
            var item = try LoginEntry.item(
                name: name,
                url: url,
                account: account,
                password: password,
                note: field(columns.note),
                location: location
            )
            let realm = field(columns.realm)
            if !realm.isEmpty, item.itemClass == .internetPassword {
                item.attributes[.securityDomain] = .string(realm)
            }
            file.passwords.append(item)
        }
        guard !code.isEmpty else { return }
        let title = name.isEmpty ? url : name
        LoginEntry.addOneTimeCode(name: title, account: account, secret: code, location: location, to: &file)
    }
}
