// SPDX-License-Identifier: Apache-2.0

import KeychainModel

/// The row numbers of the pages in the table `page`.
enum PageNumber {
    static let header: Int64 = 0
    static let keybag: Int64 = 1
    static let lock: Int64 = 2
    /// The public key for which keys of items with an access control are wrapped, if a passcode is set.
    static let recipient: Int64 = 3
}

/// The authenticated header, lock page and class keys, all as of the same write to the store.
struct AuthenticatedState: Sendable {
    var header: StoreHeader
    var keys: KeySession
    /// The lock page; `nil` if no passcode is set.
    var lock: LockPage?
    /// The buckets (parts of the rows) whose rows have matched their multiset hashes in `header`.
    var verified = Buckets()
    /// SQLite's data version when this state was read; `nil` forces a reload.
    var contentVersion: UInt32?
}

extension AuthenticatedState {
    /// Reads and authenticates the header, the lock page and the keybag on a new connection.
    ///
    /// - Throws: `undecodable` with `databaseRolledBack` if the header's generation, the number of writes, is
    ///   lower than `acknowledged`, the number of writes that the lock file records; an error if one of the pages is
    ///   missing, damaged or of another version.
    static func load(
        from rows: ItemStore,
        acknowledged: UInt64,
        with keys: StoreKeys,
        _ sessions: KeySessions
    ) throws(StatusError) -> Self {
        let state = try rows.read { () throws(StatusError) in
            let header = try Self.header(from: rows, with: keys)
            let lock = try Self.lockPage(header, from: rows, with: keys)
            return Self(
                header: header,
                keys: try Self.keySession(header, lock, from: rows, with: keys, sessions),
                lock: lock,
                contentVersion: rows.contentVersion
            )
        }
        guard state.header.generation >= acknowledged else {
            throw StatusError(.undecodable, .databaseRolledBack)
        }
        return state
    }

    /// Reloads the header after another connection changed the database.
    ///
    /// The lock page and the class keys are reloaded only if their digests in the header have changed.
    ///
    /// - Throws: `undecodable` with `databaseRolledBack` if the header is older than the one in memory; an error if one
    ///   of the pages is missing, damaged or of another version.
    mutating func refresh(
        from rows: ItemStore,
        with keys: StoreKeys,
        _ sessions: KeySessions
    ) throws(StatusError) {
        let version = rows.contentVersion
        guard contentVersion != version else { return }
        let header = try Self.header(from: rows, with: keys)
        // The change may have been made by a program other than this library, so verify all buckets again.
        verified = Buckets()
        guard header.generation >= self.header.generation else {
            throw StatusError(.undecodable, .databaseRolledBack)
        }
        if header.keybagDigest != self.header.keybagDigest || header.lockDigest != self.header.lockDigest {
            let former = lock?.epoch
            lock = try Self.lockPage(header, from: rows, with: keys)
            self.keys = try Self.keySession(header, lock, from: rows, with: keys, sessions)
            if let former, former != lock?.epoch { sessions.removeOwnKeys(of: former, with: keys) }
        }
        self.header = header
        contentVersion = version
    }

    private static func header(
        from rows: ItemStore,
        with keys: StoreKeys
    ) throws(StatusError) -> StoreHeader {
        guard let page = try rows.page(PageNumber.header) else {
            throw StatusError(.undecodable, .headerDamaged)
        }
        return try StoreHeader(opening: page, with: keys)
    }

    private static func lockPage(
        _ header: StoreHeader,
        from rows: ItemStore,
        with keys: StoreKeys
    ) throws(StatusError) -> LockPage? {
        guard let digest = header.lockDigest else { return nil }
        guard let page = try rows.page(PageNumber.lock) else {
            throw StatusError(.undecodable, .keybagDamaged)
        }
        return try LockPage(opening: page, digest: digest, with: keys)
    }

    private static func keySession(
        _ header: StoreHeader,
        _ lock: LockPage?,
        from rows: ItemStore,
        with keys: StoreKeys,
        _ sessions: KeySessions
    ) throws(StatusError) -> KeySession {
        let digest = header.keybagDigest
        return try sessions.session(of: lock?.epoch, keybagDigest: digest) { () throws(StatusError) in
            guard let page = try rows.page(PageNumber.keybag) else {
                throw StatusError(.undecodable, .keybagDamaged)
            }
            return try Keybag(opening: page, digest: digest, with: keys)
        }
    }
}
