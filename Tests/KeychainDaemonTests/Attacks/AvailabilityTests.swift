// SPDX-License-Identifier: Apache-2.0

import CKeychainLinux
import Foundation
import Glibc
import KeychainClient
import KeychainModel
import KeychainTestSupport
import Testing

/// Attacks on the availability of the daemon, which must serve other clients meanwhile and afterwards.
@Suite struct AvailabilityTests {
    private static let caller = Caller(applicationIdentifier: "TEAM.test", accessGroups: ["TEAM.app"])

    private static func openFiles(_ daemon: TestedService) throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/\(daemon.process())/fd").count
    }

    @Test(
        .enabled(if: SystemDaemon.isPossible, "needs root, to read the daemon's open files"),
        arguments: TestedService.Kind.allCases
    )
    func `connections that send garbage do not disturb other clients`(kind: TestedService.Kind) throws {
        let count = Sampling.isThorough ? 10_000 : 1_000
        try TestedService.with(kind) { daemon in
            let client = daemon.client()
            try NumberedItems.add(1, to: client)
            // The allowance of 50 is for files of the store that reads may open.
            let before = try Self.openFiles(daemon) + 50
            for number in 0..<count {
                let garbage = (0..<Int.random(in: 1...300)).map { _ in UInt8.random(in: 0...255) }
                try RawClient(to: daemon.socketPath).send(garbage)
                if number.isMultiple(of: 500) { #expect(try NumberedItems.isStored(1, in: client)) }
            }
            #expect(try NumberedItems.isStored(1, in: client))
            // The daemon closes each connection when it reads the end of its input.
            for _ in 0..<60_000 where try Self.openFiles(daemon) > before { usleep(1_000) }
            #expect(try Self.openFiles(daemon) <= before)
        }
    }

    @Test(arguments: TestedService.Kind.allCases)
    func `a client that sends a message slowly is disconnected, and others are served meanwhile`(
        kind: TestedService.Kind
    ) throws {
        try TestedService.with(kind) { daemon in
            let client = daemon.client()
            try NumberedItems.add(1, to: client)
            let slow = try RawClient.introduced(to: daemon.socketPath)
            let secret = SecretBytes(text: String(repeating: "a", count: 4_000))
            let bytes = RawClient.request(.secret(.beginMigration, SentSecret(secret))).frames
            var isOpen = true
            // A message must arrive within 5 s; sending these 80 bytes, which are part of one, takes at least 16 s.
            for byte in bytes.prefix(80) where isOpen {
                isOpen = [byte].withUnsafeBytes { clinux_send(slow.socket, $0.baseAddress, 1) } == 1
                #expect(try NumberedItems.isStored(1, in: client))
                usleep(200_000)
            }
            #expect(!isOpen)
        }
    }

    @Test(arguments: TestedService.Kind.allCases)
    func `programs that are killed during a call do not disturb other clients`(
        kind: TestedService.Kind
    ) throws {
        try TestedService.with(kind) { daemon in
            let client = daemon.client()
            var last = 0
            for round in 0..<(Sampling.isThorough ? 100 : 10) {
                let program = try daemon.startTool()
                try program.send("fill canary-\(round) 1000")
                _ = try program.readLine()
                program.end()
                try NumberedItems.add(round, to: client)
                last = round
            }
            for round in 0...last { #expect(try NumberedItems.isStored(round, in: client)) }
        }
    }

    /// Checks that on a full disk of the user service additions fail, and that items can be read and deleted.
    ///
    /// `AttackMatrixTests` calls this function.
    static func checkFullDisk() throws {
        try TestTool.withDirectory { directory in
            let script = """
                mount -t tmpfs -o size=2m,mode=700 keychain "$0/disk" || { echo no mounts; exit; }
                exec "$1" --user
                """
            try FileManager.default.createDirectory(
                at: directory.appending(component: "disk"),
                withIntermediateDirectories: false
            )
            let daemon = try ChildProcess(
                "/usr/bin/unshare",
                ["--mount", "/bin/sh", "-c", script, directory.path, DaemonProcess.executable],
                environment: [
                    "XDG_RUNTIME_DIR": directory.path, "KEYCHAIN_HOME": directory.path + "/disk/store",
                    "PATH": "/usr/bin:/bin",
                ]
            )
            defer { daemon.end() }
            try #require(try daemon.readLine()?.hasSuffix(": ready") == true)
            let client = DaemonKeychain(at: .ofUser(runtimeDirectory: directory.path), claim: Self.caller)
            var stored = 0
            var failure: StatusError?
            while failure == nil, stored < 1_000 {
                do throws(StatusError) {
                    _ = try client.perform(Self.addition(stored), for: Self.caller, with: .none)
                    stored += 1
                } catch {
                    failure = error
                }
            }
            #expect(failure?.status == .diskFull)
            for number in 0..<stored { #expect(try Self.isFound(number, in: client)) }
            for number in 0..<stored / 2 {
                _ = try client.perform(
                    .delete(DeleteRequest(filter: Self.filter(number))),
                    for: Self.caller,
                    with: .none
                )
            }
            _ = try client.perform(Self.addition(stored), for: Self.caller, with: .none)
            #expect(try Self.isFound(stored, in: client))
            #expect(try !Self.isFound(0, in: client))
        }
    }

    private static func addition(_ number: Int) -> Request {
        var attributes = Attributes()
        attributes[.account] = .string("canary \(number)")
        attributes[.accessible] = .string("ak")
        let secret = SecretBuffer([UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 100_000))
        return .add(NewItem(itemClass: .genericPassword, attributes: attributes, secret: secret))
    }

    private static func filter(_ number: Int) -> ItemFilter {
        var attributes = Attributes()
        attributes[.account] = .string("canary \(number)")
        return ItemFilter(itemClass: .genericPassword, attributes: attributes)
    }

    private static func isFound(_ number: Int, in client: DaemonKeychain) throws -> Bool {
        do throws(StatusError) {
            let copy = CopyRequest(filter: filter(number), returning: .data)
            guard case .items(let items) = try client.perform(.copy(copy), for: caller, with: .none) else {
                return false
            }
            return items.first?.secret?.count == 100_000
        } catch {
            guard error.status == .itemNotFound else { throw error }
            return false
        }
    }
}
