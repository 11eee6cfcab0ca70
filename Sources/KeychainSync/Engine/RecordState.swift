// SPDX-License-Identifier: Apache-2.0

import KeychainModel
import KeychainStore

/// What this device knows about the record of one item in etcd.
///
/// It is saved as a row of the store's table `page`.
struct RecordState: Hashable, Sendable {
    /// The name of the item's record in etcd, a keyed digest: see ``EpochKeys/name(of:)``.
    var name: Bytes32
    var identity: ItemIdentity
    /// The item identifier of the row at the last synchronization; zeros for an item that had no row.
    var item = Bytes16.zero
    /// The row's version at the last synchronization; a different one marks a local change.
    var version: UInt64 = 0
    /// The hybrid clock of the version that the row contains; `kind` and `device` belong to the same version.
    var clock = HybridClock(value: 0)
    var kind = RecordKind.item
    var device = Bytes16.zero
    /// The digest of the record that the row matched last; zeros for a row that never matched a record.
    var base = Bytes32.zero
    /// The digest of the record in etcd; zeros while etcd has no record of the item.
    var digest = Bytes32.zero
    /// The revision of the record in etcd; 0 while etcd has no record of the item.
    var revision: UInt64 = 0
    /// The clock of the record that was received last: the next change of the row must have a later clock.
    var receivedClock = HybridClock(value: 0)
    /// Whether the row must be pushed although it is unchanged.
    ///
    /// This is so if the row has won over the record in etcd, or if the circle was rebuilt.
    var needsPush = false
    /// Whether `name` is the name from before a rebuild of the circle; the new name is computed after an unlock.
    var hasFormerName = false
    /// Whether this is a tombstone that was deleted from etcd because every active device had received it.
    var isCollected = false
    /// A received record that can be applied only after unlocking; empty once it is applied.
    var pending: [UInt8] = []

    init(name: Bytes32, identity: ItemIdentity) {
        self.name = name
        self.identity = identity
    }

    /// Whether another device has deleted the item, and its row stays only while it is locked, or until its local change
    /// is pushed.
    var isDeletedElsewhere: Bool {
        kind == .item && base != .zero && digest == .zero && pending.isEmpty && !needsPush && !hasFormerName
    }

    /// Returns whether a row is unchanged since the last synchronization.
    func matches(_ row: SynchronizedRow) -> Bool { version == row.version && item == row.item }

    var order: RecordOrder { RecordOrder(clock: clock, kind: kind, device: device, digest: base) }

    /// The clock that the next change of the item must exceed.
    var latestClock: HybridClock { max(clock, receivedClock) }

    /// The record's term in the sum over all records; see ``Head``.
    var term: RecordSum { Record.term(name: name, digest: digest) }

    var encoded: [UInt8] {
        var writer = FieldWriter()
        writer.append(name)
        writer.append(identity.bytes)
        writer.append(item)
        writer.append(version)
        writer.append(clock.value)
        writer.append(kind.rawValue)
        writer.append(device)
        writer.append(base)
        writer.append(digest)
        writer.append(revision)
        writer.append(receivedClock.value)
        writer.append(UInt8(needsPush ? 1 : 0) | UInt8(hasFormerName ? 2 : 0) | UInt8(isCollected ? 4 : 0))
        writer.append(pending)
        return writer.bytes
    }

    init?(decoding bytes: [UInt8]) {
        var reader = FieldReader(bytes)
        guard let name = reader.bytes32(), let identity = reader.bytes32().flatMap({ ItemIdentity($0) }),
            let item = reader.bytes16(), let version: UInt64 = reader.number(),
            let clock: UInt64 = reader.number(), let code: UInt8 = reader.number(),
            let kind = RecordKind(rawValue: code), let device = reader.bytes16(),
            let base = reader.bytes32(), let digest = reader.bytes32(),
            let revision: UInt64 = reader.number(), let received: UInt64 = reader.number(),
            let flags: UInt8 = reader.number(),
            let pending = reader.take(bytes.count - reader.position)
        else { return nil }
        self.init(name: name, identity: identity)
        self.item = item
        self.version = version
        self.clock = HybridClock(value: clock)
        self.kind = kind
        self.device = device
        self.base = base
        self.digest = digest
        self.revision = revision
        receivedClock = HybridClock(value: received)
        needsPush = flags & 1 != 0
        hasFormerName = flags & 2 != 0
        isCollected = flags & 4 != 0
        self.pending = pending
    }

    /// Notes that the row now matches a record; `row` is `nil` if the record is a tombstone without a row.
    mutating func adopt(_ record: Record, row: SynchronizedRow?) {
        item = row?.item ?? .zero
        version = row?.version ?? 0
        clock = record.header.clock
        kind = record.header.kind
        device = record.header.device
        base = record.digest
        needsPush = false
        isCollected = false
        pending = []
    }
}

