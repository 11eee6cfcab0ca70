// SPDX-License-Identifier: Apache-2.0

package import KeychainModel
package import KeychainStore

/// A version of an item that lost against a concurrent one.
///
/// While its protection class is locked, for example, only ``number`` is known: the other properties are zero or `nil`.
package struct SyncConflict: Sendable {
    /// The number under which the version can be restored.
    package let number: Int64
    /// The device that wrote the version or, for a local change that was never pushed, the version before it.
    package let device: Bytes16
    /// The clock of the version or, for a local change that was never pushed, of the version before it.
    package let clock: HybridClock
    /// When this device saved the version, in milliseconds since 1970.
    package let time: UInt64
    /// The version; `nil` while its protection class is locked, or if the saved version is malformed.
    package let item: SynchronizedItem?
}

// Versions that lost, which are kept for 30 days.
extension SyncStore {
    /// The maximum number of conflicts that are kept.
    private static let largestCount = 1_000
    /// How long a conflict is kept, in milliseconds.
    private static let duration: UInt64 = 30 * 86_400_000
    /// The age, in milliseconds, that no conflict reaches if the clock is right and an agent runs: the agent deletes
    /// conflicts after `duration`.
    private static let greatestAge: UInt64 = 32 * 86_400_000
    /// The number of low bits of a page number that contain the protection class whose key encrypts the page.
    private static let protectionBits: Int64 = 3

    package func keepConflict(
        _ item: SynchronizedItem,
        of device: Bytes16,
        at clock: HybridClock,
        in session: SynchronizationSession
    ) throws(StatusError) {
        let numbers = try session.pageNumbers(in: StatePage.conflicts)
        if numbers.count >= Self.largestCount, let oldest = numbers.first { try session.deletePage(oldest) }
        let last = (numbers.last ?? StatePage.conflicts.lowerBound) >> Self.protectionBits
        let number = (last + 1) << Self.protectionBits | Int64(item.protection.rawValue)
        try write(item, of: device, at: clock, asPage: number, in: session)
    }

    /// Saves a version as a page, with the current time, from which the age of the version is computed later.
    private func write(
        _ item: SynchronizedItem,
        of device: Bytes16,
        at clock: HybridClock,
        asPage number: Int64,
        in session: SynchronizationSession
    ) throws(StatusError) {
        var writer = FieldWriter()
        writer.append(device)
        writer.append(clock.value)
        writer.append(self.clock())
        var content = item.encoded
        defer { content.wipe() }
        writer.append(content)
        try session.write(writer.bytes, asPage: number, sealedLike: item.protection)
    }

    /// Deletes the losing versions that were kept for 30 days, and returns the others.
    package func conflicts() throws(SyncError) -> [SyncConflict] {
        try discardOldConflicts()
        return try read { session throws(StatusError) in
            var conflicts: [SyncConflict] = []
            for number in try session.pageNumbers(in: StatePage.conflicts) {
                conflicts.append(try Self.conflict(number, in: session))
            }
            return conflicts
        }
    }

    /// Deletes the losing versions that were kept for 30 days; those whose protection class is locked stay.
    ///
    /// A version that is older than `greatestAge`, or from the future, is kept for another 30 days, because its real
    /// age is unknown: this device's clock was wrong, or its agent did not run.
    func discardOldConflicts() throws(SyncError) {
        let now = clock()
        let old = try read { session throws(StatusError) in
            var old: [SyncConflict] = []
            for number in try session.pageNumbers(in: StatePage.conflicts) {
                let conflict = try Self.conflict(number, in: session)
                guard conflict.item != nil else { continue }
                // The versions are in the order in which they were saved. One with a later time than its successors
                // delays their deletion, which does no harm.
                guard Self.age(of: conflict, now) > Self.duration else { break }
                old.append(conflict)
            }
            return old
        }
        guard !old.isEmpty else { return }
        try write { session throws(StatusError) in
            for conflict in old {
                if Self.age(of: conflict, now) > Self.greatestAge, let item = conflict.item {
                    let number = conflict.number
                    try write(item, of: conflict.device, at: conflict.clock, asPage: number, in: session)
                } else {
                    try session.deletePage(conflict.number)
                }
            }
        }
    }

    /// How many milliseconds ago a version was saved; `.max` if its time is in the future.
    private static func age(of conflict: SyncConflict, _ now: UInt64) -> UInt64 {
        now >= conflict.time ? now - conflict.time : .max
    }

    package func conflictCount() throws(SyncError) -> Int {
        try read { session throws(StatusError) in try session.pageNumbers(in: StatePage.conflicts).count }
    }

    private static func conflict(
        _ number: Int64,
        in session: SynchronizationSession
    ) throws(StatusError) -> SyncConflict {
        let locked = SyncConflict(
            number: number,
            device: .zero,
            clock: HybridClock(value: 0),
            time: 0,
            item: nil
        )
        let code = UInt8(truncatingIfNeeded: number & (1 << protectionBits - 1))
        guard let protection = ProtectionClass(rawValue: code), session.isUnlocked(protection),
            let page = try session.page(number, sealedLike: protection)
        else { return locked }
        var reader = FieldReader(page)
        guard let device = reader.bytes16(), let clock: UInt64 = reader.number(),
            let time: UInt64 = reader.number(), let content = reader.take(page.count - reader.position)
        else { return locked }
        return SyncConflict(
            number: number,
            device: device,
            clock: HybridClock(value: clock),
            time: time,
            item: SynchronizedItem(decoding: content)
        )
    }

    /// Replaces the item with a kept version, as a local change, and deletes the kept version.
    ///
    /// - Throws: `store` with `itemNotFound` if the version does not exist, is locked or is malformed.
    package func restore(_ number: Int64) throws(SyncError) {
        let date = Double(clock()) / 1_000 - 978_307_200
        try write { session throws(StatusError) in
            guard try session.pageNumbers(in: StatePage.conflicts).contains(number),
                let item = try Self.conflict(number, in: session).item?.modified(at: date)
            else { throw StatusError(.itemNotFound) }
            _ = try session.put(item)
            try session.deletePage(number)
        }
    }

    /// Calls the closure in a write transaction.
    ///
    /// The closure must not change a page whose content is also in memory, in the ``LocalState``; use ``change(_:)``
    /// for that.
    func write<Result: Sendable>(
        _ body: (SynchronizationSession) throws(StatusError) -> Result
    ) throws(SyncError) -> Result {
        do throws(StatusError) {
            return try keychain.synchronize(body)
        } catch {
            throw error.reason == .classKeyAbsent ? .locked : .store(error)
        }
    }
}

extension SynchronizedItem {
    fileprivate func modified(at date: Double) -> Self? {
        var attributes = attributes
        attributes[.modificationDate] = .date(date)
        return Self(itemClass: itemClass, protection: protection, attributes: attributes, value: value)
    }
}
