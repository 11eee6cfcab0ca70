// SPDX-License-Identifier: Apache-2.0

import KeychainModel
import KeychainStore
import KeychainSync
import Testing

@Suite struct RecordTests {
    private let device = DeviceKeys.random()
    private let keys = CircleFixture.keys()

    private func header(_ item: SynchronizedItem?, kind: RecordKind = .item) -> RecordHeader {
        RecordHeader(
            circle: CircleFixture.circle,
            generation: 1,
            name: item.map { keys.name(of: $0) } ?? .zero,
            epoch: 1,
            device: device.identifier,
            sequence: 5,
            clock: HybridClock(time: 1_700_000_000_000, after: nil),
            base: .zero,
            kind: kind
        )
    }

    @Test func `a record opens to the item that was sealed`() throws {
        let item = try #require(CircleFixture.item("account"))
        let record = Record(header(item), item, under: keys, by: device)
        let decoded = try #require(Record(decoding: record.encoded))
        #expect(decoded == record)
        #expect(decoded.isSigned(by: device.sign.publicKey))
        #expect(try #require(decoded.open(under: keys)).item == item)
        #expect(decoded.open(under: CircleFixture.keys()) == nil)
        #expect(!decoded.isSigned(by: DeviceKeys.random().sign.publicKey))
    }

    @Test func `a tombstone has no item`() throws {
        let record = Record(header(nil, kind: .tombstone), nil, under: keys, by: device)
        let content = try #require(Record(decoding: record.encoded)?.open(under: keys))
        #expect(content.item == nil)
    }

    @Test func `a changed bit anywhere makes a record malformed or its signature invalid`() throws {
        let item = try #require(CircleFixture.item("account"))
        let record = Record(header(item), item, under: keys, by: device)
        for index in record.encoded.indices {
            var bytes = record.encoded
            bytes[index] ^= 1 << UInt8(index % 8)
            #expect(Record(decoding: bytes)?.isSigned(by: device.sign.publicKey) != true, "byte \(index)")
        }
        for count in 0..<record.encoded.count {
            #expect(Record(decoding: Array(record.encoded.prefix(count))) == nil)
        }
        #expect(Record(decoding: record.encoded + [0]) == nil)
    }

    /// A malicious member could sign a changed header, but the encrypted content is bound to the original header.
    @Test func `the sealed content does not open under another header`() throws {
        let item = try #require(CircleFixture.item("account"))
        let header = header(item)
        let record = Record(header, item, under: keys, by: device)
        var changes: [RecordHeader] = []
        for change in [
            { $0.name = .zero }, { $0.sequence += 1 }, { $0.device = .random() }, { $0.circle = .random() },
            { $0.generation += 1 }, { $0.clock = HybridClock(time: 0, after: nil) },
            { $0.base = SynchronizationCryptography.digest("other", []) },
        ] as [(inout RecordHeader) -> Void] {
            var changed = header
            change(&changed)
            changes.append(changed)
        }
        for changed in changes {
            let other = Record(changed, item, under: keys, by: device)
            // Combine the other record's header (125 bytes) with this record's encrypted content and signature.
            let headerCount = other.encoded.count - record.encoded.count + 125
            let bytes = Array(other.encoded.prefix(headerCount)) + record.encoded.dropFirst(125)
            #expect(Record(decoding: bytes)?.open(under: keys) == nil)
        }
    }

    @Test func `equal identities have equal names, and names reveal no identity`() throws {
        let item = try #require(CircleFixture.item("account"))
        let sameIdentity = try #require(CircleFixture.item("account", "other value", date: 1))
        let other = try #require(CircleFixture.item("account2"))
        #expect(keys.name(of: item) == keys.name(of: sameIdentity))
        #expect(keys.name(of: item) != keys.name(of: other))
        #expect(keys.name(of: item) != CircleFixture.keys().name(of: item))
    }

    @Test(arguments: [(1, 128), (128, 128), (129, 256), (4_096, 4_096), (4_097, 4_608), (100_000, 106_496)])
    func `contents are padded`(count: Int, padded: Int) {
        #expect(RecordContent.paddedCount(count) == padded)
    }

    @Test(arguments: [
        ProtectionClass.whenUnlockedThisDeviceOnly, .afterFirstUnlockThisDeviceOnly, .alwaysThisDeviceOnly,
        .whenPasscodeSetThisDeviceOnly,
    ])
    func `an item of a device-bound class cannot be sealed`(protection: ProtectionClass) throws {
        let item = try #require(CircleFixture.item("account"))
        #expect(
            SynchronizedItem(
                itemClass: item.itemClass,
                protection: protection,
                attributes: item.attributes,
                value: item.value
            ) == nil
        )
    }

    @Test func `a head opens to its content, and a changed bit is detected`() throws {
        let manifest = try #require(CircleFixture.first(device, keys))
        let content = Head.Content(
            sum: RecordSum(termOf: [1, 2, 3]),
            time: 4,
            revision: 5,
            seen: [device.identifier: 6, .zero: 7]
        )
        let head = Head(content, sequence: 9, previous: .zero, in: manifest, under: keys, by: device)
        #expect(try #require(Head(decoding: head.encoded)).open(under: keys) == content)
        for index in head.encoded.indices {
            var bytes = head.encoded
            bytes[index] ^= 1 << UInt8(index % 8)
            #expect(Head(decoding: bytes)?.isSigned(by: device.sign.publicKey) != true, "byte \(index)")
        }
    }

    @Test func `the sum of records does not depend on their order, and differs if one is missing`() {
        let terms = (0..<5).map { RecordSum(termOf: [UInt8($0)]) }
        var (forward, backward) = (RecordSum.zero, RecordSum.zero)
        for term in terms { forward += term }
        for term in terms.reversed() { backward += term }
        #expect(forward == backward)
        forward -= terms[2]
        #expect(forward != backward)
        for term in terms where term != terms[2] { forward -= term }
        #expect(forward == .zero)
        #expect(RecordSum(.zero) == .zero)
    }
}
