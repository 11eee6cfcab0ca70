// SPDX-License-Identifier: Apache-2.0

import CKeychainLinux
import Glibc
import KeychainClient
import KeychainModel

/// Identifies processes for `securityd`: receives a pidfd; sends a record and the open `maps` file.
package final class IdentifyService {
    private let connection: CInt
    private var digests = DigestCache()

    package init(connection: CInt) { self.connection = connection }

    /// Answers requests until the connection ends.
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

    /// How many times to examine a process that starts other programs meanwhile.
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
            // The process ID still belonged to this process after its files were opened; next, check that it
            // ran the same program.
            guard clinux_pidfd_check(process.number) == 0 else { return (ProgramRecord(.gone), nil) }
            guard ProgramImage(maps: files.maps).isUnchanged else { continue }
            do throws(ExecutableDefect) {
                let status = try ExecutableStatus(of: executable.number)
                let digest = try digests.digest(of: executable, status)
                let hasPrivateGroup = status.links > 0 && !status.isServed
                let record = ProgramRecord(
                    .identified,
                    digest,
                    hasPrivateGroup: hasPrivateGroup,
                    sandbox: files.sandbox
                )
                // The process may have started another program, in another sandbox, meanwhile.
                guard ProgramImage(maps: files.maps).isUnchanged else { continue }
                return (record, files.maps)
            } catch {
                return (ProgramRecord(.undigestible), nil)
            }
        }
        return (ProgramRecord(.gone), nil)
    }
}

/// Caches the digests of executables by file status.
private struct DigestCache {
    private var digests: [ExecutableStatus: ExecutableDigest] = [:]
    private static let limit = 1_024
    /// The minimum age of a modification, in nanoseconds: a later write could leave the file's times
    /// unchanged.
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

/// The open files of a process's directory in `/proc`.
private struct ProcessFiles {
    let maps: Descriptor
    private let directory: Descriptor

    /// Opens the files of a process; `maps` first, because it refers to the program that runs at that time.
    init?(_ number: pid_t) {
        directory = Descriptor(unsafe open("/proc/\(number)", O_RDONLY | O_DIRECTORY | O_CLOEXEC))
        guard directory.number >= 0 else { return nil }
        maps = Descriptor(unsafe openat(directory.number, "maps", O_RDONLY | O_CLOEXEC))
        guard maps.number >= 0 else { return nil }
    }

    /// Returns the process ID of a pidfd; `nil` if the process has ended.
    static func number(of process: Descriptor) -> pid_t? {
        let file = Descriptor(unsafe open("/proc/self/fdinfo/\(process.number)", O_RDONLY | O_CLOEXEC))
        guard let number = line("Pid:", in: file).flatMap({ pid_t($0) }), number > 0 else { return nil }
        return number
    }

    var executable: Descriptor? {
        let file = unsafe openat(directory.number, "exe", O_RDONLY | O_CLOEXEC)
        return file >= 0 ? Descriptor(file) : nil
    }

    /// Whether another process traces this process; `nil` if unknown.
    var isTraced: Bool? {
        let status = Descriptor(unsafe openat(directory.number, "status", O_RDONLY | O_CLOEXEC))
        return Self.line("TracerPid:", in: status).map { $0 != "0" }
    }

    /// The confinement of the process; `nil` if nothing confines it.
    ///
    /// The cgroup does not count: the user can move processes between the user's own cgroups.
    var sandbox: Sandbox? {
        for name in ["attr/apparmor/current", "attr/current"] {
            if let label = text(of: name), let sandbox = Sandbox(appArmorLabel: label) { return sandbox }
        }
        return text(of: "root/.flatpak-info").flatMap(Sandbox.init(flatpakInformation:))
    }

    /// Returns the start of a file in the process's directory; `nil` if it cannot be read.
    private func text(of name: String) -> String? {
        let flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY
        let file = Descriptor(unsafe openat(directory.number, name, flags))
        guard file.number >= 0 else { return nil }
        var buffer = [UInt8](repeating: 0, count: 4_096)
        let count = unsafe read(file.number, &buffer, buffer.count)
        return count > 0 ? String(decoding: buffer[..<count], as: UTF8.self) : nil
    }

    /// Returns the value after a name at the start of a line.
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

/// The address space of an identified program, which ends with the program.
struct ProgramImage: Sendable {
    private let maps: Descriptor

    init(maps: Descriptor) { self.maps = maps }

    /// Whether the process still runs the program.
    ///
    /// Reading `maps` returns nothing after `exec`, and fails after the process has ended.
    var isUnchanged: Bool {
        var byte: UInt8 = 0
        return unsafe pread(maps.number, &byte, 1, 0) == 1
    }
}
