// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainTestSupport
import Testing

/// A command prefix that makes file modes apply to root, too.
private let bound = ["setpriv", "--bounding-set", "-dac_override,-dac_read_search"]
private let usualPath = ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"]

@Suite struct StoreLocationTests {
    /// Adds an item in a program with this environment, and returns the paths of the databases it created.
    private func place(_ environment: [String: String], in directory: URL) throws -> [String] {
        let child = try ChildProcess(TestTool.executable, environment: environment)
        defer { child.end() }
        #expect(try child.ask("add canary canary") == "0")
        #expect(try child.ask("copy canary") == "0 canary")
        return try FileManager.default.subpathsOfDirectory(atPath: directory.path)
            .filter { $0.hasSuffix("keychain.db") }.sorted()
    }

    @Test func `the store location is taken from the first set variable`() throws {
        try TestTool.withDirectory { directory in
            let (home, data, store) = (
                "\(directory.path)/home", "\(directory.path)/data", "\(directory.path)/store"
            )
            try Self.makeHome(home)
            let first = try place(
                ["KEYCHAIN_HOME": store, "XDG_DATA_HOME": data, "HOME": home],
                in: directory
            )
            #expect(first == ["store/keychain.db"])
            let second = try place(["KEYCHAIN_HOME": "", "XDG_DATA_HOME": data, "HOME": home], in: directory)
            #expect(second == ["data/keychain/keychain.db"] + first)
            let third = try place(["XDG_DATA_HOME": "relative", "HOME": home], in: directory)
            #expect(third == ["data/keychain/keychain.db", "home/.local/share/keychain/keychain.db"] + first)
        }
    }

    @Test func `all created files are private`() throws {
        try TestTool.withDirectory { directory in
            try Self.makeHome(directory.path + "/home")
            _ = try place(["HOME": directory.path + "/home"], in: directory)
            let files = try FileManager.default.subpathsOfDirectory(atPath: directory.path)
            #expect(files.contains("home/.local/share/keychain/device.key"))
            for file in files {
                let attributes = try FileManager.default.attributesOfItem(atPath: directory.path + "/" + file)
                let mode = try #require(attributes[.posixPermissions] as? Int)
                #expect(mode & 0o077 == 0, "\(file)")
            }
        }
    }

    @Test func `a missing home directory is not created`() throws {
        try TestTool.withDirectory { directory in
            let child = try ChildProcess(
                TestTool.executable,
                environment: ["HOME": directory.path + "/home"]
            )
            defer { child.end() }
            #expect(try child.ask("add canary canary") == "-25291")
            #expect(try FileManager.default.subpathsOfDirectory(atPath: directory.path).isEmpty)
        }
    }

