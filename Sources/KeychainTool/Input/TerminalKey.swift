// SPDX-License-Identifier: Apache-2.0

/// The keys that the line editor of interactive mode distinguishes.
package enum TerminalKey: Equatable {
    case character(Unicode.Scalar)
    case enter, left, right, lineStart, lineEnd, previousLine, nextLine
    case deleteBackward, deleteForward, deleteForwardOrEnd, deleteWord, deleteToStart, deleteToEnd
    case complete, redraw
    case unknown
}

/// Recognizes keys in the bytes from a terminal: UTF-8, control characters and escape sequences (ECMA-48).
package struct TerminalKeyParser {
    private static let escape: UInt8 = 0x1b
    /// The length at which an escape sequence is discarded.
    private static let longestSequence = 16

    /// The bytes of an incomplete character or escape sequence.
    private var pending: [UInt8] = []

    package init() {}

    // swift-format-ignore
    /// The keys of control characters, the same as in Emacs and in shells.
    private static let controls: [UInt8: TerminalKey] = [
        0x01: .lineStart, 0x02: .left, 0x04: .deleteForwardOrEnd, 0x05: .lineEnd, 0x06: .right,
        0x08: .deleteBackward, 0x09: .complete, 0x0a: .enter, 0x0b: .deleteToEnd, 0x0c: .redraw, 0x0d: .enter,
        0x0e: .nextLine, 0x10: .previousLine, 0x15: .deleteToStart, 0x17: .deleteWord, 0x7f: .deleteBackward,
    ]

    // swift-format-ignore
    /// The keys of escape sequences, without their first two bytes.
    private static let sequences: [String: TerminalKey] = [
        "A": .previousLine, "B": .nextLine, "C": .right, "D": .left, "H": .lineStart, "F": .lineEnd,
        "1~": .lineStart, "7~": .lineStart, "4~": .lineEnd, "8~": .lineEnd, "3~": .deleteForward,
    ]

    /// Takes the next byte; returns a key if the byte completes it.
    package mutating func take(_ byte: UInt8) -> TerminalKey? {
        switch pending.first {
        case nil: return takeFirst(byte)
        case Self.escape: return takeInSequence(byte)
        default: return takeInCharacter(byte)
        }
    }

    private mutating func takeFirst(_ byte: UInt8) -> TerminalKey? {
        switch byte {
        case Self.escape, 0x80...:
            pending = [byte]
            return nil
        case 0x20..<0x7f: return .character(Unicode.Scalar(byte))
        default: return Self.controls[byte] ?? .unknown
        }
    }

    private mutating func takeInSequence(_ byte: UInt8) -> TerminalKey? {
        pending.append(byte)
        guard pending.count > 2 else {
            if "[O".utf8.contains(byte) { return nil }
            pending = []
            return .unknown
        }
        guard (0x40...0x7e).contains(byte) || pending.count >= Self.longestSequence else { return nil }
        let name = String(decoding: pending.dropFirst(2), as: UTF8.self)
        pending = []
        return Self.sequences[name] ?? .unknown
    }

    private mutating func takeInCharacter(_ byte: UInt8) -> TerminalKey? {
        pending.append(byte)
        if let text = String(validating: pending, as: UTF8.self), let scalar = text.unicodeScalars.first {
            pending = []
            let isControl = scalar.properties.generalCategory == .control
            return isControl ? .unknown : .character(scalar)
        }
        guard (0x80..<0xc0).contains(byte) else {
            pending = []
            // The incomplete character is invalid. The byte starts another character, or is a key by itself.
            return takeFirst(byte)
        }
        guard pending.count < 4 else {
            pending = []
            return .unknown
        }
        return nil
    }
}
