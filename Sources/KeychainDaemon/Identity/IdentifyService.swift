// SPDX-License-Identifier: Apache-2.0

import CKeychainLinux
import Glibc
import KeychainClient
import KeychainModel

/// Identifies processes for `securityd`: receives a pidfd; sends a ``ProgramRecord`` and the open `/proc/PID/maps`.
///
/// It also checks groups for `securityd`, which cannot read `/etc/gshadow`.
package final class IdentifyService {
    private let connection: CInt
    private var digests = DigestCache()

    package init(connection: CInt) { self.connection = connection }

    /// The user whose processes identify programs.
    private static let user = "keychain-identify"

    /// Gives up the capabilities that identification does not need; does nothing if the process is not root's.
    ///
    /// The process becomes the user `keychain-identify`. If this user does not exist, the process stays root's, and can
    /// still change root's files. A systemd unit restricts the process itself.
    ///
    /// - Returns: The failure; `nil` on success.
    package static func restrictRights() -> String? {
        guard geteuid() == 0 else { return nil }
        do throws(StatusError) {
            let account = try UserAccount.find(named: user)
            guard let step = unsafe clinux_keep_reading(account?.user ?? 0, account?.group ?? 0) else {
                return nil
            }
            let code = errno
            return unsafe "\(String(cString: step)): \(String(cString: strerror(code))) (errno \(code))"
        } catch {
            return error.explanation.sentence
        }
    }

    package func run() {
        while true {
            var (bytes, number) = ([UInt8](repeating: 0, count: IdentifyRequest.maximumByteCount), -1 as CInt)
            let count = unsafe clinux_receive_descriptor(connection, &bytes, bytes.count, &number)
            if count < 0, errno == EINTR { continue }
            let process = Descriptor(number)
            guard count > 0, let request = IdentifyRequest(bytes: Array(bytes[..<count])) else { return }
            var (record, maps): (ProgramRecord, Descriptor?)
            if let group = request.group {
                (record, maps) = (ProgramRecord(TeamGroup.isClosed(group) ? .identified : .failed), nil)
            } else {
                (record, maps) = examine(process)
            }
            record.request = request.number
            let reply = record.bytes
            guard
                unsafe clinux_send_descriptor(connection, reply, reply.count, maps?.number ?? -1)
                    == reply.count
            else { return }
        }
    }

    /// The maximum number of attempts to examine a process that starts another program during the examination.
    private static let attempts = 3

    /// Examines the process of a pidfd; returns what it found and, of an identified process, the open `maps`.
    func examine(_ process: Descriptor) -> (ProgramRecord, Descriptor?) {
        for _ in 0..<Self.attempts {
            guard let number = ProcessFiles.number(of: process), let files = ProcessFiles(number) else {
                return (ProgramRecord(.gone), nil)
            }
            guard let isTraced = files.isTraced, let isInOtherNamespace = files.isInOtherNamespace,
                let location = files.executable
            else { return (ProgramRecord(.failed), nil) }
            guard !isTraced else { return (ProgramRecord(.traced), nil) }
            guard !isInOtherNamespace else { return (ProgramRecord(.otherNamespace), nil) }
            // Check that the process still exists: then no other process has got its ID, and the files that were
            // opened by the ID are its own. Next, check that it has not started another program.
            guard clinux_pidfd_exists(process.number) != 0 else { return (ProgramRecord(.gone), nil) }
            guard ProgramImage(maps: files.maps).isUnchanged else { continue }
            // Do not open files of FUSE or a network file system, whose server can delay each access.
            let path = files.executablePath ?? ""
            guard files.isLocal(location) else {
                return (ProgramRecord(.identified, path: path), files.maps)
            }
            do throws(ExecutableDefect) {
                let record = try record(of: files, location, path)
                // The process may have started another program, in another sandbox, meanwhile.
                guard ProgramImage(maps: files.maps).isUnchanged else { continue }
                return (record, files.maps)
            } catch {
                return (ProgramRecord(.undigestible), nil)
            }
        }
        return (ProgramRecord(.gone), nil)
    }

    /// Digests the executable at a location on a local file system.
    private func record(
        of files: ProcessFiles,
        _ location: Descriptor,
        _ path: String
    ) throws(ExecutableDefect) -> ProgramRecord {
        let executable = ProcessFiles.open(location)
        let status = try ExecutableStatus(of: executable.number)
        return ProgramRecord(
            .identified,
            try digests.digest(of: executable, status),
            hasPrivateGroup: status.links > 0,
            isLocal: true,
            isSecureExecution: files.isSecureExecution,
            isInstalled: InstalledFile.isProtected(path) && InstalledFile.isSame(location.number, path),
            sandbox: files.sandbox,
            path: path
        )
    }
}

private struct DigestCache {
    private var digests: [ExecutableStatus: ExecutableDigest] = [:]
    private static let limit = 1_024
    /// How long a file must be unchanged before its digest is cached, in nanoseconds.
    ///
    /// The times of a file do not distinguish two writes in quick succession.
    private static let settled: Int64 = 2_000_000_000

    mutating func digest(
        of executable: Descriptor,
        _ status: ExecutableStatus
    ) throws(ExecutableDefect) -> ExecutableDigest {
        if let known = digests[status] { return known }
        let digest = try ExecutableDigest(of: executable.number)
        let now = Int64(clamping: SystemClock.unixMilliseconds) * 1_000_000
        if now - status.changed > Self.settled {
            if digests.count >= Self.limit { digests.removeAll() }
            digests[status] = digest
        }
        return digest
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

/// A request to `keychain-identify`: its number and, unless a pidfd is sent with it, the group to check.
struct IdentifyRequest: Equatable {
    let number: UInt64
    /// The group to check; `nil` for a request about a process.
    var group: gid_t?

    static let maximumByteCount = 12

    init(_ number: UInt64, group: gid_t? = nil) {
        self.number = number
        self.group = group
    }

    var bytes: [UInt8] {
        var writer = WireWriter()
        writer.integer(number)
        if let group { writer.integer(group) }
        return writer.bytes
    }

    /// Parses a request; `nil` unless it has 8 or 12 bytes.
    init?(bytes: [UInt8]) {
        let request = try? WireReader.decode(bytes) { reader throws(StatusError) in
            Self(try reader.integer(), group: reader.remaining > 0 ? try reader.integer() : nil)
        }
        guard let request else { return nil }
        self = request
    }
}
