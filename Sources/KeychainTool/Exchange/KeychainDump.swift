// SPDX-License-Identifier: Apache-2.0

import KeychainModel

/// Parses the output of `security dump-keychain -d`, on macOS or of this command.
enum KeychainDump {
    // swift-format-ignore
    private static let attributes: [(tag: String, attribute: Attribute)] = [
        ("0x00000007", .label), ("\"acct\"", .account), ("\"svce\"", .service), ("\"desc\"", .description),
        ("\"icmt\"", .comment), ("\"gena\"", .generic), ("\"srvr\"", .server), ("\"sdmn\"", .securityDomain),
        ("\"path\"", .path), ("\"atyp\"", .authenticationType), ("\"ptcl\"", .protocol), ("\"port\"", .port),
    ]

    static func parse(_ bytes: [UInt8]) throws(Failure) -> ImportedFile {
        guard let text = String(validating: bytes, as: UTF8.self), text.hasPrefix("keychain: ") else {
            throw ImportFormat.malformed("the output of security dump-keychain -d")
        }
        var file = ImportedFile()
        var (block, start) = ([] as [Substring], 1)
        for (number, line) in text.lines.enumerated() {
            if line.hasPrefix("keychain: ") {
                try add(block, "line \(start)", to: &file)
                (block, start) = ([], number + 1)
            }
            block.append(line)
        }
        try add(block, "line \(start)", to: &file)
        return file
    }

    private static func add(
        _ block: [Substring],
        _ location: String,
        to file: inout ImportedFile
    ) throws(Failure) {
        guard let classLine = block.first(where: { $0.hasPrefix("class: ") }) else { return }
        let itemClass: ItemClass
        switch classLine.dropFirst(7) {
        case "\"genp\"": itemClass = .genericPassword
        case "\"inet\"": itemClass = .internetPassword
        default: return file.reject(location, "it is not a password")
        }
        guard let data = block.firstIndex(of: "data:"), data + 1 < block.count,
            let password = value(block[data + 1])
        else { return file.reject(location, "it has no data: dump-keychain needs -d") }
        file.passwords.append(
            ImportedPassword(
                itemClass: itemClass,
                attributes: try attributes(of: block[..<data], itemClass),
                password: password,
                location: location
            )
        )
    }

    private static func attributes(
        of lines: ArraySlice<Substring>,
        _ itemClass: ItemClass
    ) throws(Failure) -> Attributes {
        let schema = ItemSchema.of(itemClass)
        var result = Attributes()
        for line in lines where line.hasPrefix("    ") {
            let trimmed = line.drop { $0 == " " }
            guard let row = attributes.first(where: { trimmed.hasPrefix($0.tag) }),
                let rule = schema[row.attribute], let equals = trimmed.firstIndex(of: "="),
                let bytes = value(trimmed[trimmed.index(after: equals)...])
            else { continue }
            let isNumber = trimmed.contains("<uint32>") && row.attribute == .port
            let supplied: SuppliedValue
            if isNumber {
                supplied = .number(bytes.reduce(0) { $0 << 8 | Int64($1) })
            } else if let text = String(validating: bytes, as: UTF8.self) {
                supplied = .string(text)
            } else {
                supplied = .data(SecretBuffer(bytes))
            }
            result[row.attribute] = try KeychainCalls.recording("import") { () throws(StatusError) in
                try rule.kind.convert(supplied, for: row.attribute)
            }
        }
        return result
    }

    /// Parses `"text"`, `0xDIGITS  "text"` or an empty value; `nil` for any other form, such as `<NULL>`.
    private static func value(_ text: Substring) -> [UInt8]? {
        if text.isEmpty { return [] }
        if text.hasPrefix("0x") {
            return BlobText.bytes(hexadecimal: String(text.dropFirst(2).prefix { $0 != " " }))
        }
        guard text.count >= 2, text.first == "\"", text.last == "\"" else { return nil }
        return Array(text.dropFirst().dropLast().utf8)
    }
}
