// SPDX-License-Identifier: Apache-2.0

import Glibc

enum NameOwner {
    /// Returns the executable's file name and the process ID; “another program” if they are unknown.
    static func program(of process: pid_t) -> String {
        guard let name = executable(of: process) else { return "another program" }
        return "\(name) (process \(process))"
    }

    /// Whether a process runs this program.
    ///
    /// This program forbids core dumps, so `/proc/PID/exe` of another instance is unreadable. `/proc/PID/comm` is
    /// readable, and has the first 15 bytes of the name.
    static func isThisService(_ process: pid_t) -> Bool {
        let name = "keychain-secret-service"
        if let executable = executable(of: process) { return executable == name }
        guard let file = unsafe fopen("/proc/\(process)/comm", "re") else { return false }
        defer { unsafe _ = fclose(file) }
        var line = [CChar](repeating: 0, count: 32)
        guard unsafe fgets(&line, CInt(line.count), file) != nil else { return false }
        let bytes = line.prefix { $0 != 0 && $0 != 10 }.map { UInt8(bitPattern: $0) }
        return String(decoding: bytes, as: UTF8.self) == name.prefix(15)
    }

    private static func executable(of process: pid_t) -> String? {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        let count = process > 0 ? unsafe readlink("/proc/\(process)/exe", &buffer, buffer.count - 1) : -1
        guard count > 0 else { return nil }
        let path = String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return path.split(separator: "/").last.map(String.init)
    }
}
