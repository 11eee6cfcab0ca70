// SPDX-License-Identifier: Apache-2.0

/// JSON on one line.
///
/// It does not use Foundation's encoder, because loading it takes longer than the rest of the command.
package indirect enum JSONText {
    case number(Int)
    case boolean(Bool)
    case string(String)
    /// Bytes, as an object that names their encoding.
    case bytes([UInt8])
    case array([JSONText])
    case object([(String, JSONText)])
    /// Bytes that are already JSON.
    case json([UInt8])

    package var text: String { String(decoding: buffer.bytes, as: UTF8.self) }

    /// The bytes of the document and a newline.
    var line: [UInt8] {
        var buffer = buffer
        buffer.appendNewline()
        return buffer.bytes
    }

    private var buffer: JSONBuffer {
        var buffer = JSONBuffer()
        append(to: &buffer)
        return buffer
    }

    func append(to buffer: inout JSONBuffer) {
        switch self {
        case .number(let number): buffer.append(number)
        case .boolean(let boolean): buffer.append(boolean)
        case .string(let string): buffer.append(string)
        case .bytes(let bytes): buffer.append(data: bytes)
        case .array(let elements):
            buffer.appendArray { for element in elements { element.append(to: &$0) } }
        case .object(let members):
            buffer.appendObject { object in
                for (name, value) in members {
                    object.appendName(name)
                    value.append(to: &object)
                }
            }
        case .json(let bytes): buffer.append(json: bytes)
        }
    }
}
