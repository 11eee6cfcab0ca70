// SPDX-License-Identifier: Apache-2.0

/// Reads XML property lists in UTF-8 from untrusted files.
///
/// Only the markup of property lists is supported. A document type is skipped. Entities are errors, except
/// character references and the five that XML predefines.
struct XMLPropertyList {
    private let bytes: [UInt8]
    private var position = 0
    private var budget = PropertyListValue.most

    private init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Returns the value in the `plist` element; `nil` if it is malformed, nested too deeply, or has too many values.
    static func parse(_ bytes: [UInt8]) -> PropertyListValue? {
        guard String(validating: bytes, as: UTF8.self) != nil else { return nil }
        var reader = Self(bytes)
        reader.skip("\u{feff}")
        guard let root = reader.nextTag(), root == Tag(name: "plist", isEmpty: false),
            let first = reader.nextTag(), let value = reader.value(first, depth: 0),
            reader.nextTag() == Tag(closing: "plist"), reader.isAtEnd()
        else { return nil }
        return value
    }
}

/// A tag of the document, without its attributes.
private struct Tag: Equatable {
    var name: String
    var isClosing = false
    /// Whether the tag is a complete element without content.
    var isEmpty = false

    init(name: String, isEmpty: Bool) {
        self.name = name
        self.isEmpty = isEmpty
    }

    init(closing name: String) {
        self.name = name
        isClosing = true
    }
}

/// Parses the values of the property list from its tags.
extension XMLPropertyList {
    private mutating func value(_ tag: Tag, depth: Int) -> PropertyListValue? {
        budget -= 1
        guard budget >= 0, depth < PropertyListValue.deepest, !tag.isClosing else { return nil }
        switch tag.name {
        case "string": return content(of: tag).map { .string($0) }
        case "array": return tag.isEmpty ? .array([]) : array(depth: depth)
        case "dict": return tag.isEmpty ? .dictionary([:]) : dictionary(depth: depth)
        case "true", "false", "integer", "real", "date", "data": return content(of: tag).map { _ in .other }
        default: return nil
        }
    }

    private mutating func array(depth: Int) -> PropertyListValue? {
        var members: [PropertyListValue] = []
        while let tag = nextTag() {
            if tag == Tag(closing: "array") { return .array(members) }
            guard let member = value(tag, depth: depth + 1) else { return nil }
            members.append(member)
        }
        return nil
    }

    private mutating func dictionary(depth: Int) -> PropertyListValue? {
        var members: [String: PropertyListValue] = [:]
        while let tag = nextTag() {
            if tag == Tag(closing: "dict") { return .dictionary(members) }
            guard tag.name == "key", !tag.isClosing, let key = content(of: tag), let next = nextTag(),
                let member = value(next, depth: depth + 1), members.updateValue(member, forKey: key) == nil
            else { return nil }
        }
        return nil
    }

    /// Reads the text of an element up to its closing tag, without comments.
    ///
    /// The result is `nil` if the element contains another element, malformed markup or an unknown reference, or has no
    /// closing tag.
    private mutating func content(of tag: Tag) -> String? {
        guard !tag.isEmpty else { return "" }
        var text: [UInt8] = []
        while position < bytes.count {
            if skip("<!--") {
                guard skip(past: "-->") else { return nil }
            } else if skip("<![CDATA[") {
                let start = position
                guard skip(past: "]]>") else { return nil }
                text += bytes[start..<position - 3]
            } else if bytes[position] == UInt8(ascii: "<") {
                return self.tag() == Tag(closing: tag.name) ? String(decoding: text, as: UTF8.self) : nil
            } else if bytes[position] == UInt8(ascii: "&") {
                guard let character = reference() else { return nil }
                text += Array(String(character).utf8)
            } else {
                text.append(bytes[position])
                position += 1
            }
        }
        return nil
    }

    /// Reads the character of an entity or character reference; `nil` if the reference is unknown or malformed.
    private mutating func reference() -> Unicode.Scalar? {
        guard let end = bytes[position...].prefix(12).firstIndex(of: UInt8(ascii: ";")) else { return nil }
        let name = String(decoding: bytes[position + 1..<end], as: UTF8.self)
        position = end + 1
        switch name {
        case "amp": return "&"
        case "lt": return "<"
        case "gt": return ">"
        case "quot": return "\""
        case "apos": return "'"
        default: break
        }
        let number =
            name.hasPrefix("#x")
            ? UInt32(name.dropFirst(2), radix: 16)
            : name.hasPrefix("#") ? UInt32(name.dropFirst()) : nil
        return number.flatMap { Unicode.Scalar($0) }
    }
}

/// Reads tags, and skips the markup between them.
extension XMLPropertyList {
    /// Reads the next tag; `nil` if none follows, or if text or malformed markup precedes it.
    private mutating func nextTag() -> Tag? { skipMisc() ? tag() : nil }

    /// Skips white space, comments, processing instructions and the document type; returns `false` if one is malformed.
    private mutating func skipMisc() -> Bool {
        while position < bytes.count {
            if [0x20, 0x09, 0x0a, 0x0d].contains(bytes[position]) {
                position += 1
            } else if skip("<!--") {
                guard skip(past: "-->") else { return false }
            } else if skip("<?") {
                guard skip(past: "?>") else { return false }
            } else if skip("<!DOCTYPE") {
                // Reject an internal subset, which could define entities.
                let start = position
                guard skip(past: ">"), !bytes[start..<position].contains(UInt8(ascii: "[")) else {
                    return false
                }
            } else {
                return true
            }
        }
        return true
    }

    private mutating func isAtEnd() -> Bool { skipMisc() && position == bytes.count }

    /// Reads a tag and skips its attributes; `nil` if no complete tag follows.
    private mutating func tag() -> Tag? {
        guard skip("<") else { return nil }
        let isClosing = skip("/")
        let start = position
        while position < bytes.count, Self.isName(bytes[position]) { position += 1 }
        var tag = Tag(name: String(decoding: bytes[start..<position], as: UTF8.self), isEmpty: false)
        tag.isClosing = isClosing
        var quote: UInt8?
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            if let open = quote {
                if byte == open { quote = nil }
            } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                quote = byte
            } else if byte == UInt8(ascii: "<") {
                return nil
            } else if byte == UInt8(ascii: ">") {
                tag.isEmpty = bytes[position - 2] == UInt8(ascii: "/") && !isClosing
                return tag
            }
        }
        return nil
    }

    private static func isName(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
            || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
    }

    /// Skips a string if it comes next; returns whether it came next.
    @discardableResult
    private mutating func skip(_ text: StaticString) -> Bool {
        let text = Array(text.description.utf8)
        guard bytes[position...].starts(with: text) else { return false }
        position += text.count
        return true
    }

    /// Skips everything up to the end of a string; returns `false` if the string does not occur.
    private mutating func skip(past text: StaticString) -> Bool {
        while position < bytes.count {
            if skip(text) { return true }
            position += 1
        }
        return false
    }
}
