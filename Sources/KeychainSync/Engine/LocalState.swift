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
    /// The keys of all epochs; readable after the first unlock.
    static let epochKeys: Int64 = 2
    static let cursor: Int64 = 3
    static let manifests: Int64 = 4
    static let heads: Int64 = 5
    static let inFlight: Int64 = 6
    static let report: Int64 = 7
    static let pause: Int64 = 8
    static let metrics: Int64 = 9
    static let all: ClosedRange<Int64> = 0...(1 << 40)
    static let records: ClosedRange<Int64> = (1 << 20)...(1 << 32)
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
    /// The number of the page that contains the state of a record, by the record's name.
    var pages: [Bytes32: Int64] = [:]
    /// The name of an item's record, by the identity of the item's row.
    var names: [ItemIdentity: Bytes32] = [:]
    var inFlight: InFlightChange?
    /// The sum of the terms of all records in etcd; see ``Head``.
    var total = RecordSum.zero
    var nextPage = StatePage.records.lowerBound
    /// Pages that no record uses any more; the next save deletes them.
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

    /// Moves the state page of a record from its name in a former generation to its present name.
    private mutating func rename(_ former: Bytes32, to name: Bytes32) {
        guard records[former]?.hasFormerName == true else { return }
        records[former] = nil
        guard let page = pages.removeValue(forKey: former) else { return }
        if pages[name] == nil { pages[name] = page } else { unusedPages.append(page) }
    }

    /// Returns the state of an item by the name of its record, or by its identity.
    ///
    /// The identity is used only while the record's name in this generation is unknown, because the item cannot be
    /// opened.
    func record(named name: Bytes32, or identity: ItemIdentity) -> RecordState? {
        if let known = records[name] { return known }
        guard let known = names[identity].flatMap({ records[$0] }), known.hasFormerName else { return nil }
        return known
    }
}

extension LocalState {
    /// Loads the state; `nil` if the store belongs to no circle.
    ///
    /// - Throws: `interactionNotAllowed` with `classKeyAbsent` before the first unlock; `undecodable` with
    ///   `recordDamaged` if a page is damaged.
    init?(from session: SynchronizationSession) throws(StatusError) {
        let protection = ProtectionClass.afterFirstUnlockThisDeviceOnly
        guard var bytes = try session.page(StatePage.device, sealedLike: protection) else { return nil }
        defer { bytes.wipe() }
        guard var state = Self(decodingDevice: bytes) else { throw StatusError(.undecodable, .recordDamaged) }
        if let page = try session.page(StatePage.epochKeys, sealedLike: protection) { state.decodeKeys(page) }
        if let page = try session.page(StatePage.manifests) {
            state.manifests = Self.parts(of: page).compactMap { Manifest(decoding: $0) }
        }
        if let page = try session.page(StatePage.cursor), let cursor = SyncCursor(decoding: page) {
            state.cursor = cursor
        }
        if let page = try session.page(StatePage.heads) { state.decodeHeads(page) }
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

    private mutating func decodeHeads(_ bytes: [UInt8]) {
        for part in Self.parts(of: bytes) {
            var reader = FieldReader(part)
            guard let revision: UInt64 = reader.number(),
                let head = reader.take(part.count - reader.position).flatMap({ Head(decoding: $0) }),
                let content = keys[head.epoch].flatMap({ head.open(under: $0) })
            else { continue }
            heads[head.device] = KnownHead(head: head, content: content, revision: revision)
        }
    }

    private static func parts(of bytes: [UInt8]) -> [[UInt8]] {
        var reader = FieldReader(bytes)
        var parts: [[UInt8]] = []
        while let count: UInt32 = reader.number(), let part = reader.take(Int(count)) { parts.append(part) }
        return parts
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

    func saveManifests(in session: SynchronizationSession) throws(StatusError) {
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
        try session.write(Self.joined(manifests.map(\.encoded)), asPage: StatePage.manifests)
    }

    func saveCursor(in session: SynchronizationSession) throws(StatusError) {
        try session.write(cursor.encoded, asPage: StatePage.cursor)
    }

    func saveHeads(in session: SynchronizationSession) throws(StatusError) {
        let parts = heads.values.map { known in
            var writer = FieldWriter()
            writer.append(known.revision)
            writer.append(known.head.encoded)
            return writer.bytes
        }
        try session.write(Self.joined(parts), asPage: StatePage.heads)
    }

    mutating func saveRecord(_ name: Bytes32, in session: SynchronizationSession) throws(StatusError) {
        for page in unusedPages { try session.deletePage(page) }
        unusedPages = []
        guard let record = records[name], let page = pages[name] else { return }
        try session.write(record.encoded, asPage: page)
    }

    private static func joined(_ parts: [[UInt8]]) -> [UInt8] {
        var writer = FieldWriter()
        for part in parts {
            writer.append(UInt32(part.count))
            writer.append(part)
        }
        return writer.bytes
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
