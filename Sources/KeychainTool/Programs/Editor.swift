// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Runs the user's editor on a file in memory.
struct Editor {
    private let program: ChildProgram

    /// The supported editors, with options that prevent swap, backup and history files.
    private static let table: [(name: String, options: [String])] = [
        ("vim", vimOptions), ("nvim", vimOptions), ("nano", ["--ignorercfiles"]),
    ]

    private static let vimOptions = [
        "-n", "-i", "NONE", "-u", "NONE", "--cmd",
        "set nobackup nowritebackup noswapfile noundofile",
    ]

    /// The editor of `VISUAL`, or else of `EDITOR`; `vim` if both are unset or empty.
    ///
    /// - Throws: A message if the editor is not installed, or is not supported, because it may write the secret to a
    ///   disk; `interactionNotAllowed` after ``TerminalPrompt/forbid()``.
    init() throws(Failure) {
        try TerminalPrompt.checkAllowed()
        let name = [Variable.string("VISUAL"), Variable.string("EDITOR")].first { !$0.isEmpty } ?? "vim"
        guard let path = ChildProgram.find(name) else {
            throw .message("\(BlobText.line(name)): there is no such editor", result: 1)
        }
        // Resolve links: `vi` and `editor` are links to an editor, often through /etc/alternatives.
        let target = Self.resolved(path).split(separator: "/").last ?? ""
        let stem = target.prefix { $0 != "." }
        guard let row = Self.table.first(where: { $0.name == stem }) else {
            let names = Self.table.map(\.name).joined(separator: ", ")
            throw .message(
                "\(BlobText.line(name)) may write the password to a disk; EDITOR can be one of \(names), and --password asks for it",
                result: 1
            )
        }
        program = ChildProgram(path, row.options)
    }

    private static func resolved(_ path: String) -> String {
        guard let target = unsafe realpath(path, nil) else { return path }
        defer { unsafe free(target) }
        return unsafe String(cString: target)
    }

    /// Lets the user edit the bytes; returns the result without a newline that the editor appended.
    func edit(_ bytes: [UInt8]) throws(Failure) -> [UInt8] {
        let file = try MemoryFile(bytes)
        guard fcntl(file.descriptor, F_SETFD, 0) == 0 else { throw InputFile.failure("editor", errno) }
        let arguments = program.arguments + ["/proc/self/fd/\(file.descriptor)"]
        let code = try ChildProgram(program.path, arguments).run(output: .inherited).code
        guard code == 0 else {
            throw .message("the editor failed with exit code \(code); nothing was changed", result: 1)
        }
        var edited = try file.contents()
        if edited.last == UInt8(ascii: "\n"), bytes.last != UInt8(ascii: "\n") { edited.removeLast() }
        return edited
    }
}
