// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainModel
import KeychainStore
import Testing

/// An unused path, removed after the test.
final class TemporaryPath {
    let path = FileManager.default.temporaryDirectory.appending(path: "keychain-\(UUID())").path

    func makeDirectory(mode: mode_t = 0o700) throws -> Self {
        try #require(mkdir(path, mode) == 0)
        return self
    }

    func write(_ name: String, _ text: String, mode: Int = 0o600) throws {
        let made = FileManager.default.createFile(
            atPath: path + "/" + name,
            contents: Data(text.utf8),
            attributes: [.posixPermissions: mode]
        )
        try #require(made)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}

@Suite struct PrivateDirectoryTests {
    @Test func `a new directory is created with its parents only on request`() throws {
        let top = TemporaryPath()
        let path = top.path + "/a//b/"
        #expect(throws: StatusError(.notAvailable, .directoryMissing)) {
            _ = try PrivateDirectory(path: path, creating: false)
        }
        #expect(!FileManager.default.fileExists(atPath: top.path))
        _ = try PrivateDirectory(path: path, creating: true)
        _ = try PrivateDirectory(path: path, creating: false)
    }

    @Test func `an inaccessible path does not count as missing`() {
        let path = "/" + String(repeating: "long/", count: 1_000)
        for creating in [true, false] {
            #expect(throws: StatusError(.notAvailable, .pathTooLong, code: ENAMETOOLONG)) {
                _ = try PrivateDirectory(path: path, creating: creating)
            }
        }
    }

    @Test(arguments: [0o000, 0o400, 0o500, 0o600, 0o700])
    func `a directory accessible only to its owner is private`(mode: Int) throws {
        let directory = try TemporaryPath().makeDirectory(mode: mode_t(mode))
        // A mode without read permission for the owner gives another error, except for root.
        guard geteuid() == 0 || mode & 0o400 != 0 else { return }
        _ = try PrivateDirectory(path: directory.path, creating: false)
    }

    @Test(arguments: [0o710, 0o701, 0o702, 0o720, 0o740, 0o704, 0o755, 0o777])
    func `a directory accessible to others is rejected`(mode: Int) throws {
        let directory = try TemporaryPath().makeDirectory()
        try #require(chmod(directory.path, mode_t(mode)) == 0)
        #expect(throws: StatusError(.notAvailable, .directoryNotPrivate)) {
            _ = try PrivateDirectory(path: directory.path, creating: true)
        }
    }

    @Test(arguments: [0o601, 0o602, 0o604, 0o610, 0o620, 0o640, 0o644, 0o666])
    func `a file accessible to others is rejected when inspected or opened`(mode: Int) throws {
        let place = try TemporaryPath().makeDirectory()
        try place.write("file", "text")
        try #require(chmod(place.path + "/file", mode_t(mode)) == 0)
        let directory = try PrivateDirectory(path: place.path, creating: false)
        #expect(throws: StatusError(.notAvailable, .fileNotPrivate)) { _ = try directory.inspect("file") }
        #expect(throws: StatusError(.notAvailable, .fileNotPrivate)) {
            _ = try directory.open("file", flags: O_RDONLY)
        }
        #expect(throws: StatusError(.notAvailable, .fileNotPrivate)) {
            _ = try directory.read("file", atMost: 10)
        }
    }

    @Test func `a file is read up to a limit`() throws {
        let place = try TemporaryPath().makeDirectory()
        try place.write("file", "0123456789")
        let directory = try PrivateDirectory(path: place.path, creating: false)
        #expect(try directory.read("file", atMost: 100) == Array("0123456789".utf8))
        #expect(try directory.read("file", atMost: 10) == Array("0123456789".utf8))
        #expect(try directory.read("file", atMost: 4) == Array("0123".utf8))
        #expect(try directory.read("file", atMost: 0) == [])
        #expect(try directory.inspect("another") == nil)
    }

    @Test func `a new file is complete and private and replaces no other`() throws {
        let place = try TemporaryPath().makeDirectory()
        let directory = try PrivateDirectory(path: place.path, creating: false)
        try place.write("file.new", "what a crash left")
        try directory.create("file", contents: Array("text".utf8))
        #expect(try directory.read("file", atMost: 10) == Array("text".utf8))
        let mode =
            try FileManager.default.attributesOfItem(atPath: place.path + "/file")[.posixPermissions] as? Int
        #expect(mode == 0o600)
        #expect(throws: StatusError(.duplicateKeychain, .storeExists)) {
            try directory.create("file", contents: Array("another".utf8))
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: place.path) == ["file"])
        #expect(try directory.read("file", atMost: 10) == Array("text".utf8))
    }

    @Test func `a path with symbolic links above the directory is resolved`() throws {
        let place = try TemporaryPath().makeDirectory()
        let link = TemporaryPath()
        try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: place.path)
        let directory = try PrivateDirectory(path: link.path + "/inner", creating: true)
        let resolved = try directory.resolvedPath(of: "file")
        #expect(resolved.hasSuffix("/inner/file"))
        #expect(!resolved.contains(URL(filePath: link.path).lastPathComponent))
    }

    @Test(
        arguments: [
            (ENOSPC, Status.diskFull, .noSpace), (EDQUOT, .diskFull, .noSpace),
            (EROFS, .readOnly, .readOnlyStore), (EACCES, .writePermission, .notPermitted),
            (EPERM, .writePermission, .notPermitted), (ENOMEM, .allocation, .systemCall),
            (EIO, .inputOutput, .transferFailed), (EMFILE, .notAvailable, .systemCall),
        ] as [(CInt, Status, Reason)]
    )
    func `system errors become statuses with their number`(
        error: CInt,
        status: Status,
        reason: Reason
    ) {
        for (name, file) in [("", nil), ("keychain.db", StoreFile.database)] {
            errno = error
            #expect(systemError(name) == StatusError(status, reason, file: file, code: error))
        }
    }
}

