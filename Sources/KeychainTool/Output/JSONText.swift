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

    /// An object with the members `encoding`, which is `utf-8`, or `base64` for other bytes, and `data`.
    package static func bytes(_ bytes: [UInt8]) -> JSONText {
        let text = String(validating: bytes, as: UTF8.self)
        return .object([
            ("encoding", .string(text == nil ? "base64" : "utf-8")),
            ("data", .string(text ?? Data(bytes).base64EncodedString())),
        ])
    }

    package var text: String {
        switch self {
        case .number(let number): String(number)
        case .boolean(let boolean): boolean ? "true" : "false"
        case .string(let string): Self.quoted(string)
        case .array(let elements): "[\(elements.map(\.text).joined(separator: ","))]"
        case .object(let members):
            "{\(members.map { "\(Self.quoted($0.0)):\($0.1.text)" }.joined(separator: ","))}"
        }
    }

    private static func quoted(_ string: String) -> String {
        var text = "\""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\0"..<" ":
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text + "\""
    }
}
