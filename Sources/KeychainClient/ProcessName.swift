// SPDX-License-Identifier: Apache-2.0

import Glibc

package enum ProcessName {
    /// The number of bytes of a name that `/proc/PID/comm` contains.
    private static let commandLimit = 15
    private static let deleted = " (deleted)"

    /// Returns the file name of a process's executable; `nil` if it is unknown.
    ///
    /// The link `/proc/PID/exe` of a program that forbids core dumps, or that has file capabilities, is unreadable for
    /// its own user. The result is then the name in `/proc/PID/comm`, which has at most 15 bytes; or `expected`, if
    /// `expected` starts with the same 15 bytes. Use the result only in messages: every process can change its `comm`.
    package static func ofProgram(_ process: Int32, expected: String = "") -> String? {
        guard process > 0 else { return nil }
        if let name = executable(of: process) { return name }
        guard let name = command(of: process) else { return nil }
        return name.utf8.elementsEqual(expected.utf8.prefix(commandLimit)) ? expected : name
    }

    private static func executable(of process: Int32) -> String? {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        let count = unsafe readlink("/proc/\(process)/exe", &buffer, buffer.count - 1)
        guard count > 0 else { return nil }
        var path = text(buffer[..<count])
        if path.hasSuffix(deleted) { path.removeLast(deleted.count) }
        return path.lastComponentOfPath
    }

    private static func command(of process: Int32) -> String? {
        let file = unsafe open("/proc/\(process)/comm", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var buffer = [CChar](repeating: 0, count: 64)
        let count = unsafe read(file, &buffer, buffer.count)
        let name = text(buffer[..<max(count, 0)].prefix { $0 != CChar(UInt8(ascii: "\n")) })
        return name.isEmpty ? nil : name
    }

    private static func text(_ bytes: ArraySlice<CChar>) -> String {
        String(decoding: bytes.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
