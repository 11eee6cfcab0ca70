// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc

enum InputFile {
    /// The maximum size of a file in bytes.
    private static let limit = 16 << 20

    /// Reads a file that is not empty; the name `-` is standard input.
    static func read(_ name: String) throws(Failure) -> Data {
        let isStandard = name == "-"
        let descriptor = isStandard ? STDIN_FILENO : unsafe open(name, O_RDONLY | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 else { throw failure(name, errno) }
        defer { if !isStandard { close(descriptor) } }
        var bytes = Data()
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = unsafe chunk.withUnsafeMutableBytes {
                unsafe Glibc.read(descriptor, $0.baseAddress, $0.count)
            }
            if count == 0 { break }
            if count < 0 {
                guard errno == EINTR else { throw failure(name, errno) }
                continue
            }
            bytes.append(contentsOf: chunk[..<count])
            guard bytes.count <= limit else { throw failure(name, EFBIG) }
        }
        guard !bytes.isEmpty else { throw .message("\(displayName(name)): the file is empty", result: 1) }
        return bytes
    }

    static func displayName(_ name: String) -> String { name == "-" ? "standard input" : name }

    static func failure(_ name: String, _ code: Int32) -> Failure {
        .message("\(displayName(name)): \(unsafe String(cString: strerror(code)))", result: 1)
    }
}
