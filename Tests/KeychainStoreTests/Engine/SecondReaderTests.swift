// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import KeychainStore
import KeychainTestSupport
import Testing

/// An independent implementation of the formats in Python: `read_keychain.py` and `read_backup.py` in
/// `Tests/Fixtures`.
private enum SecondReader {
    static let script = GoldenStore.fixtures.appending(component: "read_keychain.py").path

    /// Enables a test if Python has the modules that the script needs; `Scripts/test` installs them.
    static let isAvailable: ConditionTrait = .enabled(
        "the independent reader needs python3 with cryptography and argon2 (apt-get install python3-cryptography python3-argon2)"
    ) {
        try run(["-c", "import argon2, cryptography.hazmat.primitives.ciphers.aead, sqlite3"]).status
            == .exited(0)
    }

    /// The Python of the system, because one from PATH may lack Debian's packages.
    private static let interpreter =
        FileManager.default.isExecutableFile(atPath: "/usr/bin/python3") ? "/usr/bin/python3" : "python3"

    static func run(_ arguments: [String]) throws -> (output: Data, status: ChildProcess.Ending) {
        let process = try ChildProcess(
            "/usr/bin/env",
            [interpreter, "-B"] + arguments,
            environment: ProcessInfo.processInfo.environment
        )
        process.finishInput()
        let lines = try process.readLines()
        return (Data(lines.joined(separator: "\n").utf8), try process.wait())
    }

    static func dump(_ directory: URL, _ words: String...) throws -> StoreDump {
        let (output, status) = try run([script, directory.path] + words)
        try #require(status == .exited(0))
        return try JSONDecoder().decode(StoreDump.self, from: output)
    }
}

@Suite(SecondReader.isAvailable) struct SecondReaderTests {
    @Test func `the independent reader finds the same items in a backup`() throws {
        let store = try SampleStore()
        defer { withExtendedLifetime(store) {} }
        let backup = try Backup(of: store.open())
        let file = FileManager.default.temporaryDirectory.appending(component: "backup-\(UUID())")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(backup.bytes).write(to: file)
        let script = GoldenStore.fixtures.appending(component: "read_backup.py").path
        let (output, status) = try SecondReader.run([script, file.path, Backup.passphrase])
        try #require(status == .exited(0))
        let contents = try JSONDecoder().decode(BackupContents.self, from: output)
        #expect(contents.items.count == Int(backup.summary.items))
        #expect(contents.thisDeviceOnly == backup.summary.thisDeviceOnly)
        let values = Set(contents.items.map(\.value))
        let expected = Set(
            SampleStore.samples.filter { sample in
                guard case .string(let name)? = sample.attributes[.accessible] else { return true }
                return !name.hasSuffix("u")
            }
            .map { $0.secret.map { $0.bytes.map { String(format: "%02x", $0) }.joined() } }
        )
        #expect(values == expected)
        #expect(try SecondReader.run([script, file.path, "wrong"]).status == .exited(1))
    }

    private struct BackupContents: Decodable {
        struct Item: Decodable {
            let value: String?
        }

        let items: [Item]
        let thisDeviceOnly: UInt64
    }

