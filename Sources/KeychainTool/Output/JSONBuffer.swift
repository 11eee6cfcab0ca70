// SPDX-License-Identifier: Apache-2.0

/// A buffer to which JSON is appended, on one line.
///
/// Listings append each item to it, because building a tree of values would take longer than reading the items.
struct JSONBuffer {
    private(set) var bytes: [UInt8] = []

    init(reservingCapacity capacity: Int = 0) { bytes.reserveCapacity(capacity) }

    // MARK: Values

    mutating func append(_ number: Int) {
        separate()
        if (0..<10).contains(number) {
            bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number))
        } else {
            bytes += String(number).utf8
        }
    }

    mutating func append(_ boolean: Bool) {
        separate()
        bytes += (boolean ? "true" : "false").utf8
    }

    mutating func append(_ string: String) {
        separate()
        quote(string)
    }

    mutating func append(_ date: CalendarText) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        date.appendExtended(to: &bytes)
        bytes.append(UInt8(ascii: "\""))
    }

    /// Appends an object with the members `encoding` and `data`.
    ///
    /// The encoding is `utf-8`; it is `base64` if the bytes are not UTF-8.
    mutating func append(data: [UInt8]) {
        let text = String(validating: data, as: UTF8.self)
        appendObject { object in
            object.appendName("encoding")
            object.append(text == nil ? "base64" : "utf-8")
            object.appendName("data")
            if let text { object.append(text) } else { object.appendBase64(data) }
        }
    }

    /// Appends bytes that are already JSON.
    mutating func append(json: [UInt8]) {
        separate()
        bytes += json
    }

    // MARK: Arrays and objects

    mutating func appendArray(_ appendElements: (inout JSONBuffer) -> Void) {
        separate()
        bytes.append(UInt8(ascii: "["))
        appendElements(&self)
        bytes.append(UInt8(ascii: "]"))
    }

    mutating func appendObject(_ appendMembers: (inout JSONBuffer) -> Void) {
        separate()
        bytes.append(UInt8(ascii: "{"))
        appendMembers(&self)
        bytes.append(UInt8(ascii: "}"))
    }

    /// Appends the name of a member, whose value is appended next.
    mutating func appendName(_ name: String) {
        append(name)
        bytes.append(UInt8(ascii: ":"))
    }

    // MARK: Bytes

    mutating func appendNewline() { bytes.append(UInt8(ascii: "\n")) }

    /// Appends a comma unless the next value is the first of an array, or the value of a member.
    ///
    /// The last byte decides; the text of a string cannot confuse this, because a string ends with a quotation mark.
    private mutating func separate() {
        switch bytes.last {
        case nil, UInt8(ascii: "["), UInt8(ascii: "{"), UInt8(ascii: ":"): break
        default: bytes.append(UInt8(ascii: ","))
        }
    }

    /// Appends a string in quotation marks.
    private mutating func quote(_ string: String) {
        bytes.append(UInt8(ascii: "\""))
        if Self.mayNeedEscape(string) {
            for scalar in string.unicodeScalars { escape(scalar) }
        } else {
            bytes += string.utf8
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private static func mayNeedEscape(_ string: String) -> Bool {
        // Use a span, because a string's iterator determines the string's representation again for each byte.
        let bytes = string.utf8.span
        for index in bytes.indices where mayNeedEscape(bytes[index]) { return true }
        return false
    }

    /// Whether a byte is, or may begin, a character that is escaped; `C2` is the first byte of U+0080 to U+00BF.
    private static func mayNeedEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte == 0x7F
            || byte == 0xC2
    }

    /// Appends a character; escapes all control characters, because terminals also interpret those above U+007F.
    private mutating func escape(_ scalar: Unicode.Scalar) {
        switch scalar {
        case "\"": bytes += #"\""#.utf8
        case "\\": bytes += #"\\"#.utf8
        case "\n": bytes += #"\n"#.utf8
        case "\0"..."\u{1F}", "\u{7F}"..."\u{9F}":
            bytes += (#"\u00"# + (scalar.value < 0x10 ? "0" : "") + String(scalar.value, radix: 16)).utf8
        default: bytes += String(scalar).utf8
        }
    }

    private static let base64 = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// Appends bytes in base64 (RFC 4648), in quotation marks.
    ///
    /// Foundation's encoder is not used, because it allocates a string for each value.
    private mutating func appendBase64(_ data: [UInt8]) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        for start in stride(from: 0, to: data.count, by: 3) {
            let group = data[start..<min(start + 3, data.count)]
            let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
            for digit in 0..<4 {
                let isPadding = digit > group.count
                bytes.append(isPadding ? UInt8(ascii: "=") : Self.base64[bits >> (18 - 6 * digit) & 63])
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }
}
