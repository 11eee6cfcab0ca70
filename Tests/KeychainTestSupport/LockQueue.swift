// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc

/// The processes that wait for a `flock` on a file, read from `/proc/locks`.
package enum LockQueue {
    package struct Timeout: Error {}

    package static func length(of path: String) throws -> Int {
        var status = stat()
        guard stat(path, &status) == 0 else { throw CocoaError(.fileNoSuchFile) }
        let locks = try KernelFile.text("/proc/locks")
        return locks.split(separator: "\n").count { line in
            line.contains("-> FLOCK") && line.contains(":\(status.st_ino) ")
        }
    }

    package static func wait(for count: Int, of path: String) throws {
        for _ in 0..<60_000 {
            if try length(of: path) == count { return }
            usleep(1_000)
        }
        throw Timeout()
    }
}
