// SPDX-License-Identifier: Apache-2.0

/// Formats bytes like macOS's `security`.
package enum BlobText {
    private static let upperCase = Array("0123456789ABCDEF".utf8)
    private static let lowerCase = Array("0123456789abcdef".utf8)

    /// Formats printable ASCII in quotation marks, and other bytes in hexadecimal and octal.
    ///
    /// A backslash does not count as printable. If any byte is not printable, the upper-case hexadecimal digits of
    /// all bytes come first, and the quotation has octal escapes; it is left out if no byte is printable. Without
    /// bytes, the result is empty.
    package static func quoted(_ bytes: some Sequence<UInt8>) -> String {
        var digits: [UInt8] = []
        var text: [UInt8] = []
        var hasPlain = false
        var hasOther = false
        for byte in bytes {
            digits += hexadecimal(byte, upperCase)
            if isPrintable(byte), byte != UInt8(ascii: "\\") {
                hasPlain = true
                text.append(byte)
            } else {
                hasOther = true
                text += [UInt8(ascii: "\\"), octal(byte >> 6), octal(byte >> 3), octal(byte)]
            }
        }
        let quotation = hasPlain ? "\"\(String(decoding: text, as: UTF8.self))\"" : ""
        guard hasOther else { return quotation }
        // As on macOS, two spaces follow the digits if there is a quotation, otherwise one.
        return "0x\(String(decoding: digits, as: UTF8.self)) \(hasPlain ? " " : "")\(quotation)"
    }

    /// Escapes line breaks, control characters and format characters as octal numbers.
    package static func line(_ text: String) -> String {
        // A fast path: most strings are ASCII, and a listing has thousands.
        if text.utf8.allSatisfy(isPrintable) { return text }
        return escapedLine(text)
    }

    private static func escapedLine(_ text: String) -> String {
        text.unicodeScalars.map { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator:
                String(scalar).utf8.map { byte in
                    String(decoding: [0x5C, octal(byte >> 6), octal(byte >> 3), octal(byte)], as: UTF8.self)
                }
                .joined()
            default: String(scalar)
            }
        }
        .joined()
    }

    /// Formats a number as its four bytes, most significant first.
    package static func quoted(number: UInt32) -> String {
        quoted((0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) })
    }

    /// The bytes as upper-case hexadecimal digits only.
    package static func digits(_ bytes: some Sequence<UInt8>) -> String {
        String(decoding: bytes.flatMap { hexadecimal($0, upperCase) }, as: UTF8.self)
    }

    /// The output of `-w`: a line of printable ASCII, or lower-case hexadecimal digits.
    package static func passwordLine(_ bytes: [UInt8]) -> [UInt8] {
        let line = bytes.allSatisfy(isPrintable) ? bytes : bytes.flatMap { hexadecimal($0, lowerCase) }
        return line + [UInt8(ascii: "\n")]
    }

    /// Parses pairs of hexadecimal digits; `nil` if the string is invalid.
    package static func bytes(hexadecimal text: String) -> [UInt8]? {
        let digits = text.utf8.compactMap { Unicode.Scalar($0).hexadecimalValue }
        guard digits.count == text.utf8.count, digits.count.isMultiple(of: 2) else { return nil }
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }

    private static func isPrintable(_ byte: UInt8) -> Bool { (0x20...0x7e).contains(byte) }

    private static func hexadecimal(_ byte: UInt8, _ digits: [UInt8]) -> [UInt8] {
        [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }

    private static func octal(_ byte: UInt8) -> UInt8 { UInt8(ascii: "0") + (byte & 7) }
}

extension Unicode.Scalar {
    fileprivate var hexadecimalValue: UInt8? {
        switch self {
        case "0"..."9": UInt8(ascii: self) - UInt8(ascii: "0")
        case "a"..."f": UInt8(ascii: self) - UInt8(ascii: "a") + 10
        case "A"..."F": UInt8(ascii: self) - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
