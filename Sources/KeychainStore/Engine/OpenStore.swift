// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import KeychainModel

/// The digest of an access group, by the bytes of its name.
struct GroupDigest {
    let name: AttributeValue
    let digest: Bytes16
}

/// A store with its files open and its device key at hand.
struct OpenStore: ~Copyable {
    let directory: PrivateDirectory
    private let deviceKey: FileIdentity
    let writer: WriterLock
    let items: ItemStore
    let keys: StoreKeys
    var sealer: ItemSealer
    let clock: @Sendable () -> Double
    let keyCache: KeyCache
    let lockClock: LockClock
    var vouched: VouchedState
    /// The digests of the access groups met last.
    var groupDigests: [GroupDigest] = []
    /// Whether a change is under way, of which further ones become parts.
    var isChanging = false
    private var lastLook = CoarseClock.now

    init(
        at location: StoreLocation,
        clock: @escaping @Sendable () -> Double,
        lockClock: LockClock
    ) throws(StatusError) {
        let directory = try Self.directory(at: location)
        guard let deviceKey = try directory.inspect(StoreLocation.deviceKeyName),
            let device = try DeviceKey(in: directory)
        else {
            throw StatusError(.notAvailable, .deviceKeyMissing)
        }
        // The note is read first: a writer that commits in between makes the header newer, never older.
        let acknowledged = try WriterLock.acknowledgedGeneration(in: directory)
        if location.isInherited { try directory.holdAfterFork(StoreLocation.databaseName) }
        let items = try ItemStore(
            in: directory,
            fileSystem: location.fileSystem,
            longestLog: location.longestLog
        )
        let keys = StoreKeys(device)
        let vouched = try items.read { () throws(StatusError) in try Self.load(from: items, keys: keys) }
        guard vouched.header.generation >= acknowledged else {
            throw StatusError(.undecodable, .databaseRolledBack)
        }
        // Only now is it certain that the directory holds a store, and none that is refused.
        let writer = try WriterLock(in: directory, creating: true)
        try items.accept(in: directory)
        self.directory = directory
        self.deviceKey = deviceKey
        self.writer = writer
        self.items = items
        self.keys = keys
        sealer = ItemSealer(keys: keys)
        self.clock = clock
        keyCache = KeyCache(of: location, store: keys.store, in: self.directory)
        self.lockClock = lockClock
        self.vouched = vouched
        bindKeybag()
        scrubIfOwed()
    }

    private static func load(
        from items: ItemStore,
        keys: StoreKeys
    ) throws(StatusError) -> VouchedState {
        guard let page = try items.page(PageNumber.header) else {
            throw StatusError(.undecodable, .headerDamaged)
        }
        let header = try StoreHeader(opening: page, with: keys)
        let keybag = try Self.keybag(vouchedBy: header, from: items, keys: keys)
        let lock = try Self.lockPage(vouchedBy: header, from: items, keys: keys)
        return VouchedState(header: header, keybag: keybag, lock: lock, contentVersion: items.contentVersion)
    }

    private static func keybag(
        vouchedBy header: StoreHeader,
        from items: ItemStore,
        keys: StoreKeys
    ) throws(StatusError) -> Keybag {
        guard let page = try items.page(PageNumber.keybag) else {
            throw StatusError(.undecodable, .keybagDamaged)
        }
        return try Keybag(opening: page, vouchedBy: header, with: keys)
    }

    /// Brings the vouched state up to what the open transaction sees.
    ///
    /// Costs nothing where nobody has written.
    mutating func refresh() throws(StatusError) {
        let version = items.contentVersion
        guard vouched.contentVersion != version else { return }
        guard let page = try items.page(PageNumber.header) else {
            throw StatusError(.undecodable, .headerDamaged)
        }
        let header = try StoreHeader(opening: page, with: keys)
        // Whoever changed the contents may have been no keychain, or not alone: what was verified before is not any more.
        vouched.verified = [:]
        guard header.generation >= vouched.header.generation else {
            throw StatusError(.undecodable, .databaseRolledBack)
        }
        if header.keybagDigest != vouched.header.keybagDigest {
            vouched.keybag = try Self.keybag(vouchedBy: header, from: items, keys: keys)
            bindKeybag()
        }
        if header.lockDigest != vouched.header.lockDigest {
            let former = vouched.lock?.state
            vouched.lock = try Self.lockPage(vouchedBy: header, from: items, keys: keys)
            bindKeybag()
            if let former, former != vouched.lock?.state { forgetOwnKeys(of: former) }
        }
        for number in 0..<BucketPage.count
        where header.bucketDigests[number] != vouched.header.bucketDigests[number] {
            vouched.buckets[number] = nil
        }
        vouched.header = header
        vouched.contentVersion = version
    }

    /// Makes sure that what is open still is the store: it may have been removed, moved away or put back from a backup.
    ///
    /// - Throws: `notAvailable` with `databaseReplaced`.
    func ensureInPlace() throws(StatusError) {
        guard isInPlace else { throw StatusError(.notAvailable, .databaseReplaced) }
    }

    var isInPlace: Bool {
        items.isInPlace(in: directory) && directory.leads(to: StoreLocation.deviceKeyName, being: deviceKey)
            && writer.identity.map { directory.leads(to: StoreLocation.writerLockName, being: $0) } ?? true
    }

    /// The same for reads, which are so short that a look at the directory each time would be felt.
    mutating func ensureInPlaceNowAndThen() throws(StatusError) {
        let now = CoarseClock.now
        guard now != lastLook else { return }
        lastLook = now
        try ensureInPlace()
    }
}
