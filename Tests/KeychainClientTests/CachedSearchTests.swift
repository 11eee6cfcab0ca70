// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTestSupport
import Testing

/// A process whose search is answered from its cache sees what other processes change, delete or lock.
@Suite struct CachedSearchTests {
    /// Starts two processes that use the same store, and adds an item.
    private func withProcesses(
        _ body: (_ store: URL, _ reader: ChildProcess, _ writer: ChildProcess) throws -> Void
    ) throws {
        try TestTool.withDirectory { directory in
            let store = directory.appending(component: "store")
            let children = try (0..<2).map { _ in try TestTool.start(over: store) }
            defer { for child in children { child.end() } }
            #expect(try children[1].ask("add canary canary-old") == "0")
            try body(store, children[0], children[1])
        }
    }

    /// Repeats a search, so that the process caches its result.
    private func prime(_ child: ChildProcess, _ answer: String, to search: String = "copy canary") throws {
        for _ in 0..<4 { #expect(try child.ask(search) == answer) }
    }

    @Test func `an update by another process is seen`() throws {
        try withProcesses { _, one, other in
            var answer = "0 canary-old"
            for round in 0..<6 {
                let (reader, writer) = round.isMultiple(of: 2) ? (one, other) : (other, one)
                try prime(reader, answer)
                try prime(writer, answer)
                #expect(try writer.ask("update canary canary-\(round)") == "0")
                answer = "0 canary-\(round)"
                #expect(try reader.ask("copy canary") == answer)
            }
        }
    }

    @Test func `a deletion and a new item of another process are seen`() throws {
        try withProcesses { _, reader, writer in
            try prime(reader, "0 canary-old")
            #expect(try writer.ask("delete canary") == "0")
            #expect(try reader.ask("copy canary") == "-25300 ")
            #expect(try writer.ask("add canary canary-new") == "0")
            try prime(reader, "0 canary-new")
            #expect(try writer.ask("delete canary") == "0")
            #expect(try writer.ask("add canary canary-newer") == "0")
            #expect(try reader.ask("copy canary") == "0 canary-newer")
        }
    }

    @Test(arguments: LockedStore.cacheLocations, ["data", "attributes"])
    func `a lock by any process is seen`(
        cacheLocation: LockedStore.CacheLocation,
        returned: String
    ) throws {
        let store = try LockedStore(keysIn: cacheLocation)
        let children = try (0..<2).map { _ in try store.start() }
        defer { for child in children { child.end() } }
        #expect(try children[0].ask("protected add ak canary") == "0")
        let search = "protected \(returned) ak canary"
        for who in children {
            for child in children { try prime(child, "0", to: search) }
            #expect(try who.ask("lock") == "0")
            for child in children { #expect(try child.ask(search) == "-25308") }
            #expect(try who.ask("unlock \(LockedStore.passcode)") == "0")
        }
    }

    @Test func `the last commit of a killed writer is seen`() throws {
        try withProcesses { store, reader, writer in
            try prime(reader, "0 canary-old")
            let index = try LogIndexFile(of: store)
            let before = try index.copies()
            #expect(before.first == before.second)
            #expect(try writer.ask("update canary canary-new") == "0")
            #expect(writer.end() == .killed(SIGKILL))
            // A commit writes the second copy, then the first; the writer is killed between the two.
            try index.write(before.first, to: 0)
            #expect(try reader.ask("copy canary") == "0 canary-new")
            // The reader has recovered the index.
            let after = try index.copies()
            #expect(after.first == after.second)
            try prime(reader, "0 canary-new")
        }
    }

    @Test func `a commit that wraps the counter of commits is seen`() throws {
        try withProcesses { store, reader, writer in
            let index = try LogIndexFile(of: store)
            let header = try LogIndexFile.header(index.copies().first, withCounter: .max)
            for copy in 0..<2 { try index.write(header, to: copy) }
            try prime(reader, "0 canary-old")
            #expect(try LogIndexFile.counter(of: index.copies().first) == .max)
            #expect(try writer.ask("update canary canary-new") == "0")
            #expect(try LogIndexFile.counter(of: index.copies().first) == 0)
            #expect(try reader.ask("copy canary") == "0 canary-new")
        }
    }

    @Test func `a replaced or removed directory is detected after a limited number of reads`() throws {
        try withProcesses { store, reader, writer in
            func nextAnswer(after answer: String) throws -> String {
                // The files are checked at the latest after 4,096 reads.
                for _ in 0..<4_096 {
                    let next = try reader.ask("copy canary")
                    if next != answer { return next }
                }
                return answer
            }
            try prime(reader, "0 canary-old")
            let moved = store.deletingLastPathComponent().appending(component: "moved")
            try FileManager.default.moveItem(at: store, to: moved)
            #expect(try writer.ask("add canary canary-new") == "0")
            #expect(try nextAnswer(after: "0 canary-old") == "0 canary-new")
            try prime(reader, "0 canary-new")
            try FileManager.default.removeItem(at: store)
            #expect(try nextAnswer(after: "0 canary-new") == "-25300 ")
        }
    }

    @Test func `a forked child and its parent see each other's updates`() throws {
        try withProcesses { _, process, _ in
            try prime(process, "0 canary-old")
            let updated = try process.ask("fork-update canary canary-new")
            let answers = try [updated] + (0..<3).map { _ in try process.readLine() }
            #expect(answers == ["0", "0 canary-new", "child 0", "0 canary-new-child"])
        }
    }
}

/// The two copies of the header in the WAL index (`-shm`) of a store that only other processes have open.
///
/// Source: https://sqlite.org/walformat.html
private struct LogIndexFile {
    private static let headerSize = 48
    private static let (counterOffset, checksumOffset) = (8, 40)

    private let file: FileHandle

    init(of store: URL) throws {
        file = try FileHandle(forUpdating: store.appending(component: "keychain.db-shm"))
    }

    func copies() throws -> (first: Data, second: Data) {
        try file.seek(toOffset: 0)
        let bytes = try #require(try file.read(upToCount: 2 * Self.headerSize))
        try #require(bytes.count == 2 * Self.headerSize)
        return (Data(bytes.prefix(Self.headerSize)), Data(bytes.suffix(Self.headerSize)))
    }

    func write(_ header: Data, to copy: Int) throws {
        try file.seek(toOffset: UInt64(copy * Self.headerSize))
        try file.write(contentsOf: header)
    }

    static func counter(of header: Data) -> UInt32 { word(of: header, at: counterOffset) }

    /// Returns the header with another number of commits and a correct checksum.
    static func header(_ header: Data, withCounter counter: UInt32) -> Data {
        var header = header
        set(counter, in: &header, at: counterOffset)
        var sums: (UInt32, UInt32) = (0, 0)
        for offset in stride(from: 0, to: checksumOffset, by: 8) {
            sums.0 &+= word(of: header, at: offset) &+ sums.1
            sums.1 &+= word(of: header, at: offset + 4) &+ sums.0
        }
        set(sums.0, in: &header, at: checksumOffset)
        set(sums.1, in: &header, at: checksumOffset + 4)
        return header
    }

    private static func word(of header: Data, at offset: Int) -> UInt32 {
        header.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: UInt32.self) }
    }

    private static func set(_ word: UInt32, in header: inout Data, at offset: Int) {
        withUnsafeBytes(of: word) { header.replaceSubrange(offset..<offset + 4, with: $0) }
    }
}
