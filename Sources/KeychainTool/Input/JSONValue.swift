// SPDX-License-Identifier: Apache-2.0

/// Parsed JSON (RFC 8259).
///
/// Foundation's decoder is not used, because loading it would take longer than the rest of the command.
package indirect enum JSONValue {
    case null
    case boolean(Bool)
    /// A number, as written.
    case number(String)
    case string(String)
    case array([JSONValue])
    case object([(name: String, value: JSONValue)])

    /// Parses a document; `nil` if it is malformed, not UTF-8, or nested more than 64 deep.
    package init?(_ bytes: [UInt8]) {
        guard String(validating: bytes, as: UTF8.self) != nil else { return nil }
        var parser = JSONParser(bytes)
        guard let value = parser.document() else { return nil }
        self = value
    }

    /// The value of the last member with that name; `nil` if no member has it or this value is not an object.
    package subscript(name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.last { $0.name == name }?.value
    }

    package var string: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }

    package var elements: [JSONValue]? {
        guard case .array(let elements) = self else { return nil }
        return elements
    }

    /// The value of an integer that fits in an `Int`; `nil` for other numbers and other types.
    package var integer: Int? {
        guard case .number(let text) = self else { return nil }
        return Int(text)
    }
}

/// A recursive-descent parser of JSON in valid UTF-8.
private struct JSONParser {
    private let bytes: [UInt8]
    private var offset = 0
    private var depth = 0
    private static let deepest = 64

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func document() -> JSONValue? {
        guard let value = value() else { return nil }
        skipSpace()
        return offset == bytes.count ? value : nil
    }

    private mutating func value() -> JSONValue? {
        skipSpace()
        guard offset < bytes.count, depth < Self.deepest else { return nil }
        depth += 1
        defer { depth -= 1 }
        switch bytes[offset] {
        case UInt8(ascii: "{"): return object()
        case UInt8(ascii: "["): return array()
        case UInt8(ascii: "\""): return string().map { .string($0) }
        case UInt8(ascii: "t"): return take("true") ? .boolean(true) : nil
        case UInt8(ascii: "f"): return take("false") ? .boolean(false) : nil
        case UInt8(ascii: "n"): return take("null") ? .null : nil
        default: return number()
        }
    }

    private mutating func object() -> JSONValue? {
        var members: [(name: String, value: JSONValue)] = []
        offset += 1
        if ends(with: "}") { return .object([]) }
        while true {
            skipSpace()
            guard let name = string(), ends(with: ":"), let value = value() else { return nil }
            members.append((name, value))
            if ends(with: "}") { return .object(members) }
            guard ends(with: ",") else { return nil }
        }
    }

    private mutating func array() -> JSONValue? {
        var elements: [JSONValue] = []
        offset += 1
        if ends(with: "]") { return .array([]) }
        while true {
            guard let value = value() else { return nil }
            elements.append(value)
            if ends(with: "]") { return .array(elements) }
            guard ends(with: ",") else { return nil }
        }
    }

    private mutating func string() -> String? {
        guard offset < bytes.count, bytes[offset] == UInt8(ascii: "\"") else { return nil }
        offset += 1
        var content: [UInt8] = []
        while offset < bytes.count {
            let byte = bytes[offset]
            offset += 1
            switch byte {
            case UInt8(ascii: "\""): return String(validating: content, as: UTF8.self)
            case UInt8(ascii: "\\"):
                guard let scalar = escape() else { return nil }
                content += Array(String(scalar).utf8)
            case 0..<0x20: return nil
            default: content.append(byte)
            }
        }
        return nil
    }

    private mutating func escape() -> Unicode.Scalar? {
        guard offset < bytes.count else { return nil }
        let letter = bytes[offset]
        offset += 1
        switch letter {
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{c}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(letter)
        case UInt8(ascii: "u"): return unicode()
        default: return nil
        }
    }

    /// Parses the scalar after `\u`: four hexadecimal digits, or a surrogate pair of two such escapes.
    ///
    /// The result is `nil` if the escape is malformed.
    private mutating func unicode() -> Unicode.Scalar? {
        guard let first = hexadecimal() else { return nil }
        guard 0xD800...0xDBFF ~= first else { return Unicode.Scalar(first) }
        guard take("\\u"), let second = hexadecimal(), 0xDC00...0xDFFF ~= second else { return nil }
        return Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
    }

    private mutating func hexadecimal() -> UInt32? {
        guard offset + 4 <= bytes.count else { return nil }
        defer { offset += 4 }
        let digits = bytes[offset..<offset + 4]
        guard !digits.contains(UInt8(ascii: "+")), !digits.contains(UInt8(ascii: "-")) else { return nil }
        return UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
    }

    private mutating func number() -> JSONValue? {
        let start = offset
        _ = take("-")
        // A zero at the start is the whole integer part.
        guard take("0") || takeDigits() else { return nil }
        if take("."), !takeDigits() { return nil }
        if take("e") || take("E") {
            _ = take("+") || take("-")
            guard takeDigits() else { return nil }
        }
        return .number(String(decoding: bytes[start..<offset], as: UTF8.self))
    }

    /// Skips decimal digits; returns whether there is at least one.
    private mutating func takeDigits() -> Bool {
        let start = offset
        while offset < bytes.count, "0123456789".utf8.contains(bytes[offset]) { offset += 1 }
        return offset > start
    }

    private mutating func take(_ word: String) -> Bool {
        guard bytes[offset...].starts(with: word.utf8) else { return false }
        offset += word.utf8.count
        return true
    }

    /// Skips white space; returns whether the character follows, and skips it too.
    private mutating func ends(with character: String) -> Bool {
        skipSpace()
        return take(character)
    }

    private mutating func skipSpace() {
        while offset < bytes.count, " \t\r\n".utf8.contains(bytes[offset]) { offset += 1 }
    }
}
