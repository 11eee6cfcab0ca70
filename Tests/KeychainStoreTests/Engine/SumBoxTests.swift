// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import KeychainStore
import Testing

/// Stores in whose header an encrypted box of bucket sums (multiset hashes) was changed without the device key.
@Suite struct SumBoxTests {
    private static let boxes = (first: 40, count: 8, bytes: 296)

    private func header(of store: SampleStore) throws -> [UInt8] {
        let digits = try #require(try store.sql("SELECT hex(content) FROM page WHERE id = 0")[0][0])
        let values = Array(digits).compactMap { Character(UnicodeScalar($0)).hexDigitValue }
        return stride(from: 0, to: values.count, by: 2).map { UInt8(values[$0] * 16 + values[$0 + 1]) }
    }

    private func write(_ header: [UInt8], to store: SampleStore) throws {
        let digits = header.map { String(format: "%02x", $0) }.joined()
        try store.sql("UPDATE page SET content = x'\(digits)' WHERE id = 0")
    }

    private func range(of box: Int) -> Range<Int> {
        let start = Self.boxes.first + box * Self.boxes.bytes
        return start..<start + Self.boxes.bytes
    }

    @Test func `a change of an item changes one box, and putting the earlier one back is refused`() throws {
        let store = try SampleStore()
        let earlier = try header(of: store)
        let update = UpdateRequest(filter: SampleStore.samples[5].filter, secret: SecretBuffer("newer".utf8))
        _ = try store.open().perform(.update(update), for: SampleStore.caller)
        let current = try header(of: store)
        let changed = (0..<Self.boxes.count).filter { current[range(of: $0)] != earlier[range(of: $0)] }
        #expect(changed.count == 1)
        var mixed = current
        for box in changed { mixed.replaceSubrange(range(of: box), with: earlier[range(of: box)]) }
        try write(mixed, to: store)
        #expect(throws: StatusError(.undecodable, .headerDamaged)) { try store.open() }
        try write(current, to: store)
        #expect(try store.open().verified().isIntact)
    }

    @Test func `a header with swapped or missing boxes is refused`() throws {
        let store = try SampleStore()
        let current = try header(of: store)
        var swapped = current
        swapped.replaceSubrange(range(of: 0), with: current[range(of: 7)])
        swapped.replaceSubrange(range(of: 7), with: current[range(of: 0)])
        var missing = current
        missing.removeSubrange(range(of: 3))
        for changed in [swapped, missing] {
            try write(changed, to: store)
            let before = try store.contents()
            #expect(throws: StatusError(.undecodable, .headerDamaged)) { try store.open() }
            #expect(try store.contents() == before)
        }
    }

    /// An item is authenticated by its own row; only the bucket sums can prove that no row is missing.
    @Test func `with damaged sums, items are found, and no item is reported missing`() throws {
        let store = try SampleStore()
        var damaged = try header(of: store)
        for box in 0..<Self.boxes.count { damaged[range(of: box).lowerBound + 30] ^= 1 }
        try write(damaged, to: store)
        let before = try store.contents()
        let keychain = try store.open()
        for sample in SampleStore.samples {
            let items = try keychain.find(sample.filter)
            #expect(items.count == 1 && sample.matches(items[0]))
        }
        var missing = SampleStore.samples[5].filter
        missing.attributes[.account] = .string("missing")
        let refused = StatusError(.undecodable, .headerDamaged)
        #expect(throws: refused) { try keychain.find(missing) }
        #expect(throws: refused) { try keychain.list(.genericPassword) }
        let update = UpdateRequest(filter: SampleStore.samples[5].filter, secret: SecretBuffer("newer".utf8))
        #expect(throws: refused) { try keychain.perform(.update(update), for: SampleStore.caller) }
        #expect(try store.contents()["keychain.db"] == before["keychain.db"])
        #expect(try keychain.verified().problems == [.header])
    }

    @Test func `damaged sums are repaired without losing an item`() throws {
        let store = try SampleStore()
        var damaged = try header(of: store)
        damaged[range(of: 4).lowerBound + 30] ^= 1
        try write(damaged, to: store)
        let location = store.location(creating: false)
        let summary = try EmbeddedKeychain.repair(at: location, dryRun: false, named: "test") { _, _ in true }
        defer { if let copy = summary.copy { try? FileManager.default.removeItem(atPath: copy) } }
        #expect(summary.verification.problems == [.header])
        #expect(summary.salvaged == SampleStore.samples.count + 1)
        #expect(try store.open(creating: false).verified().isIntact)
    }
}
