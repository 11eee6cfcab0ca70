// SPDX-License-Identifier: Apache-2.0

import KeychainModel
import KeychainSync
import Testing

/// A server that changes, drops, restores or moves what the devices have written.
@Suite struct LyingServerTests {
    typealias Pair = LyingTransport.Pair

    enum Lie: CaseIterable, Sendable {
        case alteredRecord, swappedRecords, droppedRecord, restoredRecord, forgedRecord, strangersRecord,
            droppedHead, restoredHead, forgedManifest, strangersManifest, droppedTombstone, olderRevision

        /// A device that is no member of the circle.
        private static let stranger = DeviceKeys.random()

        var expected: [SyncError] {
            switch self {
            case .alteredRecord, .swappedRecords, .droppedRecord, .forgedRecord, .droppedTombstone,
                .restoredRecord, .strangersRecord:
                [.inconsistent]
            case .droppedHead, .restoredHead, .olderRevision: [.rolledBack, .inconsistent]
            case .forgedManifest, .strangersManifest: [.manifestInvalid]
            }
        }

        /// Returns the falsified pairs; `former` contains the pairs before the last change.
        func apply(_ pairs: [Pair], former: [Pair]) -> [Pair] {
            var changed = pairs
            let records = pairs.indices.filter { pairs[$0].key.contains("/r/") }
            let heads = pairs.indices.filter { pairs[$0].key.contains("/h/") }
            switch self {
            case .alteredRecord: for index in records { changed[index].value[200] ^= 1 }
            case .swappedRecords:
                if records.count > 1 {
                    changed[records[0]].value = pairs[records[1]].value
                    changed[records[1]].value = pairs[records[0]].value
                }
            case .droppedRecord, .droppedTombstone:
                if let last = records.max(by: { pairs[$0].revision < pairs[$1].revision }) {
                    changed.remove(at: last)
                }
            case .restoredRecord, .restoredHead:
                for index in self == .restoredHead ? heads : records {
                    if let old = former.first(where: { $0.key == pairs[index].key }) {
                        changed[index].value = old.value
                    }
                }
            case .forgedRecord:
                for index in records {
                    changed[index].value.replaceSubrange(80..<96, with: repeatElement(7, count: 16))
                }
            case .strangersRecord:
                for index in records { changed[index].value = Self.recordByStranger(pairs[index].value) }
            case .droppedHead: changed.removeAll { $0.key.contains("/h/") }
            case .forgedManifest:
                // Add a manifest under the key of version 3, with the bytes of the last manifest in `former`.
                if var last = former.last(where: { $0.key.contains("/m/") }) {
                    last.key.removeLast()
                    last.key.append("3")
                    changed.append(last)
                }
            case .strangersManifest: changed += Self.manifestByStranger(after: former)
            case .olderRevision: break
            }
            return changed
        }

        /// Returns a record with the same name, which the stranger has sealed and validly signed.
        private static func recordByStranger(_ bytes: [UInt8]) -> [UInt8] {
            guard var header = Record(decoding: bytes)?.header else { return bytes }
            header.device = stranger.identifier
            return Record(
                header,
                CircleFixture.item("one", "forged"),
                under: CircleFixture.keys(epoch: header.epoch),
                by: stranger
            ).encoded
        }

        /// Returns a device list that adds the stranger as an admin and starts a new key epoch.
        ///
        /// It is a valid successor of the last manifest, except that the stranger has signed it.
        private static func manifestByStranger(after pairs: [Pair]) -> [Pair] {
            guard let last = pairs.last(where: { $0.key.contains("/m/") }),
                let former = Manifest(decoding: last.value),
                let manifest = CircleFixture.next(
                    after: former,
                    CircleFixture.keys(epoch: former.epoch + 1),
                    by: stranger,
                    { $0.members.append((stranger.publicKeys, .admin, "stranger")) }
                )
            else { return [] }
            let paths = CirclePaths(circle: manifest.circle.hexadecimal, generation: manifest.generation)
            let key = paths.manifest(manifest.version)
            return [Pair(key: key, value: manifest.encoded, revision: last.revision)]
        }
    }

    @Test(arguments: Lie.allCases)
    func
        `a falsified answer is noticed, nothing of it is applied, and correct answers are accepted afterwards`(
            lie: Lie
        ) async throws
    {
        let server = try await EtcdServer()
        defer { server.end() }
        let first = try Device(server)
        let transport = LyingTransport(try server.transport())
        let second = try Device(server, over: transport)
        try await first.circle.create(named: "first", first.configuration)
        try await second.join(first)
        for account in ["one", "two"] { try first.add(account, "old") }
        try await first.agent.synchronize()
        try await second.agent.synchronize()
        let observer = try server.client()
        let former = try await observer.range(prefix: "/kc/1/").entries.map { Pair($0) }
        await observer.shutdown()
        for account in ["one", "two"] { try first.update(account, "new") }
        if lie == .droppedTombstone { try first.delete("two") }
        try await first.agent.synchronize()

        if lie == .olderRevision { transport.goBack(by: 4) }
        transport.tell { lie.apply($0, former: former) }
        let error = await #expect(throws: SyncError.self) { try await second.agent.synchronize() }
        #expect(error.map { lie.expected.contains($0) } == true, "\(String(describing: error))")
        #expect(try second.value("one") == "old")
        #expect(try second.value("two") == "old")
        #expect(try second.circle.devices().count == 2)

        transport.tell(nil)
        transport.goBack(by: 0)
        try await second.agent.synchronize()
        #expect(try second.value("one") == "new")
        #expect(try second.value("two") == (lie == .droppedTombstone ? nil : "new"))
        await first.end()
        await second.end()
    }

    @Test func `the same answers are accepted if nothing in them was changed`() async throws {
        try await DevicePair.run(over: { LyingTransport($0) }) { pair, transport in
            transport.tell { $0 }
            for account in ["one", "two"] { try pair.first.add(account, "old") }
            try await pair.first.agent.synchronize()
            try await pair.second.agent.synchronize()
            try pair.first.update("one", "new")
            try pair.first.delete("two")
            try await pair.first.agent.synchronize()
            try await pair.second.agent.synchronize()
            #expect(try pair.second.value("one") == "new")
            #expect(try pair.second.value("two") == nil)
        }
    }
}
