// SPDX-License-Identifier: Apache-2.0

/// Encodes and decodes lines of the Assuan protocol.
///
/// Source: the manual of libassuan.
package enum Assuan {
    /// The maximum length of a line without its terminator.
    package static let maximumLineLength = 1_000

    /// Encodes a command and its argument, escaped and truncated to one line.
    package static func line(_ command: String, _ argument: String = "") -> [UInt8] {
        var line = Array(command.utf8)
        if !argument.isEmpty { line.append(UInt8(ascii: " ")) }
        for character in argument {
            // Truncate between characters, so that the argument stays valid UTF-8.
            let escaped = character.utf8.flatMap(escape)
            guard line.count + escaped.count <= maximumLineLength else { break }
            line += escaped
        }
        return line + [UInt8(ascii: "\n")]
    }

    /// Replaces the control characters, except line feeds, in a text for a dialog.
    ///
    /// Characters that move the cursor, erase, or change the writing direction could disguise the dialog's
    /// text.
    package static func sanitized(_ text: String) -> String {
        var shown = String.UnicodeScalarView()
        for scalar in text.replacing("\r\n", with: "\n").unicodeScalars {
            switch scalar {
            case "\n": shown.append(scalar)
            case "\t": shown.append(" ")
            default: shown.append(isControl(scalar) ? "\u{FFFD}" : scalar)
            }
        }
        return String(shown)
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        // Keep other format characters, such as joiners, which some scripts and emoji need.
        case .format: scalar.properties.isBidiControl
        default: false
        }
    }

    /// Converts to ASCII: quotation marks become ASCII quotes, other non-ASCII characters become `?`.
    package static func ascii(_ text: String) -> String {
        String(text.map { $0.isASCII ? $0 : "“”„«»".contains($0) ? "\"" : "‘’".contains($0) ? "'" : "?" })
    }

    private static func escape(_ byte: UInt8) -> [UInt8] {
        let isControl = byte < 0x20 || byte == 0x7f || byte == UInt8(ascii: "%")
        return isControl ? [UInt8(ascii: "%"), digit(byte >> 4), digit(byte & 15)] : [byte]
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }

    static func value(ofDigit digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        default: nil
        }
    }

    /// Decodes the `%XX` escapes in place.
    ///
    /// - Returns: The number of decoded bytes; `nil` for a malformed escape.
    package static func unescape(_ bytes: UnsafeMutableRawBufferPointer) -> Int? {
        var (read, written) = (0, 0)
        while read < bytes.count {
            var byte = unsafe bytes[read]
            read += 1
            if byte == UInt8(ascii: "%") {
                guard read + 2 <= bytes.count, let high = unsafe value(ofDigit: bytes[read]),
                    let low = unsafe value(ofDigit: bytes[read + 1])
                else { return nil }
                byte = high << 4 | low
                read += 2
            }
            unsafe bytes[written] = byte
            written += 1
        }
        return written
    }
}

package enum PinentryFailure: Error, Hashable, Sendable {
    case cancelled
    case timedOut
    /// The environment forbids prompts.
    case forbidden
    /// There is neither a terminal nor a display.
    case noTerminal
    /// The pinentry program cannot be started.
    case noProgram
    /// The pinentry program failed, did not start in time, or violated the protocol.
    case unavailable
    /// The caller no longer needs an answer.
    case stopped
}

/// A line received from pinentry.
enum AssuanReply: Equatable {
    case ok
    case failure(PinentryFailure)
    /// An error: the dialog has characters that the program cannot show.
    case unsupportedCharacters
    /// A data line, with the offsets of its escaped data in the buffer.
    case data(Range<Int>)
    /// A comment or status line.
    case other

    /// Parses a line that starts at this offset of the buffer; `nil` if it is not part of the protocol.
    init?(_ line: UnsafeRawBufferPointer, at start: Int) {
        func begins(_ word: StaticString) -> Bool {
            let count = word.utf8CodeUnitCount
            guard line.count >= count else { return false }
            let prefix = unsafe UnsafeRawBufferPointer(rebasing: line[..<count])
            guard unsafe prefix.elementsEqual(UnsafeRawBufferPointer(start: word.utf8Start, count: count))
            else {
                return false
            }
            return unsafe line.count == count || line[count] == UInt8(ascii: " ")
        }
        if begins("OK") {
            self = .ok
        } else if begins("ERR") {
            self = unsafe Self.failure(line.dropFirst(4))
        } else if begins("D") {
            self = .data(min(start + 2, start + line.count)..<start + line.count)
        } else if begins("S") || (unsafe line.first) == UInt8(ascii: "#") {
            self = .other
        } else {
            return nil
        }
    }

    /// Parses an error line, which contains a number and a text.
    ///
    /// The low 16 bits of the number are the libgpg-error code.
    private static func failure(_ text: Slice<UnsafeRawBufferPointer>) -> Self {
        let digits = unsafe text.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }.prefix(10)
        let number = unsafe digits.reduce(UInt64(0)) { $0 * 10 + UInt64($1 - UInt8(ascii: "0")) }
        switch number & 0xffff {
        case 99, 114, 198: return .failure(.cancelled)
        case 62: return .failure(.timedOut)
        // pinentry-curses reports characters that are not in the terminal's character set.
        case 166: return .unsupportedCharacters
        default: return .failure(.unavailable)
        }
    }
}
