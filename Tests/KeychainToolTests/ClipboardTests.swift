// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// Copying passwords to the clipboard.
///
/// The clipboard programs are scripts that keep the clipboard in a file and record their arguments.
@Suite struct ClipboardTests {
    private let home: TemporaryHome

    init() throws {
        home = try TemporaryHome()
        try install("wl-copy", #"case "$*" in --clear) : > clipboard;; *) cat > clipboard;; esac"#)
        try install("wl-paste", "cat clipboard")
        try install("xclip", #"case "$*" in *-in) cat > clipboard;; *) cat clipboard;; esac"#)
        try install(
            "xsel",
            #"case "$*" in *--input) cat > clipboard;; *--clear) : > clipboard;; *) cat clipboard;; esac"#
        )
    }

    private func install(_ name: String, _ body: String) throws {
        let folder = home.directory + "/" + name
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let text = "#!/bin/sh\ncd \(home.directory)\necho \(name) \"$@\" >> arguments\n\(body)\n"
        let file = folder + "/" + name
        try text.write(toFile: file, atomically: true, encoding: .utf8)
        chmod(file, 0o755)
    }

    private func content(_ name: String) -> String? {
        try? String(contentsOfFile: home.directory + "/" + name, encoding: .utf8)
    }

    /// Runs a shell command with these scripts first in PATH.
    private func shell(_ programs: [String], _ line: String) throws -> ToolProcess.Result {
        let folders = programs.map { "\(home.directory)/\($0):" }.joined()
        return try home.shell("PATH=\(folders)$PATH; export PATH; \(line)")
    }

    private func waitUntilCleared() throws {
        for _ in 0..<6_000 where content("clipboard") != "" { usleep(10_000) }
        #expect(content("clipboard") == "")
    }

    @Test(arguments: [
        ("WAYLAND_DISPLAY=wayland-0", ["wl-copy", "wl-paste"]), ("DISPLAY=:0", ["xclip"]),
        ("DISPLAY=:0", ["xsel"]),
    ])
    func `the password goes through standard input and is cleared`(display: String, programs: [String]) throws
    {
        #expect(try home.security("set", "mail.example/me", input: Array("canary".utf8)).code == 0)
        let result = try shell(programs, "\(display) security copy mail.example --timeout 1")
        #expect(result.code == 0 && result.output.isEmpty && result.complaints.isEmpty)
        try waitUntilCleared()
        #expect(content("arguments")?.contains("canary") == false)
        #expect(content("arguments")?.hasPrefix(programs[0] + " ") == true)
    }

    @Test func `something else on the clipboard is kept`() throws {
        let line =
            "echo other > \(home.directory)/clipboard; printf canary | DISPLAY=:0 security copy --clear --timeout 0"
        let result = try shell(["xsel"], line)
        #expect(result.code == 0)
        #expect(content("clipboard") == "other\n")
        #expect(content("arguments")?.contains("--clear") == false)
    }

    @Test func `a failing program is an error`() throws {
        try install("xsel", "exit 3")
        #expect(try home.security("set", "mail.example/me", input: Array("canary".utf8)).code == 0)
        let result = try shell(["xsel"], "DISPLAY=:0 security copy mail.example")
        #expect(result.code == 1)
        #expect(result.complaintsText.hasSuffix("xsel: failed with code 3\n"))
    }

    @Test func `if the clearing process cannot start, the clipboard is cleared and the command fails`() throws
    {
        let folder = home.directory + "/copied"
        // This clipboard script takes all permissions from the command's file, so the command cannot start itself
        // again.
        try install(
            "xsel",
            """
            case "$*" in
            *--input) cat > clipboard; chmod 0 \(folder)/security;;
            *--clear) : > clipboard;;
            *) cat clipboard;;
            esac
            """
        )
        try home.run("mkdir \(folder); cp \(ToolProcess.executable) \(folder)/security")
        #expect(try home.security("set", "mail.example/me", input: Array("canary".utf8)).code == 0)
        let line = "DISPLAY=:0 LD_LIBRARY_PATH=\(ToolProcess.products) \(folder)/security copy mail.example"
        let result = try shell(["xsel"], line)
        #expect(result.code == 1)
        #expect(result.complaintsText == "security: /proc/self/exe: Permission denied\n")
        #expect(content("clipboard") == "")
    }
}
