// SPDX-License-Identifier: Apache-2.0

import Glibc

enum NameOwner {
    /// Returns the executable's file name and the process ID; “another program” if they are unknown.
    static func program(of process: pid_t) -> String {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        let count = process > 0 ? unsafe readlink("/proc/\(process)/exe", &buffer, buffer.count - 1) : -1
        guard count > 0 else { return "another program" }
        let path = String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return "\(path.split(separator: "/").last ?? "another program") (process \(process))"
    }
}
