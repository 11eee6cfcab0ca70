// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import KeychainStore
import KeychainTestSupport
import Testing

@Suite struct BackupTests {
    // These properties keep the temporary stores until the end of the test.
    private let sample: SampleStore
    private let empty: SampleStore

    init() throws {
        sample = try SampleStore()
        empty = try SampleStore(filling: [])
    }

    /// The samples that a backup contains: those whose protection class is not `ThisDeviceOnly`.
    private static let copied = SampleStore.samples.filter { sample in
        guard case .string(let name)? = sample.attributes[.accessible] else { return true }
        return !name.hasSuffix("u")
    }

    @Test func `a restored store has the items that leave the device, and no others`() throws {
        let backup = try Backup(of: sample.open())
        #expect(backup.summary.items == UInt64(Self.copied.count))
        #expect(backup.summary.thisDeviceOnly == UInt64(SampleStore.samples.count - Self.copied.count))
        let keychain = try empty.open()
        let summary = try backup.restore(into: keychain)
        #expect(summary.added == Self.copied.count)
        #expect(summary.replaced == 0 && summary.skipped == 0)
        for sample in SampleStore.samples {
            let found = try? keychain.find(sample.filter)
            guard Self.copied.contains(where: { $0.filter == sample.filter }) else {
                #expect(found == nil)
                continue
            }
            let item = try #require(found?.first)
            #expect(sample.matches(item))
        }
        #expect(try empty.open().verified().isIntact)
    }

    @Test func `dates and access groups are restored`() throws {
        let source = try sample.open()
        let target = try empty.open()
        try Backup(of: source).restore(into: target)
        for sample in Self.copied {
            let old = try source.find(sample.filter)[0]
            let new = try target.find(sample.filter)[0]
            for attribute in [Attribute.creationDate, .modificationDate, .accessGroup, .synchronizable] {
                #expect(new.attributes[attribute] == old.attributes[attribute])
            }
        }
    }

    @Test(arguments: RestoreConflict.allCases, [true, false])
    func `an existing item follows the policy`(conflicts: RestoreConflict, dryRun: Bool) throws {
        let keychain = try sample.open()
        let backup = try Backup(of: keychain)
        let before = try sample.contents()
        guard conflicts != .fail else {
            #expect(throws: StatusError(.duplicateItem)) {
                try backup.restore(into: keychain, conflicts: conflicts, dryRun: dryRun)
            }
            return #expect(try keychain.verified().intact == SampleStore.samples.count + 1)
        }
        let summary = try backup.restore(into: keychain, conflicts: conflicts, dryRun: dryRun)
        #expect(summary.added == 0)
        #expect(summary.skipped == (conflicts == .skip ? Self.copied.count : 0))
        #expect(summary.replaced == (conflicts == .replace ? Self.copied.count : 0))
        if dryRun { #expect(try sample.contents() == before) }
        #expect(try keychain.verified().isIntact)
        for sample in SampleStore.samples {
            #expect(try sample.matches(keychain.find(sample.filter)[0]))
        }
    }

