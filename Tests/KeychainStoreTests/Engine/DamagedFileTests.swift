// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import KeychainStore
import KeychainTestSupport
import Testing

/// Damaged files never cause wrong values, crashes or silently missing items.
@Suite struct DamagedFileTests {
    /// Reads a whole store and reports every wrong or missing item.
    ///
    /// For a damaged store, an error with a reason is correct, unless it is `itemNotFound`.
    ///
    /// - Returns: Descriptions of the wrong or missing items.
    static func wrongItems(in store: SampleStore) -> [String] {
        let keychain: EmbeddedKeychain
        do throws(StatusError) {
            keychain = try store.open()
        } catch {
            return error.reason == nil ? ["opening the store failed without a reason"] : []
        }
        var lies: [String] = []
        for (number, sample) in SampleStore.samples.enumerated() {
            do throws(StatusError) {
                let items = try keychain.find(sample.filter)
                if items.count != 1 || !sample.matches(items[0]) { lies.append("item \(number) is wrong") }
            } catch {
                if error.status == .itemNotFound || error.reason == nil {
                    lies.append("item \(number): \(error)")
                }
            }
        }
        for itemClass in [ItemClass.genericPassword, .internetPassword] {
            do throws(StatusError) {
                let expected = SampleStore.samples.filter { $0.filter.itemClass == itemClass }
                let items = try keychain.list(itemClass)
                if items.count != expected.count {
                    lies.append("\(items.count) of \(expected.count) \(itemClass)")
                }
                for item in items where !expected.contains(where: { $0.matches(item) }) {
                    lies.append("an item that was never added")
                }
            } catch {
                if error.status == .itemNotFound || error.reason == nil {
                    lies.append("list \(itemClass): \(error)")
                }
            }
        }
        return lies
    }

    @Test(arguments: [true, false])
    func `an undamaged store returns its contents`(log: Bool) throws {
        let store = try SampleStore(log: log)
        #expect(Self.wrongItems(in: store) == [])
        let keychain = try store.open()
        for sample in SampleStore.samples { #expect(try keychain.find(sample.filter).count == 1) }
        #expect(try keychain.list(.genericPassword).count == 24)
        #expect(try keychain.list(.internetPassword).count == 6)
    }

    static let cuts: [(String, Bool)] = [
        ("keychain.db", false), ("keychain.db", true), ("keychain.db-wal", true),
    ]

    @Test(arguments: cuts)
    func `a truncated file is detected and left unchanged`(name: String, log: Bool) throws {
        let store = try SampleStore(log: log)
        let whole = try Data(contentsOf: store.file(name))
        let step = max(whole.count / 150, 1)
        let counts = Array(stride(from: 0, to: whole.count, by: step)) + [whole.count - 1]
        for count in Sampling.some(25, of: counts, for: "\(name) cut short") {
            try store.change(name) { $0 = whole.prefix(count) }
            let before = try store.contents()
            #expect(Self.wrongItems(in: store) == [], "\(count) of \(whole.count) bytes")
            #expect(try store.contents() == before, "\(count) of \(whole.count) bytes")
            try? FileManager.default.removeItem(at: store.file("keychain.db-shm"))
        }
    }

    static let flipped: [(String, Bool, UInt64)] = [
        ("keychain.db", false, 1), ("keychain.db", false, 2), ("keychain.db-wal", true, 3),
    ]

    @Test(arguments: flipped)
    func `a flipped bit is detected and left unchanged`(name: String, log: Bool, seed: UInt64) throws {
        let store = try SampleStore(log: log)
        let whole = try Data(contentsOf: store.file(name))
        var generator = SeededGenerator(seed: seed)
        let bits = (0..<600).map { _ in
            let offset = Self.offset(in: whole.count, &generator)
            return (offset: offset, flip: UInt8(1) << UInt8.random(in: 0..<8, using: &generator))
        }
        for (offset, flip) in Sampling.some(60, of: bits, for: "bits of \(name), seed \(seed)") {
            try store.overwrite(name, at: offset, with: whole[offset] ^ flip)
            #expect(Self.wrongItems(in: store) == [], "\(name), byte \(offset) flipped by \(flip)")
            #expect(try Data(contentsOf: store.file(name))[offset] == whole[offset] ^ flip)
            try store.overwrite(name, at: offset, with: whole[offset])
            try? FileManager.default.removeItem(at: store.file("keychain.db-shm"))
        }
        #expect(try Data(contentsOf: store.file(name)) == whole)
        #expect(Self.wrongItems(in: store) == [])
    }

    /// Returns a random offset in a file; half of the offsets are in page headers, where SQLite stores its own
    /// fields.
    private static func offset(in count: Int, _ generator: inout SeededGenerator) -> Int {
        guard Bool.random(using: &generator) else { return .random(in: 0..<count, using: &generator) }
        let page = Int.random(in: 0..<max(count / 4_096, 1), using: &generator)
        return min(page * 4_096 + .random(in: 0..<160, using: &generator), count - 1)
    }

    @Test func `a change of any bit of the device key is detected`() throws {
        let store = try SampleStore()
        let whole = try Data(contentsOf: store.file("device.key"))
        for offset in whole.indices {
            try store.overwrite("device.key", at: offset, with: whole[offset] ^ (1 << UInt8(offset % 8)))
            #expect(throws: StatusError(.notAvailable, .deviceKeyDamaged)) { try store.open() }
        }
    }

    /// Flips one bit in some of the first 108 bytes: SQLite's file header and the b-tree header of the first page.
    @Test func `a flipped bit of the first page is detected`() throws {
        let store = try SampleStore()
        let whole = try Data(contentsOf: store.file("keychain.db"))
        for offset in Sampling.some(30, of: 0..<108, for: "bytes of the first page") {
            let flip = UInt8(1) << UInt8(offset % 8)
            try store.overwrite("keychain.db", at: offset, with: whole[offset] ^ flip)
            #expect(Self.wrongItems(in: store) == [], "byte \(offset) flipped by \(flip)")
            try store.overwrite("keychain.db", at: offset, with: whole[offset])
            try? FileManager.default.removeItem(at: store.file("keychain.db-shm"))
        }
    }
}

extension SampleStore {
    func overwrite(_ name: String, at offset: Int, with byte: UInt8) throws {
        let handle = try FileHandle(forWritingTo: file(name))
        defer { try? handle.close() }
        try handle.seek(toOffset: UInt64(offset))
        try handle.write(contentsOf: Data([byte]))
    }
}
