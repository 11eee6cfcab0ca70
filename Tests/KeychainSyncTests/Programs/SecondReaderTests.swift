// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import KeychainStore
import KeychainSync
import KeychainTestSupport
import Testing

/// An independent implementation of the protocol in Python: `Tests/Fixtures/read_circle.py`.
private enum SecondReader {
    static let fixtures = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(component: "Fixtures")

    static let isAvailable: ConditionTrait = .enabled(
        "the second reader needs python3 with cryptography (apt-get install python3-cryptography)"
    ) {
        try run(["-c", "import cryptography.hazmat.primitives.poly1305"]).status == .exited(0)
    }

    /// The Python of the system, because one from PATH may lack Debian's packages.
    private static let interpreter =
        FileManager.default.isExecutableFile(atPath: "/usr/bin/python3") ? "/usr/bin/python3" : "python3"

    static func run(
        _ words: [String],
        input: Data = Data()
    ) throws -> (
        output: Data, status: ChildProcess.Ending
    ) {
        let process = try ChildProcess(
            "/usr/bin/env",
            [interpreter, "-B"] + words,
            environment: ProcessInfo.processInfo.environment
        )
        defer { process.end() }
        if !input.isEmpty { try process.send(String(decoding: input, as: UTF8.self)) }
        process.finishInput()
        let lines = try process.readLines()
        return (Data(lines.joined(separator: "\n").utf8), try process.wait())
    }

    static func read(_ source: CircleDump, _ options: String...) throws -> Data {
        let input = try JSONEncoder().encode(source)
        let script = fixtures.appending(component: "read_circle.py").path
        let (output, status) = try run([script] + options, input: input)
        try #require(status == .exited(0))
        return output
    }
}

/// The entries of a circle in etcd, and the private keys of one of its devices.
private struct CircleDump: Codable {
    var seed: String
    var box: String
    var entries: [String: String]

    init(_ device: Device) async throws {
        let keys = try device.keychain.readSynchronization { session throws(StatusError) in
            try session.page(0, sealedLike: .afterFirstUnlockThisDeviceOnly) ?? []
        }
        (seed, box) = (Array(keys[..<32]).hexadecimal, Array(keys[32..<64]).hexadecimal)
        entries = [:]
        for entry in try await device.client.range(prefix: "/kc/1/").entries where !entry.key.hasSuffix(".t")
        {
            entries[entry.key] = (entry.value ?? []).hexadecimal
        }
    }
}

private struct CircleContents: Codable, Equatable {
    struct Item: Codable, Equatable {
        var attributes: [String: String]
        var value: String?
    }

    struct Record: Codable, Equatable {
        var device, name: String
        var clock: UInt64
        var kind: Int
        var item: Item?
    }

    struct Head: Codable, Equatable {
        var device: String
        var sequence: UInt64
    }

    var generation, epoch, version: Int
    var members: [String: String]
    var removed: [String: Int]
    var heads: [Head]
    var records: [Record]

    /// The values by account; tombstones are omitted.
    var values: [String: String] {
        var values: [String: String] = [:]
        for item in records.compactMap(\.item) {
            values[Self.text(item.attributes["acct"]) ?? ""] = Self.text(item.value)
        }
        return values
    }