    private static func makeHome(_ path: String) throws {
        try FileManager.default.createDirectory(
            atPath: path,
            withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700]
        )
    }

    @Test(arguments: [
        (["HOME": "relative"], "-25291"), (["KEYCHAIN_HOME": "/proc/no/such/place"], "0"),
        (["KEYCHAIN_HOME": "/dev/null"], "-25291"),
    ])
    func `an impossible store location returns errSecNotAvailable`(
        environment: [String: String],
        count: String
    ) throws {
        let child = try ChildProcess(TestTool.executable, environment: environment)
        defer { child.end() }
        #expect(try child.ask("add canary canary") == "-25291")
        #expect(try child.ask("count") == count)
    }

    @Test func `reading, changing and locking create no store, and adding an item creates one`() throws {
        try TestTool.withDirectory { directory in
            let store = directory.appending(component: "store")
            let child = try TestTool.start(over: store)
            defer { child.end() }
            #expect(try child.ask("copy canary") == "-25300 ")
            #expect(try child.ask("failure").contains("there is no keychain"))
            #expect(try child.ask("update canary canary") == "-25300")
            #expect(try child.ask("delete canary") == "-25300")
            #expect(try child.ask("state") == "-25294")
            #expect(try child.ask("unlock canary") == "-25294")
            #expect(try child.ask("lock") == "-25294")
            #expect(!FileManager.default.fileExists(atPath: store.path))
            #expect(try child.ask("add canary canary") == "0")
            #expect(try child.ask("copy canary") == "0 canary")
        }
    }

    @Test(
        .enabled("if run as root, needs setpriv, so that file modes apply") {
            guard geteuid() == 0 else { return true }
            let process = try ChildProcess("/usr/bin/env", bound + ["true"], environment: usualPath)
            return try process.wait() == .exited(0)
        }
    )
    func `a read-only directory without a store is reported as having none`() throws {
        try TestTool.withDirectory { directory in
            let store = directory.appending(component: "store")
            try Self.makeHome(store.path)
            #expect(chmod(store.path, 0o500) == 0)
            let child = try ChildProcess(
                "/usr/bin/env",
                (geteuid() == 0 ? bound : []) + [TestTool.executable],
                environment: usualPath.merging(["KEYCHAIN_HOME": store.path]) { $1 }
            )
            defer { child.end() }
            #expect(try child.ask("copy canary") == "-25300 ")
            #expect(try child.ask("failure").contains("there is no keychain"))
            #expect(try FileManager.default.contentsOfDirectory(atPath: store.path).isEmpty)
        }
    }

    @Test(arguments: [("embedded", "0"), ("", "0"), ("daemon", "-25291"), ("nonsense", "-25291")])
    func `the requested backend is used or fails`(backend: String, status: String) throws {
        try TestTool.withDirectory { directory in
            let store = directory.appending(component: "store")
            let child = try TestTool.start(over: store, environment: ["KEYCHAIN_BACKEND": backend])
            defer { child.end() }
            #expect(try child.ask("add canary canary") == status)
            #expect(FileManager.default.fileExists(atPath: store.path) == (status == "0"))
        }
    }

    @Test func `running programs detect that the store was removed and recreated`() throws {
        try TestTool.withDirectory { directory in
            let store = directory.appending(component: "store")
            let reader = try TestTool.start(over: store)
            defer { reader.end() }
            let writer = try TestTool.start(over: store)
            defer { writer.end() }
            #expect(try reader.ask("add canary-old canary") == "0")
            #expect(try writer.ask("copy canary-old") == "0 canary")
            try FileManager.default.moveItem(at: store, to: directory.appending(component: "away"))
            #expect(try writer.ask("add canary-new canary") == "0")
            Thread.sleep(forTimeInterval: 0.1)
            #expect(try reader.ask("copy canary-new") == "0 canary")
            #expect(try reader.ask("copy canary-old") == "-25300 ")
            try FileManager.default.removeItem(at: store)
            #expect(try writer.ask("add canary-newer canary") == "0")
            #expect(try reader.ask("add canary-newer canary") == "-25299")
            #expect(try reader.ask("count") == "1")
        }
    }

    @Test func `a removed writer lock is recreated and used by both writers`() throws {
        try TestTool.withDirectory { directory in
            let store = directory.appending(component: "store")
            let one = try TestTool.start(over: store)
            defer { one.end() }
            #expect(try one.ask("add canary-1 canary") == "0")
            try FileManager.default.removeItem(at: store.appending(component: "writer.lock"))
            let other = try TestTool.start(over: store)
            defer { other.end() }
            #expect(try other.ask("add canary-2 canary") == "0")
            #expect(try one.ask("add canary-3 canary") == "0")
            #expect(try one.ask("count") == "3")
        }
    }

    @Test func `a relative KEYCHAIN_HOME is rejected and no store is created`() throws {
        try TestTool.withDirectory { directory in
            let child = try ChildProcess(TestTool.executable, environment: ["KEYCHAIN_HOME": "store"])
            defer { child.end() }
            #expect(try child.ask("cd \(directory.path)") == "0")
            #expect(try child.ask("add canary-1 canary") == "-25291")
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).isEmpty)
        }
    }

    @Test func `a forked child whose parent exited shares the store with new programs`() throws {
        try TestTool.withDirectory { directory in
            let store = directory.appending(component: "store")
            let child = try TestTool.start(over: store)
            defer { child.end() }
            #expect(try child.ask("add canary canary") == "0")
            try child.send("orphan canary 400")
            var opened = 0
            var lines: [String] = []
            while let line = try child.readLine(), line != "done" {
                lines.append(line)
                guard lines.count % 10 == 0 else { continue }
                let other = try TestTool.start(over: store)
                defer { other.end() }
                opened += 1
                #expect(try other.ask("add canary-other-\(opened) canary") == "0")
            }
            #expect(lines == lines.indices.map { "added canary-\($0)" })
            let last = try TestTool.start(over: store)
            defer { last.end() }
            let count = try #require(Int(last.ask("count")))
            #expect((0...1).contains(count - 1 - opened - lines.count))
            #expect(lines.count == 400)
        }
    }

    @Test func `threads of a forked child add items at the same time`() throws {
        try TestTool.withDirectory { directory in
            let child = try TestTool.start(over: directory.appending(component: "store"))
            defer { child.end() }
            #expect(try child.ask("add canary canary") == "0")
            #expect(try child.ask("fork-threads canary 50") == "child 0")
            #expect(try child.ask("count") == "151")
        }
    }

    @Test func `a forked child opens the store itself`() throws {
        try TestTool.withDirectory { directory in
            let store = directory.appending(component: "store")
            let child = try TestTool.start(over: store)
            defer { child.end() }
            #expect(try child.ask("add canary canary") == "0")
            #expect(try child.ask("fork canary") == "child 0")
            #expect(try child.ask("copy canary-child") == "0 canary")
            #expect(try child.ask("add canary-after canary") == "0")
            #expect(try child.ask("count") == "3")
        }
    }
}
