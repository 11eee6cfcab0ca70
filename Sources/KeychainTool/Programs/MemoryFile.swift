// SPDX-License-Identifier: Apache-2.0

import CKeychainLinux
import Glibc

/// A file in memory, without a name in any directory.
///
/// It passes a secret to another program as a file, without writing the secret to a disk.
final class MemoryFile {
    let descriptor: Int32

    /// Creates a file with the bytes, positioned at its start.
    init(_ bytes: [UInt8]) throws(Failure) {
        descriptor = unsafe clinux_memory_file("security")
        guard descriptor >= 0 else { throw Self.failure(errno) }
        // ssh-keygen rejects a private key that other users can read.
        fchmod(descriptor, 0o600)
        if let code = OutputFile.put(bytes, to: descriptor) { throw Self.failure(code) }
        lseek(descriptor, 0, SEEK_SET)
    }

    deinit { close(descriptor) }

    func contents() throws(Failure) -> [UInt8] {
        lseek(descriptor, 0, SEEK_SET)
        return try DescriptorInput.rest(of: descriptor, named: "memory")
    }

    private static func failure(_ code: Int32) -> Failure {
        .message("memory: \(unsafe String(cString: strerror(code)))", result: 1)
    }
}

/// Reads open files to their end.
enum DescriptorInput {
    /// The maximum number of bytes; the store accepts fewer.
    private static let limit = 256 << 20

    static func rest(of descriptor: Int32, named name: String) throws(Failure) -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        defer { chunk.wipe() }
        while true {
            let count = unsafe chunk.withUnsafeMutableBytes {
                unsafe read(descriptor, $0.baseAddress, $0.count)
            }
            if count == 0 { return bytes }
            guard count > 0 else {
                if errno == EINTR { continue }
                if errno == EAGAIN, clinux_wait_for_input(descriptor, nil) >= 0 { continue }
                throw InputFile.failure(name, errno)
            }
            bytes += chunk[..<count]
            guard bytes.count <= limit else { throw InputFile.failure(name, EFBIG) }
        }
    }

    /// The descriptor of the option `--fd`; `nil` without the option.
    static func named(by arguments: ScannedArguments) throws(Failure) -> Int32? {
        guard let text = arguments.value("fd") else { return nil }
        guard let number = Int32(text), number >= 0, fcntl(number, F_GETFD) >= 0 else {
            throw .usage("--fd takes the number of an open file descriptor")
        }
        return number
    }

    /// Reads a secret without a final newline; throws `missing` if it is empty.
    static func secret(from descriptor: Int32, orThrow missing: Failure) throws(Failure) -> [UInt8] {
        var secret = try rest(of: descriptor, named: "descriptor \(descriptor)")
        if secret.last == UInt8(ascii: "\n") { secret.removeLast() }
        guard !secret.isEmpty else { throw missing }
        return secret
    }
}
