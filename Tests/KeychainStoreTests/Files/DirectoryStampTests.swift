// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

@testable import KeychainStore

@Suite struct DirectoryStampTests {
    /// Returns the stamp of a directory (its identity and modification time) once every later change must alter it.
    private func settledStamp(of path: String) throws -> DirectoryStamp {
        while true {
            let stamp = try #require(DirectoryStamp(ofPath: path))
            if stamp.isSettled { return stamp }
            usleep(10_000)
        }
    }

    @Test func `a stamp changes when a name is added, replaced or removed`() throws {
        let directory = try TemporaryPath().makeDirectory()
        try directory.write("a", "canary")
        let (a, b) = (directory.path + "/a", directory.path + "/b")
        let changes: [() throws -> Void] = [
            { try directory.write("b", "canary") },
            { try #require(rename(b, a) == 0) },
            { try #require(link(a, b) == 0) },
            { try #require(unlink(b) == 0) },
        ]
        for change in changes {
            let before = try settledStamp(of: directory.path)
            #expect(DirectoryStamp(ofPath: directory.path) == before)
            try change()
            #expect(DirectoryStamp(ofPath: directory.path) != before)
        }
    }

    @Test func `a stamp stays the same when a file is written`() throws {
        let directory = try TemporaryPath().makeDirectory()
        try directory.write("a", "canary")
        let before = try settledStamp(of: directory.path)
        let file = try #require(FileHandle(forWritingAtPath: directory.path + "/a"))
        try file.write(contentsOf: Data("canary".utf8))
        #expect(DirectoryStamp(ofPath: directory.path) == before)
    }

    @Test func `a directory that was changed just now is not settled`() throws {
        let directory = try TemporaryPath().makeDirectory()
        var stamp: DirectoryStamp?
        // Repeats if the process was paused between the write and the stamp: some time after a change, the stamp is
        // settled.
        for attempt in 0..<100 where stamp?.isSettled != false {
            try directory.write("\(attempt)", "canary")
            stamp = DirectoryStamp(ofPath: directory.path)
        }
        #expect(stamp?.isSettled == false)
    }

    @Test func `another directory at the path has another stamp`() throws {
        let (first, second) = (try TemporaryPath().makeDirectory(), try TemporaryPath().makeDirectory())
        let stamp = try #require(DirectoryStamp(ofPath: first.path))
        #expect(DirectoryStamp(ofPath: second.path) != stamp)
        #expect(DirectoryStamp(ofPath: first.path + "/missing") == nil)
    }
}
