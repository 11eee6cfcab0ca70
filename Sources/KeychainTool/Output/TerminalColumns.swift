// SPDX-License-Identifier: Apache-2.0

extension StringProtocol {
    /// The number of columns that a terminal uses to show this string, which has no control characters.
    package var terminalColumns: Int { reduce(0) { $0 + $1.terminalColumns } }

    /// The longest prefix that a terminal shows in this number of columns.
    package func prefix(terminalColumns limit: Int) -> SubSequence {
        var columns = 0
        return prefix { character in
            columns += character.terminalColumns
            return columns <= limit
        }
    }
}

extension Character {
    /// The number of columns that a terminal uses to show this character: 0, 1 or 2.
    package var terminalColumns: Int {
        guard !isASCII else { return 1 }
        guard let first = unicodeScalars.first else { return 0 }
        if first.properties.isEmojiPresentation || unicodeScalars.contains(Self.emojiSelector) { return 2 }
        if Self.wide.contains(where: { $0.contains(first.value) }) { return 2 }
        switch first.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: return 1
        }
    }

    private static let emojiSelector: Unicode.Scalar = "\u{FE0F}"

    /// The blocks whose characters have the East Asian width W or F (Unicode Standard Annex 11).
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97C, 0xAC00...0xD7A3,
        0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6B, 0xFF01...0xFF60, 0xFFE0...0xFFE6,
        0x16FE0...0x18DFF,
        0x1AFF0...0x1B2FF, 0x1F200...0x1F265, 0x20000...0x3FFFD,
    ]
}
