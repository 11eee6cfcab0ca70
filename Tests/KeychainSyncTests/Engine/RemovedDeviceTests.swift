// SPDX-License-Identifier: Apache-2.0

import KeychainModel
import KeychainStore
import KeychainSync
import Testing

/// What a removed device that still reads etcd can decrypt with the keys that it has.
@Suite struct RemovedDeviceTests {
    /// Adds a device whose private keys the test has.
    private func add(_ device: DeviceKeys, to first: Device) async throws {
        let invitation = try await first.circle.invite(as: .member)
        let (code, manifest) = (invitation.code, invitation.offer.manifest)
        let request = JoinRequest(device, name: "removed", manifest: manifest, code: code)
        var transaction = EtcdTransaction()
        let key = CirclePaths.request(code.identifier.hexadecimal)
        transaction.changes = [(key, request.sealed(with: code))]
        _ = try await first.client.commit(transaction)
        try await first.circle.accept(request, of: invitation)
        try await first.agent.synchronize()
    }

    private func newestManifest(_ entries: [EtcdEntry]) throws -> Manifest {
        let manifests = entries.compactMap { entry in entry.value.flatMap { Manifest(decoding: $0) } }
        return try #require(manifests.max { $0.version < $1.version })
    }

    @Test func `the keys of a removed device decrypt nothing that is written afterwards`() async throws {
        try await DevicePair.run { pair in
            let removed = DeviceKeys.random()
            try await add(removed, to: pair.first)
            try pair.first.add("account", "before")
            try await pair.first.agent.synchronize()
            var entries = try await pair.first.client.range(prefix: "/kc/1/").entries
            var manifest = try newestManifest(entries)
            let keys = try #require(manifest.keys(of: removed))
            var records = entries.compactMap { entry in entry.value.flatMap { Record(decoding: $0) } }
            #expect(!records.isEmpty && records.allSatisfy { $0.open(under: keys) != nil })

            try await pair.first.circle.remove(removed.identifier)
            try await pair.synchronize()
            try pair.first.update("account", "after")
            try pair.second.add("other", "after")
            try await pair.synchronize()
            #expect(try pair.second.value("account") == "after")
            entries = try await pair.first.client.range(prefix: "/kc/1/").entries
            manifest = try newestManifest(entries)
            #expect(manifest.epoch == keys.epoch + 1)
            for member in manifest.members { #expect(removed.box.open(member.sealedKeys) == nil) }
            // Every record and `Head` names the new key epoch, so the old keys are tried under its number.
            let tried = EpochKeys(epoch: manifest.epoch, key: keys.key, index: keys.index)
            records = entries.compactMap { entry in entry.value.flatMap { Record(decoding: $0) } }
            let heads = entries.compactMap { entry in entry.value.flatMap { Head(decoding: $0) } }
            #expect(records.count == 2 && heads.count == 2)
            for record in records {
                #expect(record.header.epoch == manifest.epoch)
                #expect(record.open(under: tried) == nil && record.open(under: keys) == nil)
            }
            for head in heads { #expect(head.open(under: tried) == nil) }
        }
    }
}
