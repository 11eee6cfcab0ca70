// SPDX-License-Identifier: Apache-2.0

import CKeychainLinux
import Glibc
package import KeychainClient
package import KeychainModel
import Synchronization

/// An event of the audit log that the daemon reports in its own log.
package enum AuditNotice: Sendable {
    /// The number and digest of the last record, to log where the user's programs cannot change them.
    case head(AuditHead)
    /// Records can no longer be written.
    case failed
}

/// Appends records to the audit log in a directory.
///
/// Each record is written in one `write` call. The record of a change is written before the client gets its reply, so
/// it survives a crash of the daemon.
package final class AuditLog: Sendable {
    private struct State {
        var file: Descriptor?
        var headFile: Descriptor?
        var number: UInt64 = 0
        var size: Int = 0
        var head = AuditHead()
        /// The offset up to which the file system has reserved space.
        var reserved = 0
        var works = true
    }

    private let directory: String
    /// The size at which another file is started, in bytes.
    private let limit: Int
    private let report: @Sendable (AuditNotice) -> Void
    private let state = Mutex(State())

    package static let standardLimit = 16 << 20
    /// The space after the last record that the file system reserves, in bytes.
    ///
    /// If a full disk prevents extending the space, its second half is only for records of deletions: about 500.
    private static let reserve = 256 << 10
    /// An upper bound for the size of a record, in bytes.
    private static let longestRecord = 4 << 10
    private static let notedEvery: UInt64 = 256

    package init(
        directory: String,
        limit: Int = standardLimit,
        _ report: @escaping @Sendable (AuditNotice) -> Void = { _ in }
    ) {
        self.directory = directory
        self.limit = limit
        self.report = report
    }

    /// Whether the last attempt to write a record, or to reserve space for one, succeeded; `true` before the first.
    package var works: Bool { state.withLock { $0.works } }

    /// Reserves space for the record of a change, before the change is made.
    ///
    /// With `isDeletion`, the record may use the space that is kept for deletions on a full disk.
    ///
    /// - Throws: `notAvailable` with `auditUnavailable` if records cannot be written.
    package func prepare(isDeletion: Bool = false) throws(StatusError) {
        let (isPrepared, isNewFailure) = state.withLock { state in
            let didWork = state.works
            let isOpen = isOpen(&state)
            state.works = isOpen && hasSpace(&state)
            let isPrepared = state.works || isDeletion && isOpen && hasSpace(&state, isDeletion: true)
            return (isPrepared, didWork && !state.works)
        }
        if isNewFailure { report(.failed) }
        guard isPrepared else { throw StatusError(.notAvailable, .auditUnavailable) }
    }

    /// Appends a record; after a failure, ``prepare(isDeletion:)`` throws until records can be written again.
    package func append(_ event: AuditEvent, isDeletion: Bool = false) {
        let notice: AuditNotice? = state.withLock { state in
            let didWork = state.works
            guard isOpen(&state), hasSpace(&state, isDeletion: isDeletion), write(event, &state) else {
                state.works = false
                return didWork ? .failed : nil
            }
            // A deletion's record may be in the space for deletions: its success does not show that other records fit.
            if !isDeletion { state.works = true }
            return state.head.number % Self.notedEvery == 0 ? .head(state.head) : nil
        }
        if let notice { report(notice) }
    }

    private func write(_ event: AuditEvent, _ state: inout State) -> Bool {
        guard let file = state.file else { return false }
        let line = event.line(number: state.head.number + 1, nanoseconds: SystemClock.unixNanoseconds)
        let digest = state.head.digest(of: line)
        guard write(Array((line + Hexadecimal.text(digest.bytes) + "\n").utf8), to: file, &state) else {
            return false
        }
        state.head = AuditHead(number: state.head.number + 1, digest: digest)
        writeHead(state)
        return true
    }

    /// Reports the number and digest of the last record before the daemon ends.
    package func finish() {
        let head = state.withLock { $0.head }
        if head.number > 0 { report(.head(head)) }
    }

    /// Writes a record; if writing fails, removes the part that was written, and closes the log.
    private func write(_ bytes: [UInt8], to file: Descriptor, _ state: inout State) -> Bool {
        guard unsafe Glibc.write(file.number, bytes, bytes.count) == bytes.count else {
            _ = ftruncate(file.number, off_t(state.size))
            state.file = nil
            return false
        }
        state.size += bytes.count
        return true
    }

    private func writeHead(_ state: State) {
        guard let file = state.headFile else { return }
        // The new text is at least as long as the old one, so it overwrites all of it.
        let bytes = Array((state.head.text + "\n").utf8)
        _ = unsafe pwrite(file.number, bytes, bytes.count, 0)
    }

    /// Extends the reserved space if it is less than three quarters of ``reserve``; returns whether to write a record.
    ///
    /// A record of a deletion must fit into the space. Before any other record, at least half of ``reserve`` must be
    /// left.
    private func hasSpace(_ state: inout State, isDeletion: Bool = false) -> Bool {
        guard let file = state.file else { return false }
        let quarter = Self.reserve / 4
        // Try smaller sizes, too: after a restart on a full disk, less than the whole reserve may be available.
        for quarters in [4, 3, 2, 1] where state.reserved - state.size < min(quarters, 3) * quarter {
            let code = clinux_reserve(file.number, off_t(state.size), off_t(quarters * quarter))
            guard code == 0 || code == EOPNOTSUPP else { continue }
            state.reserved = state.size + quarters * quarter
        }
        return state.reserved - state.size >= (isDeletion ? Self.longestRecord : 2 * quarter)
    }

    /// Opens the log if it is closed; returns whether records can be appended.
    ///
    /// If the current file is full, starts another file, and deletes the oldest file if there are more than
    /// ``AuditFile/kept``. If another file cannot be started, for example because the disk is full, the current file
    /// may grow by up to 256 KiB.
    private func isOpen(_ state: inout State) -> Bool {
        if state.file == nil {
            guard open(&state) else { return false }
        }
        guard state.size >= limit else { return true }
        guard start(state.number + 1, &state) else { return state.size < limit + Self.reserve }
        let oldest = state.number > UInt64(AuditFile.kept) ? state.number - UInt64(AuditFile.kept) : 0
        if oldest > 0 { unsafe unlink(path(AuditFile.name(oldest))) }
        return true
    }

    private func path(_ name: String) -> String { "\(directory)/\(name)" }

    /// Creates the missing directories of the path, which no other user can read.
    private func createDirectory() {
        var path = ""
        for part in directory.split(separator: "/") {
            path += "/" + part
            unsafe mkdir(path, 0o700)
        }
    }

    /// Opens the directory, and continues the log after its last record; returns whether that succeeded.
    ///
    /// An empty log starts with file 1. The directory must belong to the daemon's user, and other users must not be
    /// able to write it.
    private func open(_ state: inout State) -> Bool {
        createDirectory()
        let opened = Descriptor(
            unsafe Glibc.open(directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        )
        var status = clinux_file()
        guard opened.number >= 0, unsafe clinux_identify(opened.number, "", 0, &status) == 0,
            status.owner == geteuid(), status.mode & 0o022 == 0
        else { return false }
        let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW
        let headFile = Descriptor(unsafe Glibc.open(path(AuditFile.head), flags, 0o600))
        guard headFile.number >= 0 else { return false }
        state.headFile = headFile
        guard let last = AuditFile.numbers(in: opened.number).last else { return start(1, &state) }
        return resume(last, in: opened, &state)
    }

    /// Continues a file after its last complete record.
    private func resume(_ number: UInt64, in directory: Descriptor, _ state: inout State) -> Bool {
        let name = AuditFile.name(number)
        guard let bytes = AuditFile.read(name, in: directory.number) else { return false }
        let complete = bytes.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        guard let head = AuditFile.lastHead(of: bytes[..<complete], number) else {
            state.head = AuditFile.head(in: directory.number) ?? AuditHead()
            // If the file has no complete line, the daemon was killed while it created the file. Otherwise, the file
            // was changed; verifying the log reports that.
            return start(complete == 0 ? number : number + 1, &state)
        }
        let file = Descriptor(unsafe Glibc.open(path(name), O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW))
        // Remove an incomplete record: its write was interrupted, so the client did not get a reply.
        // If the last record is complete, do not truncate: truncating would release the reserved space.
        guard file.number >= 0, complete == bytes.count || ftruncate(file.number, off_t(complete)) == 0 else {
            return false
        }
        (state.file, state.number, state.size, state.reserved) = (file, number, complete, 0)
        state.head = head
        return true
    }

    /// Creates the log file with this number, and writes its first line.
    private func start(_ number: UInt64, _ state: inout State) -> Bool {
        let name = AuditFile.name(number)
        let flags = O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC | O_NOFOLLOW
        let file = Descriptor(unsafe Glibc.open(path(name), flags, 0o600))
        let line = Array(AuditFile.firstLine(number, after: state.head).utf8)
        guard file.number >= 0, unsafe Glibc.write(file.number, line, line.count) == line.count else {
            if file.number >= 0 { unsafe unlink(path(name)) }
            return false
        }
        (state.file, state.number, state.size, state.reserved) = (file, number, line.count, 0)
        return true
    }
}