    private static func text(_ digits: String?) -> String? {
        guard let digits else { return nil }
        var (bytes, rest) = ([UInt8](), digits[...])
        while let byte = UInt8(rest.prefix(2), radix: 16) {
            bytes.append(byte)
            rest = rest.dropFirst(2)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

@Suite(SecondReader.isAvailable) struct SecondReaderTests {
    private static let large = String(repeating: "ä", count: 3_000)

    /// Calls the closure with the entries of a circle that was rebuilt, and that has removed a device.
    private func withCircle(_ body: (Device, CircleDump) async throws -> Void) async throws {
        try await DevicePair.run { pair in
            for (account, value) in [("one", "1"), ("deleted", "2"), ("large", Self.large), ("Zoë", "")] {
                try pair.first.add(account, value)
            }
            try await pair.synchronize()
            try pair.second.update("one", "changed")
            try pair.second.delete("deleted")
            try await pair.synchronize()
            _ = try await pair.first.circle.rebuild()
            try pair.first.add("again deleted", "3")
            try await pair.synchronize()
            try pair.second.update("one", "at last")
            try pair.first.delete("again deleted")
            try await pair.second.agent.synchronize()
            let leaving = try #require(pair.second.circle.devices().first { $0.isThisDevice })
            try await pair.first.circle.remove(leaving.identifier)
            let third = try Device(pair.server)
            do {
                try await third.join(pair.first, as: .readOnly)
                await pair.first.agent.reload()
                try await pair.first.agent.synchronize()
                try await body(pair.first, CircleDump(third))
            } catch {
                await third.end()
                throw error
            }
            await third.end()
        }
    }

    @Test func `an independent implementation reads the same members, heads and records`() async throws {
        try await withCircle { first, dump in
            let output = try SecondReader.read(dump)
            let contents = try JSONDecoder().decode(CircleContents.self, from: output)
            #expect(contents.generation == 2 && contents.epoch == 3 && contents.version == 5)
            #expect(contents.members == ["first": "admin", "second": "read-only"])
            #expect(contents.removed.count == 1 && contents.heads.count == 1)
            #expect(contents.values == ["one": "at last", "large": Self.large, "Zoë": ""])
            for (account, value) in contents.values { #expect(try first.value(account) == value) }
            for record in contents.records where record.item == nil { #expect(record.kind == 1) }
            if let path = ProcessInfo.processInfo.environment["KEYCHAIN_WRITE_CIRCLE"] {
                try JSONEncoder().encode(dump).write(to: URL(filePath: path + "/circle.json"))
                try output.write(to: URL(filePath: path + "/circle-contents.json"))
            }
        }
    }

    @Test func `an independent implementation refuses entries after the change of any byte`() async throws {
        try await withCircle { _, dump in
            // Changing every byte would take minutes.
            let step = Sampling.isThorough ? 5 : 97
            let output = try SecondReader.read(dump, "--flip", "\(step)", "\(Sampling.seed % UInt64(step))")
            let changes = try JSONDecoder().decode([String: Int].self, from: output)["changes"] ?? 0
            #expect(changes > 20)
        }
    }

    @Test func `a stored circle is read by both implementations`() throws {
        let source = try Data(contentsOf: SecondReader.fixtures.appending(component: "circle.json"))
        let dump = try JSONDecoder().decode(CircleDump.self, from: source)
        let stored = try Data(contentsOf: SecondReader.fixtures.appending(component: "circle-contents.json"))
        let expected = try JSONDecoder().decode(CircleContents.self, from: stored)
        #expect(try JSONDecoder().decode(CircleContents.self, from: SecondReader.read(dump)) == expected)

        let values = dump.entries.sorted { $0.key < $1.key }.map { ($0.key, Self.bytes($0.value)) }
        let manifests = values.compactMap { Manifest(decoding: $0.1) }
        let newest = try #require(manifests.last)
        #expect(manifests[0].isValidFirst)
        for (former, later) in zip(manifests, manifests.dropFirst()) { #expect(later.isValid(after: former)) }
        let device = DeviceKeys(
            sign: Ed25519PrivateKey(seed: CircleFixture.secret(Self.bytes(dump.seed))),
            box: BoxPrivateKey(secret: CircleFixture.secret(Self.bytes(dump.box)))
        )
        let keys = try #require(newest.keys(of: device))
        let former = try #require(newest.formerKeys(under: keys, index: keys.index))
        let records = values.compactMap { Record(decoding: $0.1) }
        #expect(records.count == expected.records.count)
        for record in records {
            let author = try #require(newest.signingKey(of: record.header.device))
            #expect(record.isSigned(by: author))
            let content = try #require(record.open(under: record.header.epoch == keys.epoch ? keys : former))
            let known = expected.records.first { $0.name == record.header.name.bytes.hexadecimal }
            #expect(content.item?.value?.bytes.hexadecimal == known?.item?.value)
            if let item = content.item { #expect(keys.name(of: item) == record.header.name) }
        }
        let heads = values.compactMap { Head(decoding: $0.1) }
        #expect(heads.map(\.sequence) == expected.heads.map(\.sequence))
        for head in heads { #expect(head.open(under: head.epoch == keys.epoch ? keys : former) != nil) }
    }

    private static func bytes(_ digits: String) -> [UInt8] {
        let digits = Array(digits.utf8)
        return stride(from: 0, to: digits.count, by: 2).compactMap {
            UInt8(String(decoding: digits[$0..<$0 + 2], as: UTF8.self), radix: 16)
        }
    }
}
