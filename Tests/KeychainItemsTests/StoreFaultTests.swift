// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainTestSupport
import Testing

/// Programs that start with a missing, damaged, read-only or inaccessible store.
///
/// If the store is damaged or inaccessible, each call throws the reason instead of returning `nil`, and the stored
/// value is kept.
@Suite struct StoreFaultTests {
    /// A problem of a store, and the reason that calls throw.
    struct Fault: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let reason: String
        /// Damages the store at this path, or returns environment variables with which a program cannot use it.
        let spoil: @Sendable (_ store: String) throws -> [String: String]
    }

    static let faults: [Fault] = [
        Fault(testDescription: "a file that is not a database", reason: "damaged") {
            try? FileManager.default.removeItem(atPath: $0 + "/keychain.db-wal")
            try Data(repeating: 0x63, count: 8_192).write(to: URL(filePath: $0 + "/keychain.db"))
            return [:]
        },
        Fault(testDescription: "a database whose pages are overwritten", reason: "damaged") {
            try? FileManager.default.removeItem(atPath: $0 + "/keychain.db-wal")
            let file = URL(filePath: $0 + "/keychain.db")
            var bytes = try Data(contentsOf: file)
            // The first page stays intact, so that SQLite still opens the database.
            for index in bytes.indices where index >= 4_096 { bytes[index] = 0x63 }
            try bytes.write(to: file)
            return [:]
        },
        Fault(testDescription: "a missing device key", reason: "damaged") {
            try FileManager.default.removeItem(atPath: $0 + "/device.key")
            return [:]
        },
        Fault(testDescription: "another device key", reason: "damaged") {
            let file = URL(filePath: $0 + "/device.key")
            let count = try Data(contentsOf: file).count
            try Data(repeating: 0x63, count: count).write(to: file)
            return [:]
        },
        Fault(testDescription: "a directory open to others", reason: "unavailable") {
            #expect(chmod($0, 0o755) == 0)
            return [:]
        },
        Fault(testDescription: "a missing home directory", reason: "unavailable") {
            ["KEYCHAIN_HOME": "", "HOME": $0 + "/nowhere"]
        },
        Fault(testDescription: "a broken entitlements file", reason: "missingEntitlement") {
            let file = $0 + "/../broken.plist"
            try Data("canary".utf8).write(to: URL(filePath: file))
            return ["KEYCHAIN_ENTITLEMENTS": file]
        },
    ]

    /// Creates a store with a value and a copy of the store, and passes both directories to `body`.
    private func withStore(_ body: (_ store: URL, _ copy: URL) throws -> Void) throws {
        try TestTool.withDirectory { directory in
            let store = directory.appending(component: "store")
            let writer = try TestTool.start(over: store)
            #expect(try writer.ask("vault client set canary canary-old") == "done")
            writer.finishInput()
            #expect(try writer.wait() == .exited(0))
            let copy = directory.appending(component: "copy")
            try FileManager.default.copyItem(at: store, to: copy)
            try body(store, copy)
        }
    }

    @Test(arguments: faults, Backend.allCases)
    func `every call on a faulty store is an error with its reason`(fault: Fault, backend: Backend) throws {
        try withStore { store, copy in
            let child = try TestTool.start(over: store, environment: try fault.spoil(store.path))
            defer { child.end() }
            // The `SecItem` functions return the same status for damaged and for inaccessible files.
            let isDamaged = fault.reason == "damaged"
            let reason = isDamaged && backend == .secItem ? "unavailable" : fault.reason
            for call in [
                "get canary", "get absent", "contains canary", "items", "set canary canary-new",
                "set absent canary-new", "remove canary",
            ] {
                #expect(try child.ask("vault \(backend) \(call)") == "error \(reason)", "\(call)")
            }
            let verdict = fault.reason == "missingEntitlement" ? fault.reason : "unavailable"
            #expect(try child.ask("vault \(backend) diagnose") == verdict)
            let reader = try TestTool.start(over: copy)
            defer { reader.end() }
            #expect(try reader.ask("vault \(backend) get canary") == "value canary-old")
        }
    }

    @Test(arguments: Backend.allCases)
    func `without a store nothing exists, and the first item creates it`(backend: Backend) throws {
        try TestTool.withDirectory { directory in
            let store = directory.appending(component: "store")
            let child = try TestTool.start(over: store)
            defer { child.end() }
            #expect(try child.ask("vault \(backend) get canary") == "nil")
            #expect(try child.ask("vault \(backend) items") == "0 items")
            #expect(try child.ask("vault \(backend) remove canary") == "false")
            // The `SecItem` functions do not report whether a store exists.
            #expect(
                try child.ask("vault \(backend) diagnose") == (backend == .client ? "noStore" : "usable")
            )
            #expect(!FileManager.default.fileExists(atPath: store.path))
            #expect(try child.ask("vault \(backend) set canary canary-new") == "done")
            #expect(try child.ask("vault \(backend) get canary") == "value canary-new")
            #expect(try child.ask("vault \(backend) diagnose") == "usable")
        }
    }

    @Test(arguments: Backend.allCases)
    func `a store removed while open is created again, and a restored one is read`(
        backend: Backend
    ) throws {
        try withStore { store, copy in
            let child = try TestTool.start(over: store)
            defer { child.end() }
            #expect(try child.ask("vault \(backend) get canary") == "value canary-old")
            try FileManager.default.removeItem(at: store)
            #expect(try child.ask("vault \(backend) set other canary-new") == "done")
            #expect(try child.ask("vault \(backend) get canary") == "nil")
            try FileManager.default.removeItem(at: store)
            try FileManager.default.moveItem(at: copy, to: store)
            #expect(try child.ask("vault \(backend) set another canary-new") == "done")
            #expect(try child.ask("vault \(backend) get canary") == "value canary-old")
        }
    }

    @Test(.enabled("if the tests run as root, only setpriv makes file modes apply") { try Modes.apply() })
    func `a read-only store can be read, and a failed write keeps the value`() throws {
        try withStore { store, _ in
            for file in try FileManager.default.contentsOfDirectory(atPath: store.path) {
                #expect(chmod(store.path + "/" + file, 0o400) == 0)
            }
            #expect(chmod(store.path, 0o500) == 0)
            defer { _ = chmod(store.path, 0o700) }
            for backend in Backend.allCases {
                let child = try Modes.start(over: store)
                defer { child.end() }
                #expect(try child.ask("vault \(backend) get canary") == "value canary-old")
                for call in ["set canary canary-new", "set absent canary-new", "remove canary"] {
                    #expect(try child.ask("vault \(backend) \(call)") == "error readOnly", "\(call)")
                }
                #expect(try child.ask("vault \(backend) get canary") == "value canary-old")
                #expect(try child.ask("vault \(backend) get absent") == "nil")
                // The `SecItem` functions report a read-only store only when they write.
                let verdict = backend == .client ? "readOnly" : "usable"
                #expect(try child.ask("vault \(backend) diagnose") == verdict)
            }
        }
    }
}

/// Starts programs for which file modes are enforced, even if the tests run as root.
private enum Modes {
    private static let bound = ["setpriv", "--bounding-set", "-dac_override,-dac_read_search"]
    private static let path = ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"]

    static func apply() throws -> Bool {
        guard geteuid() == 0 else { return true }
        return try ChildProcess("/usr/bin/env", bound + ["true"], environment: path).wait() == .exited(0)
    }

    static func start(over store: URL) throws -> ChildProcess {
        let environment = [
            "KEYCHAIN_HOME": store.path,
            "KEYCHAIN_ENTITLEMENTS": store.deletingLastPathComponent()
                .appending(component: "\(store.lastPathComponent)-TEAM.app.plist").path,
        ]
        return try ChildProcess(
            "/usr/bin/env",
            (geteuid() == 0 ? bound : []) + [TestTool.executable],
            environment: environment.merging(path) { $1 }
        )
    }
}
