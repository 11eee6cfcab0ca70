// SPDX-License-Identifier: Apache-2.0

import CKeychainLinux
import Glibc
package import KeychainModel

extension EmbeddedKeychain {
    /// Copies the valid rows of a damaged store into a new one, which replaces the damaged store.
    ///
    /// The damaged store is kept in another directory with the same parent. Rows are copied unchanged, so passcode,
    /// lock state and persistent references stay valid. The state of synchronization is not copied, because other
    /// devices would then delete the items whose rows are lost. Without damage, or with `dryRun`, nothing is changed.
    /// If the process is killed, the damaged store still exists, at its path or beside it.
    ///
    /// - Throws: `noSuchKeychain` if the directory contains no store; `notAvailable` if the directory is missing or not
    ///   private; `notAvailable` or `undecodable` if no row can be decrypted, because the device key or the keybag is
    ///   missing or damaged, or if SQLite cannot read the database at all; `readOnly` for a store of a newer version
    ///   that this version must not write; `userCanceled` if `progress` returned false.
    package static func repair(
        at location: StoreLocation,
        dryRun: Bool,
        named suffix: String,
        _ progress: MaintenanceProgress
    ) throws(StatusError) -> RepairSummary {
        let directory = try PrivateDirectory(path: location.directory, creating: false)
        guard try StoreFiles.arePresent(in: directory) else {
            throw StatusError(.noSuchKeychain, .storeMissing)
        }
        let lock = try WriterLock.taken(in: directory)
        defer { lock.release() }
        let salvage = try StoreSalvage(of: directory, location)
        guard !dryRun else {
            let result = try salvage.scan(progress) { _ in }
            return result.summary(copy: nil)
        }
        let path = directory.path
        let scratch = free(path + ".repair-" + suffix)
        let result: StoreSalvage.Result
        do throws(StatusError) {
            result = try salvage.copy(to: scratch, lock.acknowledgedGeneration, progress)
        } catch {
            try? remove(scratch)
            throw error
        }
        guard !result.verification.isIntact else {
            try remove(scratch)
            return result.summary(copy: nil)
        }
        let copy = free(path + ".damaged-" + suffix)
        try exchange(path, scratch, keptAs: copy)
        return result.summary(copy: copy)
    }

    /// Returns the path if it is unused, otherwise the path with the first unused number appended.
    private static func free(_ path: String) -> String {
        var (candidate, number) = (path, 1)
        while unsafe access(candidate, F_OK) == 0 {
            number += 1
            candidate = "\(path)-\(number)"
        }
        return candidate
    }

    /// Replaces the damaged store with the new one, atomically if the file system supports it.
    private static func exchange(
        _ path: String,
        _ scratch: String,
        keptAs copy: String
    ) throws(StatusError) {
        if unsafe clinux_exchange(path, scratch) == 0 {
            guard unsafe rename(scratch, copy) == 0 else { throw systemError() }
        } else {
            guard unsafe rename(path, copy) == 0 else { throw systemError() }
            guard unsafe rename(scratch, path) == 0 else {
                let error = systemError()
                unsafe rename(copy, path)
                throw error
            }
        }
        let parent = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        let descriptor = unsafe open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }

    /// Removes the directory of a new store that is not used.
    private static func remove(_ scratch: String) throws(StatusError) {
        let directory = try PrivateDirectory(path: scratch, creating: false)
        for name in directory.names() { directory.remove(name) }
        _ = unsafe rmdir(scratch)
    }
}

/// Reads a store that may be damaged; requires neither its indexes nor its header.
private struct StoreSalvage {
    let rows: ItemStore
    let device: DeviceKey
    let keys: StoreKeys
    /// The header; `nil` if it is damaged.
    let header: StoreHeader?
    let classKeys: KeySession
    private let keybagDigest: Bytes32
    let lockDigest: Bytes32?
    /// The keybag, lock and recipient pages, copied unchanged.
    private var pages: [(number: Int64, content: [UInt8])] = []

    struct Result {
        let verification: StoreVerification
        let check: RowCheck
        let rows: Int
        let hadSynchronization: Bool

        /// Returns the summary of a repair.
        ///
        /// `copy` is the path to which the damaged store was moved; `nil` if nothing was changed.
        func summary(copy: String?) -> RepairSummary {
            RepairSummary(
                verification: verification,
                salvaged: rows,
                copy: copy,
                endedSynchronization: copy != nil && hadSynchronization
            )
        }
    }

