// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainTestSupport
import Testing

/// The cause of a status, as `KeychainControl.lastFailure` and `KEYCHAIN_LOG` report it in a child process.
@Suite struct LastFailureTests {
    /// A problem of a store, and the explanation that a program must give for it.
    struct Fault: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let status: Int32
        let problem: String
        /// Damages the store at this path, and returns environment variables for the program that then opens
        /// it.
        let spoil: @Sendable (_ store: String) throws -> [String: String]
    }

    static let faults: [Fault] = [
        Fault(testDescription: "no home directory", status: -25291, problem: "there is no home directory") {
            ["KEYCHAIN_HOME": "", "HOME": $0 + "/nowhere"]
        },
        Fault(testDescription: "a directory open to others", status: -25291, problem: "run chmod 700") {
            #expect(chmod($0, 0o755) == 0)
            return [:]
        },
        Fault(testDescription: "a file open to others", status: -25291, problem: "device.key is open to") {
            #expect(chmod($0 + "/device.key", 0o644) == 0)
            return [:]
        },
        Fault(testDescription: "a missing device key", status: -25291, problem: "device.key is missing") {
            try FileManager.default.removeItem(atPath: $0 + "/device.key")
            return [:]
        },
        Fault(
            testDescription: "a file that is not a database",
            status: -25291,
            problem: "keychain.db is damaged"
        ) {
            try? FileManager.default.removeItem(atPath: $0 + "/keychain.db-wal")
            try Data(repeating: 0x63, count: 8_192).write(to: URL(filePath: $0 + "/keychain.db"))
            return [:]
        },
        Fault(testDescription: "an unavailable backend", status: -25291, problem: "KEYCHAIN_BACKEND") {
            _ in
            ["KEYCHAIN_BACKEND": "nonsense"]
        },
        Fault(testDescription: "a broken entitlements file", status: -34018, problem: "entitlements file") {
            let file = $0 + "/../broken.plist"
            try? Data("canary".utf8).write(to: URL(filePath: file))
            return ["KEYCHAIN_ENTITLEMENTS": file]
        },
    ]

    @Test(arguments: faults)
    func `the last failure explains the problem`(fault: Fault) throws { try check(fault) }

    @Test(.enabled(if: geteuid() == 0, "only root can give a file to another user"))
    func `the last failure names the file of another user`() throws {
        try check(
            Fault(
                testDescription: "a file of another user",
                status: -25291,
                problem: "device.key belongs to another user"
            ) {
                #expect(chown($0 + "/device.key", 65_534, 65_534) == 0)
                return [:]
            }
        )
    }

    private func check(_ fault: Fault) throws {
        try TestTool.withDirectory { directory in
            let store = directory.appending(component: "store")
            let first = try TestTool.start(over: store)
            #expect(try first.ask("add canary canary") == "0")
            #expect(try first.ask("failure") == "none")
            first.end()
            let child = try TestTool.start(over: store, environment: try fault.spoil(store.path))
            defer { child.end() }
            #expect(try child.ask("copy canary") == "\(fault.status) ")
            let failure = try child.ask("failure")
            #expect(failure.hasPrefix("\(fault.status) "))
            #expect(failure.contains(fault.problem), "\(failure)")
            #expect(!failure.contains(directory.path), "an error must not contain a path")
        }
    }

    @Test func `the last failure distinguishes a lock from a forbidden, missing or failing prompt`() throws {
        let store = try LockedStore(keysIn: .runtimeDirectory)
        let display = ["DISPLAY": ":77"]
        let rows: [(environment: [String: String], call: String, problem: String)] = [
            (
                display.merging(["KEYCHAIN_PINENTRY": ""]) { $1 }, "data",
                "an empty KEYCHAIN_PINENTRY forbids it"
            ),
            (
                display.merging(["KEYCHAIN_PINENTRY": "/nonexistent/pinentry"]) { $1 }, "data",
                "pinentry program cannot be started"
            ),
            (
                display.merging(["KEYCHAIN_PINENTRY": "/bin/false"]) { $1 }, "data",
                "pinentry program failed"
            ),
            ([:], "data", "neither a terminal nor a display"),
            (display, "forbidden", "the call forbids interaction"),
        ]
        for row in rows {
            let child = try TestTool.start(
                over: store.store,
                environment: store.environment.merging(row.environment) { $1 },
                at: .noTerminal
            )
            defer { child.end() }
            _ = try child.ask("protected constrain ak canary-a")
            #expect(try child.ask("protected \(row.call) ak canary-a") == "-25308")
            let failure = try child.ask("failure")
            #expect(failure.hasPrefix("-25308 ") && failure.contains(row.problem), "\(failure)")
        }
        let child = try TestTool.start(over: store.store, environment: store.environment)
        defer { child.end() }
        #expect(try child.ask("protected add ak canary-b") == "0")
        #expect(try child.ask("lock") == "0")
        #expect(try child.ask("protected data ak canary-b") == "-25308")
        #expect(try child.ask("failure").contains("the keychain is locked"))
    }

    @Test func `KEYCHAIN_LOG=stderr writes a line for each failure and none for a success`() throws {
        try TestTool.withDirectory { directory in
            let store = directory.appending(component: "store")
            let child = try ChildProcess(
                "/bin/sh",
                ["-c", "exec \"$0\" 2>&1", TestTool.executable],
                environment: ["KEYCHAIN_HOME": store.path, "KEYCHAIN_LOG": "stderr"]
            )
            defer { child.end() }
            #expect(try child.ask("add canary-account canary-secret") == "0")
            let line = try child.ask("add canary-account canary-secret")
            #expect(line.hasPrefix("keychain[\(child.process)]: errSecDuplicateItem (-25299): "))
            #expect(!line.contains("canary"))
            #expect(try child.readLine() == "-25299")
            #expect(try child.ask("copy canary-account") == "0 canary-secret")
        }
    }
}
