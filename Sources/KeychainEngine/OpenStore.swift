// SPDX-License-Identifier: Apache-2.0

import DataProtection
import FoundationEssentials
import ItemStore
import KeychainModel
import PrivateFiles

/// The numbers of the pages beside the items.
enum PageNumber {
    static let header: Int64 = 0
    static let keybag: Int64 = 1
    static let lock: Int64 = 2
    /// The public key of access control, where a passcode is set.
    static let recipient: Int64 = 3
    /// The public key of items that a finger opens, from the first of them on.
    static let fingerRecipient: Int64 = 4
    static let firstBuckets: Int64 = 16
}

/// What the header vouches for, as far as it has been read: all of it belongs to one generation.
struct VouchedState: Sendable {
    var header: StoreHeader
    var keybag: Keybag
    /// What goes with a passcode; `nil` where none is set.
    var lock: LockPage?
    /// The pages of the set hash that were read, by number.
    var buckets: [BucketPage?] = Array(repeating: nil, count: BucketPage.count)
    /// The sum with which the rows of a bucket were last found to agree.
    var verified: [UInt8: SetSum] = [:]
    /// The contents that this state was read from; `nil` forces it to be read again.
    var contentVersion: UInt32?
}

/// The digest of an access group, by the bytes of its name.
struct GroupDigest {
    let name: AttributeValue
    let digest: Bytes16
}

/// A store with its files open and its device key at hand.
struct OpenStore: ~Copyable {
    let directory: PrivateDirectory
    let lock: WriterLock
    let items: ItemStore
    let keys: StoreKeys
    var sealer: ItemSealer
    let clock: @Sendable () -> Double
    let holder: KeyHolder
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
    ) throws(KeychainError) {
        let directory = try Self.directory(at: location)
        guard let device = try DeviceKey(in: directory) else {
            throw KeychainError(.notAvailable, .deviceKeyMissing)
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
        let vouched = try items.read { () throws(KeychainError) in try Self.load(from: items, keys: keys) }
        guard vouched.header.generation >= acknowledged else {
            throw KeychainError(.undecodable, .databaseRolledBack)
        }
        // Only now is it certain that the directory holds a store, and none that is refused.
        let lock = try WriterLock(in: directory, creating: true)
        try items.accept(in: directory)
        self.directory = directory
        self.lock = lock
        self.items = items
        self.keys = keys
        sealer = ItemSealer(keys: keys)
        self.clock = clock
        holder = KeyHolder(places: location.keyHolders, store: keys.store)
        self.lockClock = lockClock
        self.vouched = vouched
        bindKeybag()
        scrubIfOwed()
    }

    /// The directory of a store, which is made where there is none and never was.
    private static func directory(at location: StoreLocation) throws(KeychainError) -> PrivateDirectory {
        let directory = try PrivateDirectory(path: location.directory, creating: location.createsIfMissing)
        guard try directory.inspect(StoreLocation.databaseName) == nil else { return directory }
        guard location.createsIfMissing, try !hasLostDatabase(directory) else {
            throw KeychainError(.notAvailable, .databaseMissing)
        }
        try create(in: directory, holders: location.keyHolders)
        return directory
    }

    /// Whether there was a database once: an empty one in its place would hide that its items are gone, and the log
    /// that it left behind would spoil the new one.
    private static func hasLostDatabase(
        _ directory: borrowing PrivateDirectory
    ) throws(KeychainError) -> Bool {
        let database = StoreLocation.databaseName
        // A deletion that was cut short is taken to its end by whoever makes the next store.
        guard try !StoreFiles.areDeleted(in: directory) else { return false }
        let wasWritten = try WriterLock.acknowledgedGeneration(in: directory) > 0
        let log = try directory.inspect(database + "-wal")
        guard wasWritten || log != nil else { return false }
        // Looked for last: what another process is making just now was not lost.
        return try directory.inspect(database) == nil
    }

    /// Makes the device key and the database, the key first: a database never is without its key.
    private static func create(
        in directory: borrowing PrivateDirectory,
        holders: [KeyHolderPlace]
    ) throws(KeychainError) {
        let lock = try WriterLock.taken(in: directory)
        defer { lock.release() }
        // Another process may have been faster.
        guard try directory.inspect(StoreLocation.databaseName) == nil else { return }
        if try StoreFiles.areDeleted(in: directory) {
            try StoreFiles.clear(directory, lock, holders: holders)
            try StoreFiles.finish(directory)
        }
        let device: DeviceKey
        if let existing = try DeviceKey(in: directory) {
            device = existing
        } else {
            device = .random()
            try device.save(in: directory)
        }
        let keys = StoreKeys(device)
        let keybag = try Keybag.random(with: keys).page
        var pages: [(number: Int64, content: Data)] = [(PageNumber.keybag, keybag)]
        var digests: [Bytes32] = []
        for number in 0..<BucketPage.count {
            let content = try BucketPage().sealed(as: number, with: keys)
            digests.append(Bytes32(sha256: content))
            pages.append((PageNumber.firstBuckets + Int64(number), content))
        }
        let header = StoreHeader(keybagDigest: Bytes32(sha256: keybag), bucketDigests: digests)
        try pages.append((PageNumber.header, header.sealed(with: keys)))
        lock.noteAcknowledged(0)
        try ItemStore.create(in: directory, pages: pages)
    }

    private static func load(
        from items: ItemStore,
        keys: StoreKeys
    ) throws(KeychainError) -> VouchedState {
        guard let page = try items.page(PageNumber.header) else {
            throw KeychainError(.undecodable, .headerDamaged)
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
    ) throws(KeychainError) -> Keybag {
        guard let page = try items.page(PageNumber.keybag) else {
            throw KeychainError(.undecodable, .keybagDamaged)
        }
        return try Keybag(opening: page, vouchedBy: header, with: keys)
    }

    /// Brings the vouched state up to what the open transaction sees.
    ///
    /// Costs nothing where nobody has written.
    mutating func refresh() throws(KeychainError) {
        let version = items.contentVersion
        guard vouched.contentVersion != version else { return }
        guard let page = try items.page(PageNumber.header) else {
            throw KeychainError(.undecodable, .headerDamaged)
        }
        let header = try StoreHeader(opening: page, with: keys)
        // Whoever changed the contents may have been no keychain, or not alone: what was verified before is not any more.
        vouched.verified = [:]
        guard header.generation >= vouched.header.generation else {
            throw KeychainError(.undecodable, .databaseRolledBack)
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
    func ensureInPlace() throws(KeychainError) {
        guard items.isInPlace(in: directory),
            lock.identity.map({ directory.leads(to: StoreLocation.writerLockName, being: $0) }) ?? true
        else { throw KeychainError(.notAvailable, .databaseReplaced) }
    }

    /// The same for reads, which are so short that a look at the directory each time would be felt.
    mutating func ensureInPlaceNowAndThen() throws(KeychainError) {
        let now = CoarseClock.now
        guard now != lastLook else { return }
        lastLook = now
        try ensureInPlace()
    }
}
