// SPDX-License-Identifier: Apache-2.0

/// The attributes of an item as one string: `name=value`, sorted, separated by `&`, with `%XX` escapes.
package enum AttributeString {
    package static func format(_ attributes: [String: String]) -> String {
        attributes.sorted { Array($0.key.utf8).lexicographicallyPrecedes(Array($1.key.utf8)) }
            .map { "\(escaped($0.key))=\(escaped($0.value))" }
            .joined(separator: "&")
    }

    package static func parse(_ text: String) -> [String: String]? {
        var attributes: [String: String] = [:]
        for pair in text.utf8.split(separator: UInt8(ascii: "&")) {
            let parts = pair.split(separator: UInt8(ascii: "="), omittingEmptySubsequences: false)
            guard parts.count == 2, let name = unescaped(parts[0]), let value = unescaped(parts[1]) else {
                return nil
            }
            attributes[name] = value
        }
        return attributes
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        byte > 0x20 && byte != 0x7F && byte != UInt8(ascii: "%") && byte != UInt8(ascii: "&")
            && byte != UInt8(ascii: "=")
    }

    private static func escaped(_ text: String) -> String {
        if text.utf8.allSatisfy(isPlain) { return text }
        let digits = Array("0123456789ABCDEF".utf8)
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            if isPlain(byte) {
                bytes.append(byte)
            } else {
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func unescaped(_ text: Substring.UTF8View) -> String? {
        if !text.contains(UInt8(ascii: "%")) { return String(Substring(text)) }
        var (bytes, rest) = ([] as [UInt8], text)
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard rest.count >= 2, let value = UInt8(Substring(rest.prefix(2)), radix: 16) else { return nil }
            rest = rest.dropFirst(2)
            bytes.append(value)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