/// How far this device has read from and written to etcd.
///
/// A *head* is the signed summary of what one device has written: see ``Head``. The cursor is saved as a row of the
/// store's table `page`.
struct SyncCursor: Hashable, Sendable {
    /// The identifier of the etcd cluster; 0 before the first contact, also after a rebuild of the circle.
    var cluster: UInt64 = 0
    /// The revision of etcd up to which changes were applied.
    var revision: UInt64 = 0
    /// The sequence number of this device's last ``Head``, or of a later one that etcd has not applied.
    var sequence: UInt64 = 0
    var headDigest = Bytes32.zero
    /// The revision of etcd at which this device's last head was written.
    var headRevision: UInt64 = 0
    var sum = RecordSum.zero
    /// When this device's last ``Head`` was made, in milliseconds since 1970.
    var headTime: UInt64 = 0
    /// When this store last continued from a head that another copy of it has written; 0 if it never has.
    ///
    /// The time is in milliseconds since 1970.
    var adoptionTime: UInt64 = 0

    init() {}

    /// Notes the head of a change that etcd has applied at a revision.
    mutating func note(_ change: InFlightChange, at revision: UInt64) {
        sequence = change.head.sequence
        headDigest = change.head.digest
        headRevision = revision
        sum = change.sum
        headTime = change.time
    }

    var encoded: [UInt8] {
        var writer = FieldWriter()
        writer.append(cluster)
        writer.append(revision)
        writer.append(sequence)
        writer.append(headDigest)
        writer.append(headRevision)
        writer.append(sum.bytes)
        writer.append(headTime)
        writer.append(adoptionTime)
        return writer.bytes
    }

    init?(decoding bytes: [UInt8]) {
        var reader = FieldReader(bytes)
        guard let cluster: UInt64 = reader.number(), let revision: UInt64 = reader.number(),
            let sequence: UInt64 = reader.number(), let headDigest = reader.bytes32(),
            let headRevision: UInt64 = reader.number(),
            let sum = reader.bytes32().flatMap({ RecordSum($0) }), let headTime: UInt64 = reader.number(),
            let adoptionTime: UInt64 = reader.number()
        else { return nil }
        self.cluster = cluster
        self.revision = revision
        self.sequence = sequence
        self.headDigest = headDigest
        self.headRevision = headRevision
        self.sum = sum
        self.headTime = headTime
        self.adoptionTime = adoptionTime
    }
}

/// A change that was sent to etcd and not yet acknowledged.
///
/// It is saved as a row of the store's table `page`. After a crash or an unknown result, the same bytes are sent again.
struct InFlightChange: Sendable {
    struct Part: Sendable {
        let record: Record
        /// The term of the record in the sum over all records.
        let term: RecordSum
        /// The revision of the record that this record replaces; 0 for the first record of an item.
        let replaced: UInt64
        let identity: ItemIdentity
        /// The item identifier of the row whose contents the record has; zeros for a row that no longer exists.
        let item: Bytes16
        let version: UInt64

        init(
            record: Record,
            replaced: UInt64,
            identity: ItemIdentity,
            item: Bytes16,
            version: UInt64
        ) {
            self.record = record
            term = record.term
            self.replaced = replaced
            self.identity = identity
            self.item = item
            self.version = version
        }
    }

    /// A tombstone to delete from etcd.
    struct Collected: Sendable {
        var name: Bytes32
        var revision: UInt64
    }

    var head: Head
    var sum: RecordSum
    var time: UInt64
    /// The newest version of the manifest that this device knows; etcd refuses the change if etcd has a newer one.
    var manifestVersion: UInt64
    var headRevision: UInt64
    var parts: [Part]
    var collected: [Collected]
}

extension InFlightChange {
    var encoded: [UInt8] {
        var writer = FieldWriter()
        writer.append(UInt32(head.encoded.count))
        writer.append(head.encoded)
        writer.append(sum.bytes)
        writer.append(time)
        writer.append(manifestVersion)
        writer.append(headRevision)
        writer.append(UInt16(parts.count))
        for part in parts {
            writer.append(UInt32(part.record.encoded.count))
            writer.append(part.record.encoded)
            writer.append(part.replaced)
            writer.append(part.identity.bytes)
            writer.append(part.item)
            writer.append(part.version)
        }
        for tombstone in collected {
            writer.append(tombstone.name)
            writer.append(tombstone.revision)
        }
        return writer.bytes
    }

    init?(decoding bytes: [UInt8]) {
        var reader = FieldReader(bytes)
        guard let count: UInt32 = reader.number(),
            let head = reader.take(Int(count)).flatMap({ Head(decoding: $0) }),
            let sum = reader.bytes32().flatMap({ RecordSum($0) }), let time: UInt64 = reader.number(),
            let manifestVersion: UInt64 = reader.number(), let headRevision: UInt64 = reader.number(),
            let partCount: UInt16 = reader.number()
        else { return nil }
        var parts: [Part] = []
        for _ in 0..<partCount {
            guard let count: UInt32 = reader.number(),
                let record = reader.take(Int(count)).flatMap({ Record(decoding: $0) }),
                let replaced: UInt64 = reader.number(),
                let identity = reader.bytes32().flatMap({ ItemIdentity($0) }), let item = reader.bytes16(),
                let version: UInt64 = reader.number()
            else { return nil }
            parts.append(
                Part(
                    record: record,
                    replaced: replaced,
                    identity: identity,
                    item: item,
                    version: version
                )
            )
        }
        var collected: [Collected] = []
        while let name = reader.bytes32(), let revision: UInt64 = reader.number() {
            collected.append(Collected(name: name, revision: revision))
        }
        self.init(
            head: head,
            sum: sum,
            time: time,
            manifestVersion: manifestVersion,
            headRevision: headRevision,
            parts: parts,
            collected: collected
        )
    }
}
