// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import KeychainModel
import KeychainStore

/// The numbers of the pages that contain the state of synchronization.
///
/// A page is an encrypted row of the store's table `page`, not a page of SQLite's file.
enum StatePage {
    /// Private keys, circle and name of the device; readable after the first unlock.
    static let device: Int64 = 0
    /// Endpoints and credentials of etcd; readable after the first unlock.
    static let configuration: Int64 = 1
    /// The circle's ``EpochKeys``, one for each key epoch; readable after the first unlock.
    static let epochKeys: Int64 = 2
    static let cursor: Int64 = 3
    static let inFlight: Int64 = 6
    static let report: Int64 = 7
    static let pause: Int64 = 8
    static let metrics: Int64 = 9
    /// The rows that cannot be pushed, for example because the server has refused them as too large.
    static let refused: Int64 = 10
    static let all = SynchronizationSession.numbers
    static let records: ClosedRange<Int64> = (1 << 20)...(1 << 32)
    /// One page for each manifest, in the order of their versions.
    static let manifests: ClosedRange<Int64> = (1 << 33)...(1 << 34 - 1)
    /// One page for each device that has written a ``Head``.
    static let heads: ClosedRange<Int64> = (1 << 34)...(1 << 35)
    static let conflicts: ClosedRange<Int64> = (1 << 36)...(1 << 39)
}

/// The last ``Head`` of a device (its signed summary), with the decrypted content.
struct KnownHead: Hashable, Sendable {
    var head: Head
    var content: Head.Content
    var revision: UInt64
}

struct LocalState: Sendable {
    let device: DeviceKeys
    let name: String
    let circle: Bytes16
    var keys: [UInt32: EpochKeys] = [:]
    var manifests: [Manifest] = []
    var cursor = SyncCursor()
    var heads: [Bytes16: KnownHead] = [:]
    var records: [Bytes32: RecordState] = [:]
    /// For each device, the number of the page that contains its ``Head``, and the revision of that head.
    private var headPages: [Bytes16: (number: Int64, revision: UInt64)] = [:]
    /// The number of the page that contains the state of a record, by the record's name.
    var pages: [Bytes32: Int64] = [:]
    /// The name of an item's record, by the identity of the item's row.
    var names: [ItemIdentity: Bytes32] = [:]
    var inFlight: InFlightChange?
    /// The sum of the terms of all records in etcd; see ``Head``.
    var total = RecordSum.zero
    var nextPage = StatePage.records.lowerBound
    /// Pages that no record uses any longer; the next save deletes them.
    private var unusedPages: [Int64] = []
    /// The rows whose records' states were set since the last call of ``takeChangedRows()``.
    private var changedRows: [ItemIdentity] = []

    init(device: DeviceKeys, name: String, circle: Bytes16) {
        self.device = device
        self.name = name
        self.circle = circle
    }

    var identifier: Bytes16 { device.identifier }
    var manifest: Manifest? { manifests.last }
    var member: Member? { manifest?.member(identifier) }
    var currentKeys: EpochKeys? { manifest.flatMap { keys[$0.epoch] } }
    /// The circle's current keys; `nil` if this device may not write.
    var writingKeys: EpochKeys? { member?.role.writes == true ? currentKeys : nil }

    /// Returns this device's newest ``Head`` if another copy of this store has written it; `nil` otherwise.
    func foreignHead(among heads: [Bytes16: KnownHead]) -> KnownHead? {
        guard let own = heads[identifier], own.revision > cursor.headRevision,
            own.head.digest != cursor.headDigest, own.head.digest != inFlight?.head.digest
        else { return nil }
        return own
    }

    var paths: CirclePaths {
        CirclePaths(circle: circle.hexadecimal, generation: manifest?.generation ?? 1)
    }

    mutating func set(_ record: RecordState) {
        if let old = records[record.name], old.identity != record.identity { names[old.identity] = nil }
        if let former = names[record.identity], former != record.name { rename(former, to: record.name) }
        records[record.name] = record
        names[record.identity] = record.name
        changedRows.append(record.identity)
        if pages[record.name] == nil {
            pages[record.name] = nextPage
            nextPage += 1
        }
    }

    mutating func takeChangedRows() -> [ItemIdentity] {
        defer { changedRows = [] }
        return changedRows
    }

