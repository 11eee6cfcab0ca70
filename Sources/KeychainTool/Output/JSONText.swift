// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// JSON on one line.
///
/// It does not use Foundation's encoder, which costs more than the rest of the command.
package indirect enum JSONText {
    case number(Int)
    case boolean(Bool)
    case string(String)
    case array([JSONText])
    case object([(String, JSONText)])

    /// An object with the members `encoding` and `data`.
    ///
    /// The encoding is `utf-8`; it is `base64` if the bytes are not UTF-8.
    package static func bytes(_ bytes: [UInt8]) -> JSONText {
        let text = String(validating: bytes, as: UTF8.self)
        return .object([
            ("encoding", .string(text == nil ? "base64" : "utf-8")),
            ("data", .string(text ?? Data(bytes).base64EncodedString())),
        ])
    }

    package var text: String {
        var bytes: [UInt8] = []
        write(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    // One buffer takes the whole document: a string for each value would slow down a long listing.
    private func write(to bytes: inout [UInt8]) {
        switch self {
        case .number(let number): bytes += String(number).utf8
        case .boolean(let boolean): bytes += (boolean ? "true" : "false").utf8
        case .string(let string): Self.write(string, to: &bytes)
        case .array(let elements):
            bytes.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                element.write(to: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let members):
            bytes.append(UInt8(ascii: "{"))
            for (index, member) in members.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                Self.write(member.0, to: &bytes)
                bytes.append(UInt8(ascii: ":"))
                member.1.write(to: &bytes)
            }
            bytes.append(UInt8(ascii: "}"))
        }
    }

    private static func write(_ string: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        for byte in string.utf8 {
            switch byte {
            case UInt8(ascii: "\""): bytes += #"\""#.utf8
            case UInt8(ascii: "\\"): bytes += #"\\"#.utf8
            case UInt8(ascii: "\n"): bytes += #"\n"#.utf8
            case 0..<0x20: bytes += (#"\u00"# + (byte < 0x10 ? "0" : "") + String(byte, radix: 16)).utf8
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }
}