    @Test func `a wrong passphrase restores nothing`() throws {
        let backup = try Backup(of: sample.open())
        let target = try empty.open()
        #expect(throws: StatusError(.authenticationFailed, .wrongPassphrase)) {
            try backup.restore(into: target, passphrase: "canary wrong")
        }
        #expect(try target.verified().intact == 1)
    }

    @Test func `a truncated backup restores nothing`() throws {
        let backup = try Backup(of: sample.open())
        let target = try empty.open()
        let lengths = Sampling.some(24, of: Array(0..<backup.bytes.count), for: "lengths of a backup")
        for length in lengths + [backup.bytes.count - 1] {
            var shorter = backup
            shorter.bytes = Array(backup.bytes.prefix(length))
            #expect(throws: StatusError.self) { try shorter.restore(into: target) }
        }
        var longer = backup
        longer.bytes.append(0)
        #expect(throws: StatusError(.undecodable, .malformedBackup)) { try longer.restore(into: target) }
        #expect(try target.verified().intact == 1)
    }

    @Test func `a backup with a changed byte restores nothing`() throws {
        let backup = try Backup(of: sample.open())
        let target = try empty.open()
        // Changes any byte except the cost bytes 8 and 9: a higher cost is valid, and only takes longer.
        let offsets = Array(0..<8) + Array(10..<backup.bytes.count)
        for offset in Sampling.some(24, of: offsets, for: "bytes of a backup") {
            var changed = backup
            changed.bytes[offset] ^= 0x10
            #expect(throws: StatusError.self) { try changed.restore(into: target) }
        }
        #expect(try target.verified().intact == 1)
    }

    @Test func `a backup with reordered chunks restores nothing`() throws {
        let store = try SampleStore(filling: Self.large)
        defer { withExtendedLifetime(store) {} }
        let backup = try Backup(of: store.open())
        var chunks: [ArraySlice<UInt8>] = []
        var rest = backup.bytes.dropFirst(48)
        while !rest.isEmpty {
            let length = rest.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
            chunks.append(rest.prefix(4 + length))
            rest = rest.dropFirst(4 + length)
        }
        #expect(chunks.count > 2)
        let target = try empty.open()
        let header = backup.bytes.prefix(48)
        for order in [[1, 0], [0], [0, 0]] {
            var changed = backup
            let kept = order.map { chunks[$0] } + (order.count == 2 ? chunks[2...] : [])
            changed.bytes = Array(header) + kept.flatMap { $0 }
            #expect(throws: StatusError(.undecodable, .malformedBackup)) { try changed.restore(into: target) }
        }
        #expect(try target.verified().intact == 1)
        #expect(try backup.restore(into: target).added == Self.large.count)
    }

    private static let large: [SampleStore.Sample] = (0..<4).map { number in
        var attributes = Attributes()
        attributes[.account] = .string("large \(number)")
        let filter = ItemFilter(itemClass: .genericPassword, attributes: attributes)
        return .init(
            filter: filter,
            attributes: attributes,
            secret: SecretBuffer([UInt8](repeating: 0x5a, count: 100_000))
        )
    }

    @Test func `a canceled restore changes nothing`() throws {
        let backup = try Backup(of: sample.open())
        let target = try empty.open()
        var calls = 0
        #expect(throws: StatusError(.userCanceled, .changesCanceled)) {
            try backup.restore(into: target) { _, _ in
                calls += 1
                return calls == 1
            }
        }
        #expect(try target.verified().intact == 1)
    }

    @Test func `the source can be changed while it is backed up`() throws {
        let store = try SampleStore(filling: Self.large)
        defer { withExtendedLifetime(store) {} }
        let (reader, other) = (try store.open(), try store.open())
        var written = 0
        let passphrase = Backup.secret(Backup.passphrase)
        let summary = try reader.backUp(under: passphrase, cost: Backup.cost, { _, _ in true }) {
            _ throws(StatusError) in
            written += 1
            guard written == 2 else { return }
            let filter = ItemFilter(itemClass: .genericPassword, synchronizable: .any)
            _ = try other.perform(.delete(DeleteRequest(filter: filter)), for: SampleStore.caller)
        }
        #expect(summary.items == UInt64(Self.large.count))
    }

    @Test func `a locked store is not backed up`() throws {
        let store = try LockedStore(keysIn: LockedStore.cacheLocations[0])
        defer { withExtendedLifetime(store) {} }
        var attributes = Attributes()
        attributes[.account] = .string("canary")
        let item = NewItem(itemClass: .genericPassword, attributes: attributes, secret: nil)
        _ = try store.keychain.perform(.add(item), for: SampleStore.caller)
        try store.keychain.lock()
        let error = #expect(throws: StatusError.self) { try Backup(of: store.keychain) }
        #expect(error?.reason == .classKeyAbsent)
    }
}