    /// Moves the state page of a record from its name in a former generation of the circle to its current name.
    private mutating func rename(_ former: Bytes32, to name: Bytes32) {
        guard records[former]?.hasFormerName == true else { return }
        records[former] = nil
        guard let page = pages.removeValue(forKey: former) else { return }
        if pages[name] == nil { pages[name] = page } else { unusedPages.append(page) }
    }

    /// Returns the state of an item by the name of its record, or by its identity.
    ///
    /// The identity is used only while the record's name in this generation of the circle is unknown, because the item
    /// cannot be opened.
    func record(named name: Bytes32, or identity: ItemIdentity) -> RecordState? {
        if let known = records[name] { return known }
        guard let known = names[identity].flatMap({ records[$0] }), known.hasFormerName else { return nil }
        return known
    }
}

extension LocalState {
    /// Loads the state of synchronization; `nil` if the store belongs to no circle.
    ///
    /// - Throws: `interactionNotAllowed` with `classKeyAbsent` before the first unlock; `undecodable` with
    ///   `recordDamaged` if a page is damaged.
    init?(from session: SynchronizationSession) throws(StatusError) {
        let protection = ProtectionClass.afterFirstUnlockThisDeviceOnly
        guard var bytes = try session.page(StatePage.device, sealedLike: protection) else { return nil }
        defer { bytes.wipe() }
        guard var state = Self(decodingDevice: bytes) else { throw StatusError(.undecodable, .recordDamaged) }
        if let page = try session.page(StatePage.epochKeys, sealedLike: protection) { state.decodeKeys(page) }
        try session.forEachPage(in: StatePage.manifests) { _, bytes throws(StatusError) in
            guard let manifest = Manifest(decoding: bytes) else {
                throw StatusError(.undecodable, .recordDamaged)
            }
            state.manifests.append(manifest)
        }
        state.manifests.sort { $0.version < $1.version }
        if let page = try session.page(StatePage.cursor), let cursor = SyncCursor(decoding: page) {
            state.cursor = cursor
        }
        try session.forEachPage(in: StatePage.heads) { number, bytes in state.decodeHead(bytes, number) }
        if let page = try session.page(StatePage.inFlight) { state.inFlight = InFlightChange(decoding: page) }
        try session.forEachPage(in: StatePage.records) { number, bytes throws(StatusError) in
            guard let record = RecordState(decoding: bytes) else {
                throw StatusError(.undecodable, .recordDamaged)
            }
            state.pages[record.name] = number
            state.nextPage = max(state.nextPage, number + 1)
            state.set(record)
            if record.digest != .zero { state.total += record.term }
        }
        state.changedRows = []
        self = state
    }

    private init?(decodingDevice bytes: [UInt8]) {
        var reader = FieldReader(bytes)
        guard let seed = reader.take(32), let secret = reader.take(32), let circle = reader.bytes16(),
            let signKey = unsafe seed.withUnsafeBytes({ unsafe SecretKey(copying: $0) }),
            let boxKey = unsafe secret.withUnsafeBytes({ unsafe SecretKey(copying: $0) }),
            let name = reader.take(bytes.count - reader.position)
        else { return nil }
        self.init(
            device: DeviceKeys(sign: Ed25519PrivateKey(seed: signKey), box: BoxPrivateKey(secret: boxKey)),
            name: String(decoding: name, as: UTF8.self),
            circle: circle
        )
    }

    private mutating func decodeKeys(_ bytes: [UInt8]) {
        var reader = FieldReader(bytes)
        while let epoch: UInt32 = reader.number(), var secret = reader.take(64) {
            keys[epoch] = EpochKeys(epoch: epoch, secretBytes: secret)
            secret.wipe()
        }
    }

    private mutating func decodeHead(_ bytes: [UInt8], _ number: Int64) {
        var reader = FieldReader(bytes)
        guard let revision: UInt64 = reader.number(),
            let head = reader.take(bytes.count - reader.position).flatMap({ Head(decoding: $0) }),
            let content = keys[head.epoch].flatMap({ head.open(under: $0) })
        else { return }
        heads[head.device] = KnownHead(head: head, content: content, revision: revision)
        headPages[head.device] = (number, revision)
    }
}

