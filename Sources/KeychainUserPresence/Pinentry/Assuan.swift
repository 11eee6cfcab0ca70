// SPDX-License-Identifier: Apache-2.0

/// The lines of the Assuan protocol.
///
/// Source: the manual of libassuan.
package enum Assuan {
    /// The longest line, without its end.
    package static let longestLine = 1_000

    /// A command with its argument, escaped and cut so that it is one line.
    package static func line(_ command: String, _ argument: String = "") -> [UInt8] {
        var line = Array(command.utf8)
        if !argument.isEmpty { line.append(UInt8(ascii: " ")) }
        for character in argument {
            // Cut between characters, so that what is shown stays text.
            let escaped = character.utf8.flatMap(escape)
            guard line.count + escaped.count <= longestLine else { break }
            line += escaped
        }
        return line + [UInt8(ascii: "\n")]
    }

    /// The text without what a terminal or a window would obey instead of showing it: characters that move the cursor,
    /// erase, or turn the direction of writing could make a dialog say something else.
    package static func harmless(_ text: String) -> String {
        var shown = String.UnicodeScalarView()
        for scalar in text.replacing("\r\n", with: "\n").unicodeScalars {
            switch scalar {
            case "\n": shown.append(scalar)
            case "\t": shown.append(" ")
            default: shown.append(isObeyed(scalar) ? "\u{FFFD}" : scalar)
            }
        }
        return String(shown)
    }

    private static func isObeyed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        // Not all that is invisible: some scripts and pictures are written with joiners.
        case .format: scalar.properties.isBidiControl
        default: false
        }
    }

    /// The text as nearly as ASCII can have it.
    package static func plain(_ text: String) -> String {
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

    /// Takes the escapes out of bytes, in place.
    ///
    /// - Returns: how many bytes are left; `nil` where an escape is malformed.
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

/// Why no passcode came.
package enum PinentryFailure: Error, Hashable, Sendable {
    /// The person said no.
    case cancelled
    /// Nobody answered in time.
    case timedOut
    /// The environment forbids prompts.
    case forbidden
    /// There is neither a terminal nor a display.
    case noTerminal
    /// The program cannot be started.
    case noProgram
    /// The program violates the protocol.
    case unavailable
    /// Whoever has asked wants no answer any more.
    case stopped
}

/// What the other side said in one line.
enum AssuanReply: Equatable {
    case ok
    case failure(PinentryFailure)
    /// The texts have letters that the program cannot show.
    case unshowable
    /// The bytes from here to there in the buffer are data.
    case data(Range<Int>)
    /// A comment or a status.
    case other

    /// `nil` for what the protocol does not know.
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

    /// The number's lower half is the error of libgpg-error.
    private static func failure(_ text: Slice<UnsafeRawBufferPointer>) -> Self {
        let digits = unsafe text.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }.prefix(10)
        let number = unsafe digits.reduce(UInt64(0)) { $0 * 10 + UInt64($1 - UInt8(ascii: "0")) }
        switch number & 0xffff {
        case 99, 114, 198: return .failure(.cancelled)
        case 62: return .failure(.timedOut)
        // What its terminal's character set lacks, pinentry-curses refuses to show.
        case 166: return .unshowable
        default: return .failure(.unavailable)
        }
    }
}
