// SPDX-License-Identifier: Apache-2.0

import CKeychainLinux
import Glibc
import KeychainClient
import KeychainModel

/// Answers `securityd`'s questions about processes: a pidfd in, a record and the process's open `maps` file out.
package final class IdentifyService {
    private let connection: CInt
    private var digests = DigestCache()

    package init(connection: CInt) { self.connection = connection }

    /// Serves until the connection ends.
    package func run() {
        while true {
            var (request, number) = (0 as UInt8, -1 as CInt)
            let count = unsafe clinux_receive_descriptor(connection, &request, 1, &number)
            if count < 0, errno == EINTR { continue }
            guard count == 1 else { return }
            let process = Descriptor(number)
            let (record, maps) = examine(process)
            let bytes = record.bytes
            guard
                unsafe clinux_send_descriptor(connection, bytes, bytes.count, maps?.number ?? -1)
                    == bytes.count
            else { return }
        }
    }

    /// How often a process may start another program while it is examined.
    private static let attempts = 3

    private func examine(_ process: Descriptor) -> (ProgramRecord, Descriptor?) {
        for _ in 0..<Self.attempts {
            guard let number = ProcessFiles.number(of: process), let files = ProcessFiles(number) else {
                return (ProgramRecord(.gone), nil)
            }
            guard let isTraced = files.isTraced, let executable = files.executable else {
                return (ProgramRecord(.failed), nil)
            }
            guard !isTraced else { return (ProgramRecord(.traced), nil) }
            // The number belonged to this process when its files were opened, and it has the same program since.
            guard clinux_pidfd_check(process.number) == 0 else { return (ProgramRecord(.gone), nil) }
            guard ProgramImage(maps: files.maps).isUnchanged else { continue }
            do throws(ExecutableDefect) {
                let status = try ExecutableStatus(of: executable.number)
                let digest = try digests.digest(of: executable, status)
                let hasPrivateGroup = status.links > 0 && !status.isServed
                return (ProgramRecord(.identified, digest, hasPrivateGroup: hasPrivateGroup), files.maps)
            } catch {
                return (ProgramRecord(.undigestible), nil)
            }
        }
        return (ProgramRecord(.gone), nil)
    }
}

/// The digests of executables, by the status of the file.
private struct DigestCache {
    private var digests: [ExecutableStatus: ExecutableDigest] = [:]
    private static let limit = 1_024
    /// A file that was written more recently could be written again without another time.
    private static let settled: Int64 = 2_000_000_000

    mutating func digest(
        of executable: Descriptor,
        _ status: ExecutableStatus
    ) throws(ExecutableDefect) -> ExecutableDigest {
        if let known = digests[status] { return known }
        let digest = try ExecutableDigest(of: executable.number)
        let now = Int64(clamping: Clock.unixMilliseconds) * 1_000_000
        if now - status.changed > Self.settled, !status.isServed {
            if digests.count >= Self.limit { digests.removeAll() }
            digests[status] = digest
        }
        return digest
    }
}

/// The open files of a process below `/proc`.
private struct ProcessFiles {
    let maps: Descriptor
    private let directory: Descriptor

    /// Opens the files of a process; `maps` first, which belongs to the program that runs then.
    init?(_ number: pid_t) {
        directory = Descriptor(unsafe open("/proc/\(number)", O_RDONLY | O_DIRECTORY | O_CLOEXEC))
        guard directory.number >= 0 else { return nil }
        maps = Descriptor(unsafe openat(directory.number, "maps", O_RDONLY | O_CLOEXEC))
        guard maps.number >= 0 else { return nil }
    }

    /// The process of a pidfd; `nil` if it has ended.
    static func number(of process: Descriptor) -> pid_t? {
        let file = Descriptor(unsafe open("/proc/self/fdinfo/\(process.number)", O_RDONLY | O_CLOEXEC))
        guard let number = line("Pid:", in: file).flatMap({ pid_t($0) }), number > 0 else { return nil }
        return number
    }

    var executable: Descriptor? {
        let file = unsafe openat(directory.number, "exe", O_RDONLY | O_CLOEXEC)
        return file >= 0 ? Descriptor(file) : nil
    }

    /// Whether another process traces this one; `nil` if unknown.
    var isTraced: Bool? {
        let status = Descriptor(unsafe openat(directory.number, "status", O_RDONLY | O_CLOEXEC))
        return Self.line("TracerPid:", in: status).map { $0 != "0" }
    }

    /// The value after a name at the start of a line.
    private static func line(_ name: String, in file: Descriptor) -> String? {
        var buffer = [UInt8](repeating: 0, count: 8_192)
        let count = unsafe read(file.number, &buffer, buffer.count)
        guard count > 0 else { return nil }
        let text = String(decoding: buffer[..<count], as: UTF8.self)
        guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix(name) }) else { return nil }
        return line.dropFirst(name.count).split(whereSeparator: { $0 == " " || $0 == "\t" }).first.map(
            String.init
        )
    }
}

/// The address space of an identified program.
struct ProgramImage: Sendable {
    private let maps: Descriptor

    init(maps: Descriptor) { self.maps = maps }

    /// Whether the process still runs the program: `maps` is empty after `exec`, and fails after the end.
    var isUnchanged: Bool {
        var byte: UInt8 = 0
        return unsafe pread(maps.number, &byte, 1, 0) == 1
    }
}
