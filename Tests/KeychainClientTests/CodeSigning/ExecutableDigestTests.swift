// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainClient
import KeychainModel
import KeychainStore
import KeychainTestSupport
import Testing

/// Computing the digest of an executable, and finding its signature.
@Suite struct ExecutableDigestTests {
    private let directory: TeamDirectory

    init() throws { directory = try TeamDirectory() }

    private func digest(_ name: String) throws -> ExecutableDigest {
        let file = FileDescriptor(open(directory.path + "/" + name, O_RDONLY | O_CLOEXEC))
        return try ExecutableDigest(of: file.number)
    }

    @Test(arguments: [0, 1, 100_000, 262_144, 262_145, 1_000_000])
    func `the digest equals the output of b2sum`(count: Int) throws {
        try directory.write((0..<count).map { UInt8(truncatingIfNeeded: $0 * 7) }, to: "file")
        let process = try ChildProcess(
            "/usr/bin/b2sum",
            ["-l", "256", directory.path + "/file"],
            environment: [:]
        )
        defer { process.end() }
        let line = try #require(try process.readLine())
        let digest = try digest("file")
        #expect(Hexadecimal.text(digest.digest.bytes) == line.prefix(64))
        #expect(digest.size == UInt64(count))
    }

    @Test func `a file above 512 MiB has no digest`() throws {
        try directory.write("", to: "file")
        truncate(directory.path + "/file", off_t(ExecutableDigest.maximumSize) + 1)
        #expect(throws: ExecutableDefect.tooLarge) { try digest("file") }
    }

    @Test func `only a regular file has a digest`() throws {
        mkdir(directory.path + "/folder", 0o755)
        #expect(throws: ExecutableDefect.notARegularFile) { try digest("folder") }
        #expect(throws: ExecutableDefect.unreadable(EBADF)) { try digest("missing") }
    }

    @Test func `writing to a file changes its status`() throws {
        try directory.write("before", to: "file")
        let file = FileDescriptor(open(directory.path + "/file", O_RDWR | O_CLOEXEC))
        let before = try ExecutableStatus(of: file.number)
        #expect(try ExecutableStatus(of: file.number) == before)
        #expect(pwrite(file.number, "longer than before", 18, 0) == 18)
        #expect(try ExecutableStatus(of: file.number) != before)
    }

    @Test func `a deleted file has a digest and no links`() throws {
        try directory.write("program", to: "file")
        let expected = try digest("file")
        let file = FileDescriptor(open(directory.path + "/file", O_RDONLY | O_CLOEXEC))
        unlink(directory.path + "/file")
        #expect(try ExecutableDigest(of: file.number) == expected)
        #expect(try ExecutableStatus(of: file.number).links == 0)
    }

    @Test func `an unsigned executable has a private group of its digest`() throws {
        try directory.write("program", to: "file")
        let group = try digest("file").privateGroup
        #expect(group.hasPrefix("unsigned."))
        #expect(TeamIdentifier(group.dropFirst("unsigned.".count)) != nil)
    }

    @Test func `a signature is read from the file beside the executable`() throws {
        try directory.write("program", to: "file")
        let path = directory.path + "/file"
        #expect(SignatureSource.read(path) == nil)
        try directory.write([1, 2, 3], to: "file.signature")
        #expect(SignatureSource.read(path) == [1, 2, 3])
    }

    @Test func `an oversized signature is read up to one byte beyond the limit`() throws {
        try directory.write("program", to: "file")
        try directory.write([UInt8](repeating: 1, count: 100_000), to: "file.signature")
        #expect(SignatureSource.read(directory.path + "/file")?.count == CodeSignature.maximumByteCount + 1)
    }

    @Test func `a FIFO or directory is not read as a signature`() throws {
        try directory.write("program", to: "file")
        mkfifo(directory.path + "/file.signature", 0o644)
        #expect(SignatureSource.read(directory.path + "/file") == nil)
        unlink(directory.path + "/file.signature")
        mkdir(directory.path + "/file.signature", 0o755)
        #expect(SignatureSource.read(directory.path + "/file") == nil)
    }

    @Test func `the extended attribute takes precedence over the file`() throws {
        try directory.write("program", to: "file")
        try directory.write([1, 2, 3], to: "file.signature")
        let path = directory.path + "/file"
        #expect(SignatureSource.writeAttribute([4, 5], to: path) == 0)
        #expect(SignatureSource.read(path) == [4, 5])
    }

    @Test func `an oversized extended attribute is refused, and takes precedence over the file`() throws {
        try directory.write("program", to: "file")
        try directory.write([1, 2, 3], to: "file.signature")
        let path = directory.path + "/file"
        // Many file systems, such as ext4, store no attributes of this size; tmpfs does.
        guard SignatureSource.writeAttribute([UInt8](repeating: 4, count: 20_000), to: path) == 0 else {
            return
        }
        let signature = try #require(SignatureSource.read(path))
        #expect(signature.count == CodeSignature.maximumByteCount + 1)
        #expect(throws: SignatureDamage.tooLong) { try CodeSignature(verifying: signature) }
    }

    @Test func `this test's executable has no signature`() {
        #expect(SignatureSource.ofThisProcess == nil)
    }
}