@Suite struct WriterLockTests {
    @Test func `only one holder can have the lock, which is free after release`() throws {
        let place = try TemporaryPath().makeDirectory()
        let directory = try PrivateDirectory(path: place.path, creating: false)
        let first = try WriterLock(in: directory, creating: true)
        let second = try WriterLock(in: directory, creating: false)
        try first.acquire()
        #expect(flock(try openLock(place.path), LOCK_EX | LOCK_NB) != 0)
        first.release()
        try second.acquire()
        second.release()
    }

    @Test func `a timeout is reported with the lock as reason`() async throws {
        let place = try TemporaryPath().makeDirectory()
        let directory = try PrivateDirectory(path: place.path, creating: false)
        let lock = try WriterLock(in: directory, creating: true)
        let holder = try openLock(place.path)
        try #require(flock(holder, LOCK_EX) == 0)
        WriterLock.$deadline.withValue(100) {
            #expect(throws: StatusError(.notAvailable, .writerBusy, file: .writerLock)) { try lock.acquire() }
        }
        close(holder)
        try lock.acquire()
    }

    @Test(arguments: [0, 1, 7, UInt64(UInt32.max) + 1, .max])
    func `the recorded generation is read back`(generation: UInt64) throws {
        let place = try TemporaryPath().makeDirectory()
        let directory = try PrivateDirectory(path: place.path, creating: false)
        #expect(try WriterLock.acknowledgedGeneration(in: directory) == 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: place.path) == [])
        let lock = try WriterLock(in: directory, creating: true)
        #expect(try WriterLock.acknowledgedGeneration(in: directory) == 0)
        lock.noteAcknowledged(generation)
        #expect(try WriterLock.acknowledgedGeneration(in: directory) == generation)
    }

    @Test func `a damaged generation number is ignored`() throws {
        let place = try TemporaryPath().makeDirectory()
        let directory = try PrivateDirectory(path: place.path, creating: false)
        try WriterLock(in: directory, creating: true).noteAcknowledged(0x0102_0304_0506)
        let path = place.path + "/" + StoreLocation.writerLockName
        let good = try Data(contentsOf: URL(filePath: path))
        #expect(good.count == 16)
        for bit in 0..<128 {
            var note = good
            note[bit / 8] ^= 1 << UInt8(bit % 8)
            try overwrite(path, note)
            #expect(try WriterLock.acknowledgedGeneration(in: directory) == 0)
        }
        for count in 0..<16 {
            try overwrite(path, good.prefix(count))
            #expect(try WriterLock.acknowledgedGeneration(in: directory) == 0)
        }
    }

    private func overwrite(_ path: String, _ data: Data) throws {
        let handle = try FileHandle(forWritingTo: URL(filePath: path))
        defer { try? handle.close() }
        try handle.truncate(atOffset: 0)
        try handle.write(contentsOf: data)
    }

    private func openLock(_ path: String) throws -> CInt {
        let file = open(path + "/" + StoreLocation.writerLockName, O_RDWR | O_CLOEXEC)
        try #require(file >= 0)
        return file
    }
}
