// SPDX-License-Identifier: Apache-2.0

import CKeychainLinux
import Glibc

/// Writes files atomically, and special files directly.
enum OutputFile {
    /// Replaces a file; without a name or with `-`, writes to standard output.
    ///
    /// The bytes are written to a new file in the same directory, which is then renamed. If the name is that of a
    /// terminal, a pipe or another special file, or of a symbolic link to one, that file is written directly.
    static func write(_ bytes: [UInt8], to name: String?, isPrivate: Bool) throws(Failure) {
        guard let name, name != "-" else { return try Console.write(bytes) }
        let target = resolved(name)
        if unsafe clinux_is_special_file(target) != 0 {
            try writeDirectly(bytes, to: target, calling: name)
        } else {
            try replace(target, by: bytes, mode: isPrivate ? 0o600 : 0o666, calling: name)
        }
    }

    /// Resolves symbolic links, so that the file to which they lead is replaced, and not the link.
    static func resolved(_ name: String) -> String {
        guard let path = unsafe realpath(name, nil) else { return name }
        defer { unsafe free(path) }
        return unsafe String(cString: path)
    }

    private static func writeDirectly(
        _ bytes: [UInt8],
        to target: String,
        calling name: String
    ) throws(Failure) {
        let descriptor = unsafe open(target, O_WRONLY | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 else { throw InputFile.failure(name, errno) }
        defer { close(descriptor) }
        if let code = put(bytes, to: descriptor) { throw InputFile.failure(name, code) }
    }

    /// Replaces the file `target` with a new file of the given mode; messages call it `name`.
    static func replace(
        _ target: String,
        by bytes: [UInt8],
        mode: mode_t,
        calling name: String
    ) throws(Failure) {
        let file = try NewFile(target, mode: mode, calling: name)
        try file.write(bytes)
        try file.commit(replacing: true)
    }

    static func checkAbsent(_ name: String) throws(Failure) {
        guard isAbsent(name) else { throw InputFile.failure(name, EEXIST) }
    }

    /// Whether no file, and no link, has the name.
    static func isAbsent(_ name: String) -> Bool {
        var file = clinux_file()
        return unsafe clinux_identify(AT_FDCWD, name, AT_SYMLINK_NOFOLLOW, &file) != 0
    }

    /// Creates a file, which must not exist, and makes it durable.
    static func create(_ name: String, _ bytes: [UInt8], mode: mode_t) throws(Failure) {
        let file = try NewFile(name, mode: mode, calling: name)
        try file.write(bytes)
        try file.commit(replacing: false)
    }

    /// Writes all bytes; returns the `errno`, or `nil` on success.
    static func put(_ bytes: [UInt8], to descriptor: Int32) -> Int32? {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes {
                unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
            }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR {
                return errno
            }
        }
        return nil
    }
}
