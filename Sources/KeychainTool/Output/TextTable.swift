// SPDX-License-Identifier: Apache-2.0

/// A table with a header, in lines that fit a width.
package struct TextTable {
    package struct Cell {
        package let text: String
        /// The parameter of the escape sequence for the colour; `nil` for none.
        package let colour: Int?

        package init(text: String, colour: Int? = nil) {
            self.text = text
            self.colour = colour
        }
    }

    private let header: [String]
    private let rows: [[Cell]]

    package init(header: [String], rows: [[Cell]]) {
        self.header = header
        self.rows = rows
    }

    /// The minimum width of the first column, in columns of the terminal.
    private static let narrowest = 12

    /// Formats the table; shortens the first column if the lines would be longer than the width.
    ///
    /// Leaves out a column, except the first, if all its cells are empty. Without rows, the result is an empty string.
    package func text(width: Int, isColoured: Bool = Console.isColoured) -> String {
        guard !rows.isEmpty else { return "" }
        let used = header.indices.filter { index in index == 0 || rows.contains { !$0[index].text.isEmpty } }
        var widths = used.map { index in
            max(header[index].terminalColumns, rows.map { $0[index].text.terminalColumns }.max() ?? 0)
        }
        let others = widths.dropFirst().reduce(0) { $0 + $1 + 2 }
        widths[0] = min(widths[0], max(Self.narrowest, width - others))
        let lines = [header.map { Cell(text: $0.uppercased()) }] + rows
        return lines.map { cells in Self.line(used.map { cells[$0] }, widths, isColoured) }.joined()
    }

    private static func line(_ cells: [Cell], _ widths: [Int], _ isColoured: Bool) -> String {
        let last = cells.lastIndex { !$0.text.isEmpty } ?? 0
        let padded = cells.indices.prefix(through: last).map { index -> String in
            let (cell, width) = (cells[index], widths[index])
            let isTooLong = cell.text.terminalColumns > width
            let text = isTooLong ? cell.text.prefix(terminalColumns: width - 1) + "…" : cell.text[...]
            let padding = String(repeating: " ", count: index == last ? 0 : width - text.terminalColumns)
            guard isColoured, let colour = cell.colour else { return text + padding }
            return "\u{1B}[\(colour)m\(text)\u{1B}[m\(padding)"
        }
        return padded.joined(separator: "  ") + "\n"
    }
}
