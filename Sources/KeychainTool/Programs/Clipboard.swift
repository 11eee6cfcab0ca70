// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The display's clipboard, accessed through programs such as `wl-copy` and `xclip`.
struct Clipboard {
    private let copying: ChildProgram
    private let pasting: ChildProgram
    private let clearing: ChildProgram

    /// The programs for each kind of display; the first installed one is used.
    private static let table: [(variable: String, copy: [String], paste: [String], clear: [String])] = [
        (
            "WAYLAND_DISPLAY",
            ["wl-copy", "--type", "text/plain"], ["wl-paste", "--no-newline"], ["wl-copy", "--clear"]
        ),
        (
            "DISPLAY",
            ["xclip", "-selection", "clipboard", "-in"], ["xclip", "-selection", "clipboard", "-out"],
            ["xclip", "-selection", "clipboard", "-in"]
        ),
        (
            "DISPLAY",
            ["xsel", "--clipboard", "--input"], ["xsel", "--clipboard", "--output"],
            ["xsel", "--clipboard", "--clear"]
        ),
    ]

    /// The clipboard of the display that the environment names.
    static func current() throws(Failure) -> Clipboard {
        let rows = table.filter { !Variable.string($0.variable).isEmpty }
        guard !rows.isEmpty else {
            throw .message(
                "there is no display: neither WAYLAND_DISPLAY nor DISPLAY is set; security get prints the password",
                result: 1
            )
        }
        for row in rows {
            guard let copy = program(row.copy), let paste = program(row.paste),
                let clear = program(row.clear)
            else { continue }
            return Clipboard(copying: copy, pasting: paste, clearing: clear)
        }
        let names = rows.map { $0.copy[0] }.joined(separator: " or ")
        throw .message("no program for the clipboard is installed: \(names)", result: 1)
    }

    private static func program(_ words: [String]) -> ChildProgram? {
        ChildProgram.find(words[0]).map { ChildProgram($0, Array(words.dropFirst())) }
    }

    /// Puts the bytes on the clipboard; they go through the standard input of the program.
    func copy(_ bytes: [UInt8]) throws(Failure) {
        // wl-copy keeps the contents in a file in TMPDIR: use the runtime directory, if any, which is in memory.
        let runtime = Variable.string("XDG_RUNTIME_DIR")
        if !runtime.isEmpty { unsafe _ = setenv("TMPDIR", runtime, 1) }
        try Self.check(copying, copying.run(input: MemoryFile(bytes)).code)
    }

    func clear(ifEqualTo bytes: [UInt8]) throws(Failure) {
        var current = try pasting.run(output: .captured)
        defer { current.output.wipe() }
        guard current.code == 0, current.output == bytes else { return }
        try Self.check(clearing, clearing.run(input: MemoryFile([])).code)
    }

    private static func check(_ program: ChildProgram, _ code: Int32) throws(Failure) {
        guard code != 0 else { return }
        throw .message("\(BlobText.line(program.path)): failed with code \(code)", result: 1)
    }
}