    init(of directory: borrowing PrivateDirectory, _ location: StoreLocation) throws(StatusError) {
        guard let device = try DeviceKey(in: directory) else {
            throw StatusError(.notAvailable, .deviceKeyMissing)
        }
        self.device = device
        let keys = StoreKeys(device)
        let rows = try ItemStore(in: directory, location)
        try rows.accept(in: directory)
        (self.keys, self.rows) = (keys, rows)
        header = try Self.header(in: rows, keys)
        if header?.isReadOnly == true { throw StatusError(.readOnly, .readOnlyStore) }
        for number in [PageNumber.keybag, PageNumber.lock, PageNumber.recipient] {
            if let content = try rows.page(number) { pages.append((number, content)) }
        }
        guard let keybagPage = pages.first(where: { $0.number == PageNumber.keybag })?.content else {
            throw StatusError(.undecodable, .keybagDamaged)
        }
        // Without a header, there is no digest to compare with the keybag's. With a wrong keybag, no row can be
        // decrypted, and all rows are reported as damaged.
        let digest = header?.keybagDigest ?? Bytes32(digestOf: keybagPage)
        keybagDigest = digest
        let keybag = try Keybag(opening: keybagPage, digest: digest, with: keys)
        var lock: LockPage?
        if keybag.passcodeIsSet, let page = pages.first(where: { $0.number == PageNumber.lock })?.content {
            lockDigest = Bytes32(digestOf: page)
            lock = try LockPage(opening: page, digest: Bytes32(digestOf: page), with: keys)
        } else {
            lockDigest = nil
        }
        let cache = KeyCache(of: location, store: keys.store, in: directory)
        let sessions = KeySessions(keyCache: cache, clock: .system)
        classKeys = try sessions.session(of: lock?.epoch, keybagDigest: digest) { () throws(StatusError) in
            keybag
        }
    }

    /// Reads the header; `nil` if it is missing or damaged.
    ///
    /// - Throws: An error for a store of another version or another device key, and if reading fails.
    private static func header(in rows: ItemStore, _ keys: StoreKeys) throws(StatusError) -> StoreHeader? {
        do throws(StatusError) {
            guard let page = try rows.page(PageNumber.header) else { return nil }
            var header = try StoreHeader(opening: page, with: keys)
            _ = try header.bucketSums.all(with: keys)
            return header
        } catch {
            guard error.reason == .headerDamaged || error.reason == .databaseDamaged else { throw error }
            return nil
        }
    }

    /// Checks every row, and passes the valid ones to `keep`.
    func scan(
        _ progress: MaintenanceProgress,
        _ keep: (StoredRow) throws(StatusError) -> Void
    ) throws(StatusError) -> Result {
        var check = RowCheck(keys: keys, classKeys: classKeys)
        let count = try check.run(on: rows, header: header, progress, keep)
        return Result(
            verification: check.finished(),
            check: check,
            rows: count,
            hadSynchronization: try SynchronizationSession.isPresent(in: rows)
        )
    }

    /// Copies the valid rows into a new store at the given path.
    ///
    /// Also copies the keybag, lock and recipient pages, and writes a new header.
    func copy(
        to path: String,
        _ acknowledged: UInt64,
        _ progress: MaintenanceProgress
    ) throws(StatusError) -> Result {
        let directory = try PrivateDirectory(path: path, creating: true)
        try device.save(in: directory)
        try ItemStore.create(in: directory, pages: pages)
        let target = try ItemStore(in: directory, StoreLocation(directory: path))
        let lock = try WriterLock(in: directory, creating: true)
        let generation = max(header?.generation ?? 0, acknowledged) + 1
        let result = try target.write(usingReserve: true) { () throws(StatusError) in
            let result = try scan(progress) { stored throws(StatusError) in try target.insert(stored.row) }
            var header = newHeader(result.check, generation)
            try target.write(header.seal(with: keys), asPage: PageNumber.header)
            return result
        }
        lock.noteAcknowledged(generation)
        try target.accept(in: directory)
        _ = target.emptyLog(waiting: 0)
        return result
    }

    private func newHeader(_ check: RowCheck, _ generation: UInt64) -> StoreHeader {
        var header = StoreHeader(keybagDigest: keybagDigest, bucketSums: BucketSums(check.sums))
        if let old = self.header {
            header.compatible = old.compatible
            header.readOnlyCompatible = old.readOnlyCompatible
            header.incompatible = old.incompatible
        }
        header.generation = generation
        header.itemCount = check.items
        header.tombstoneCount = check.tombstones
        header.lockDigest = lockDigest
        header.tombstoneSum = check.tombstoneSum
        // Without the old header, assume that optional keys exist: rows of locked classes may have some.
        header.hasOptionalKeys = self.header?.hasOptionalKeys ?? true
        return header
    }
}