    @Test(arguments: [true, false])
    func `the independent reader finds the same items in a new store`(log: Bool) throws {
        let store = try SampleStore(log: log)
        let first = try StoreDump(store.open())
        let second = try SecondReader.dump(store.directory)
        #expect(second.items.count == SampleStore.samples.count + 1)
        #expect(second.items.map(\.reference) == first.items.map(\.reference))
        for (second, first) in zip(second.items, first.items) { #expect(second == first) }
        #expect(second == first)
    }

    @Test func `the independent reader finds the same items during and after a rotation of keys`() throws {
        let store = try SampleStore()
        let keychain = try store.open()
        try keychain.beginKeyRotation()
        let update = UpdateRequest(
            filter: SampleStore.samples[5].filter,
            attributes: [.label: .string("new")]
        )
        _ = try keychain.perform(.update(update), for: SampleStore.caller)
        #expect(try SecondReader.dump(store.directory) == StoreDump(keychain))
        #expect(try keychain.resumeKeyRotation { _, _ in true }.isComplete)
        #expect(try SecondReader.dump(store.directory) == StoreDump(keychain))
    }

    @Test(arguments: GoldenStore.all)
    func `the independent reader finds the same items in every golden store`(name: String) throws {
        try GoldenStore.withCopy(of: name) { location in
            let directory = URL(filePath: location.directory)
            let dump = try SecondReader.dump(directory)
            #expect(try dump == GoldenStore.contents(of: name))
        }
    }

    @Test(arguments: GoldenStore.locked)
    func `the independent reader finds the same items in golden stores with a passcode`(name: String) throws {
        try GoldenStore.withCopy(of: name) { location in
            let directory = URL(filePath: location.directory)
            let dump = try SecondReader.dump(directory, LockedGoldenContents.passcode)
            #expect(try dump == GoldenStore.contents(of: name))
            for passcode in [[], ["wrong"]] {
                let status = try SecondReader.run([SecondReader.script, directory.path] + passcode).status
                #expect(status == .exited(1))
            }
        }
    }

    @Test(arguments: GoldenStore.constrained)
    func `the independent reader finds the same items in stores with access controls`(name: String) throws {
        typealias Contents = ConstrainedGoldenContents
        try GoldenStore.withCopy(of: name) { location in
            let directory = URL(filePath: location.directory)
            let dump = try SecondReader.dump(directory, Contents.passcode, Contents.password)
            #expect(try dump == GoldenStore.contents(of: name))
            for words in [[Contents.passcode], [Contents.passcode, "wrong"], ["wrong", Contents.password]] {
                let status = try SecondReader.run([SecondReader.script, directory.path] + words).status
                #expect(status == .exited(1))
            }
        }
    }

    @Test(arguments: GoldenStore.fingers)
    func `the independent reader opens items that accept a finger or the passcode, with the passcode`(
        name: String
    ) throws {
        try GoldenStore.withCopy(of: name) { location in
            let directory = URL(filePath: location.directory)
            let password = ConstrainedGoldenContents.password
            let dump = try SecondReader.dump(directory, FingerGoldenContents.passcode, password)
            #expect(try dump == GoldenStore.contents(of: name))
        }
    }

    @Test func `the independent reader finds the same new items with access controls`() throws {
        let store = try SampleStore()
        let keychain = try store.open()
        try keychain.setPasscode(SecretBytes("canary one"), cost: LockedStore.cost)
        let credential = try ConstrainedGoldenContents.credential(of: keychain, "canary one", "canary two")
        try ConstrainedGoldenContents.add(to: keychain, with: credential)
        let first = try StoreDump(keychain, with: credential)
        #expect(first.items.count { $0.constraints != nil } == ConstrainedGoldenContents.controls.count)
        let second = try SecondReader.dump(store.directory, "canary one", "canary two")
        for (second, first) in zip(second.items, first.items) { #expect(second == first) }
        #expect(second == first)
    }

    @Test func `the independent reader finds the same items after unlocking, changes and locking`() throws {
        let store = try SampleStore()
        let keychain = try store.open()
        try keychain.setPasscode(SecretBytes("canary one"), cost: LockedStore.cost)
        try keychain.lock()
        try keychain.changePasscode(
            from: SecretBytes("canary one"),
            to: SecretBytes("canary \u{e9}"),
            cost: LockedStore.cost
        )
        let first = try StoreDump(keychain)
        try keychain.lock()
        let second = try SecondReader.dump(store.directory, "canary \u{e9}")
        #expect(second.items == first.items)
        _ = try keychain.removePasscode(SecretBytes("canary \u{e9}"))
        #expect(try SecondReader.dump(store.directory).items == first.items)
    }

    @Test(arguments: [
        "DELETE FROM item WHERE id = 3", "UPDATE item SET version = 9 WHERE id = 3", "DELETE FROM item_index",
        "UPDATE item SET secret = NULL WHERE id = 4", "UPDATE page SET content = zeroblob(672) WHERE id = 0",
        "PRAGMA user_version = 5", "UPDATE page SET content = zeroblob(508) WHERE id = 1",
    ])
    func `the independent reader rejects edited stores`(statement: String) throws {
        let store = try SampleStore()
        try store.sql(statement)
        let status = try SecondReader.run([SecondReader.script, store.directory.path]).status
        #expect(status == .exited(1))
    }
}