extension LocalState {
    /// The keys, the circle and the name of the device: the content of ``StatePage/device``.
    private var deviceBytes: [UInt8] {
        var writer = FieldWriter()
        unsafe device.sign.seed.withBytes { unsafe writer.append(Array($0)) }
        unsafe device.box.secret.withBytes { unsafe writer.append(Array($0)) }
        writer.append(circle)
        writer.append(name)
        return writer.bytes
    }

    func saveDevice(in session: SynchronizationSession) throws(StatusError) {
        var bytes = deviceBytes
        defer { bytes.wipe() }
        try session.write(bytes, asPage: StatePage.device, sealedLike: .afterFirstUnlockThisDeviceOnly)
    }

    /// Returns whether the store still contains the keys of this device in this circle.
    func isInstalled(in session: SynchronizationSession) throws(StatusError) -> Bool {
        let protection = ProtectionClass.afterFirstUnlockThisDeviceOnly
        guard var saved = try session.page(StatePage.device, sealedLike: protection) else { return false }
        var own = deviceBytes
        defer {
            saved.wipe()
            own.wipe()
        }
        return saved == own
    }

    /// Saves the circle's keys of every epoch, and the manifests that follow the first `count` ones.
    func saveManifests(
        after count: Int = 0,
        in session: SynchronizationSession
    ) throws(StatusError) {
        var writer = FieldWriter()
        for keys in keys.values {
            writer.append(keys.epoch)
            writer.append(keys.secretBytes)
        }
        try session.write(
            writer.bytes,
            asPage: StatePage.epochKeys,
            sealedLike: .afterFirstUnlockThisDeviceOnly
        )
        for (index, manifest) in manifests.enumerated().dropFirst(count) {
            try session.write(manifest.encoded, asPage: StatePage.manifests.lowerBound + Int64(index))
        }
    }

    /// Replaces the manifests and keys; if there are new manifests, saves them and all keys.
    mutating func take(
        _ manifests: [Manifest],
        _ keys: [UInt32: EpochKeys],
        in session: SynchronizationSession
    ) throws(StatusError) {
        let count = self.manifests.count
        (self.manifests, self.keys) = (manifests, keys)
        if manifests.count > count { try saveManifests(after: count, in: session) }
    }

    func saveCursor(in session: SynchronizationSession) throws(StatusError) {
        try session.write(cursor.encoded, asPage: StatePage.cursor)
    }

    /// Saves the heads that were changed since the last call, and deletes the pages of removed heads.
    mutating func saveHeads(in session: SynchronizationSession) throws(StatusError) {
        for (device, page) in headPages where heads[device] == nil {
            try session.deletePage(page.number)
            headPages[device] = nil
        }
        var next = (headPages.values.map(\.number).max() ?? StatePage.heads.lowerBound) + 1
        for (device, known) in heads where headPages[device]?.revision != known.revision {
            var writer = FieldWriter()
            writer.append(known.revision)
            writer.append(known.head.encoded)
            let number = headPages[device]?.number ?? next
            if number == next { next += 1 }
            try session.write(writer.bytes, asPage: number)
            headPages[device] = (number, known.revision)
        }
    }

    mutating func saveRecord(_ name: Bytes32, in session: SynchronizationSession) throws(StatusError) {
        for page in unusedPages { try session.deletePage(page) }
        unusedPages = []
        guard let record = records[name], let page = pages[name] else { return }
        try session.write(record.encoded, asPage: page)
    }
}

extension EtcdConfiguration {
    /// Loads the configuration; `nil` if the store belongs to no circle, or if the saved JSON is invalid.
    init?(from session: SynchronizationSession) throws(StatusError) {
        let page = try session.page(StatePage.configuration, sealedLike: .afterFirstUnlockThisDeviceOnly)
        guard let page, let decoded = try? JSONDecoder().decode(Self.self, from: Data(page)) else {
            return nil
        }
        self = decoded
    }

    func save(in session: SynchronizationSession) throws(StatusError) {
        guard let encoded = try? JSONEncoder().encode(self) else { throw StatusError(.internalInconsistency) }
        try session.write(
            Array(encoded),
            asPage: StatePage.configuration,
            sealedLike: .afterFirstUnlockThisDeviceOnly
        )
    }
}
