// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc

/// A file of the kernel, such as `/proc/locks`.
package enum KernelFile {
    /// Returns the whole text of a file.
    ///
    /// Foundation ends at the first short read, which such files return after each page of memory.
    package static func text(_ path: String) throws -> String {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw CocoaError(.fileNoSuchFile) }
        defer { close(descriptor) }
        var text: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(descriptor, &part, part.count)
            guard count >= 0 else { throw CocoaError(.fileReadUnknown) }
            guard count > 0 else { return String(decoding: text, as: UTF8.self) }
            text += part[..<count]
        }
    }
}
