// SPDX-License-Identifier: Apache-2.0

import Glibc
package import KeychainModel

/// A keychain in a local directory, opened in this process.
///
/// It is thread-safe: reads run concurrently, changes run one after the other.
package final class EmbeddedKeychain: Sendable {
    let store: StoreContext
    private let sessions: SessionPool

    package var location: StoreLocation { store.location }

    var keys: StoreKeys { store.keys }

    /// Opens the store, or creates a missing one if the location allows it.
    ///
    /// `clock` returns the seconds since 2001-01-01 00:00 UTC, for dates of items.
    ///
    /// - Throws: `noSuchKeychain` if the store is missing and may not be created; otherwise, for example,
    ///   `notAvailable` or `undecodable` with the reason. An existing store then stays unchanged.
    package init(
        at location: StoreLocation,
        clock: @escaping @Sendable () -> Double = EmbeddedKeychain.secondsSinceReferenceDate,
        lockClock: LockClock = .system
    ) throws(StatusError) {
        let session = try StoreContext.open(at: location, clock: clock, lockClock: lockClock)
        store = session.store
        sessions = SessionPool(session)
    }

    func read<Result: Sendable>(
        _ body: (ReadSession) throws(StatusError) -> Result
    ) throws(StatusError) -> Result {
        try sessions.withSession(of: store, body)
    }

    /// Calls the closure with a session that can change the store, after waiting for other threads that change it.
    func write<Result: Sendable>(
        _ body: (WriteSession) throws(StatusError) -> Result
    ) throws(StatusError) -> Result {
        try sessions.withWriter(of: store, body)
    }

    /// Performs a request of a caller, with the credential that the caller supplied.
    ///
    /// - Throws: An error with the status for the caller; `authenticationNeeded` if an item's constraints are
    ///   not satisfied. The client then prompts the user, while no lock is held, and repeats the request.
    package func perform(
        _ request: Request,
        for caller: Caller,
        with credential: Credential = .none
    ) throws(StatusError) -> Response {
        if case .copy(let search) = request {
            return .items(try find(AccessPolicy.authorize(search, for: caller), with: credential))
        }
        let authorized = try AccessPolicy.authorize(request, for: caller)
        return try derivingKeys(for: credential) { () throws(StatusError) in
            try perform(authorized, with: credential)
        }
    }

    private func find(
        _ search: borrowing AuthorizedSearch,
        with credential: Credential
    ) throws(StatusError) -> [FoundItem] {
        try derivingKeys(for: credential) { () throws(StatusError) in
            try read { session throws(StatusError) in
                try retrying(session) { () throws(StatusError) in
                    try ItemSearch(session, with: credential).copy(search)
                }
            }
        }
    }

    /// Runs the closure; if it lacked an application password's key, derives the key and runs it again.
    private func derivingKeys<Result>(
        for credential: Credential,
        _ body: () throws(StatusError) -> Result
    ) throws(StatusError) -> Result {
        while true {
            do throws(StatusError) {
                return try body()
            } catch {
                guard let password = credential.applicationPassword, try password.deriveMissing(with: keys)
                else { throw error }
            }
        }
    }

    private func perform(
        _ authorized: AuthorizedRequest,
        with credential: Credential
    ) throws(StatusError) -> Response {
        guard authorized.request.isChange else {
            return try read { session throws(StatusError) in
                try retrying(session) { () throws(StatusError) in
                    try Self.answer(authorized, from: session, with: credential)
                }
            }
        }
        return try write { session throws(StatusError) in
            try retrying(session.reader) { () throws(StatusError) in
                try ItemChange(session, authorized, with: credential).perform()
            }
        }
    }

    private static func answer(
        _ authorized: AuthorizedRequest,
        from session: ReadSession,
        with credential: Credential
    ) throws(StatusError) -> Response {
        let search = ItemSearch(session, with: credential)
        switch authorized.request {
        case .copyIdentities(let request): return .items(try search.copy(request, authorized))
        case .status: return .status(try session.status())
        // The daemon handles requests for token keys itself.
        case .makeTokenKey, .useTokenKey: throw StatusError(.unimplemented, .notAllowedHere)
        case .copy, .add, .update, .delete, .set, .addIdentity, .updateEach, .deleteEach, .deleteIdentities:
            throw StatusError(.invalidParameter, .notAllowedHere)
        }
    }

    /// Runs the closure; if it lacked a class key and the lock epoch has changed since, runs it again.
    private func retrying<Result>(
        _ session: ReadSession,
        _ body: () throws(StatusError) -> Result
    ) throws(StatusError) -> Result {
        do throws(StatusError) {
            return try body()
        } catch {
            // If the files were replaced, throw that error, because it is more specific.
            if error.status == .undecodable { try session.checkFilesUnreplaced() }
            guard error.reason == .classKeyAbsent, session.reloadLockState() else { throw error }
            return try body()
        }
    }

    /// Throws the error for a request while no store exists; creates no store.
    ///
    /// - Throws: `missingEntitlement` under the same conditions as with a store; otherwise `noSuchKeychain` for a
    ///   status request and `itemNotFound` for all others, both with `storeMissing`.
    package static func perform(
        withoutStore request: Request,
        for caller: Caller
    ) throws(StatusError) -> Response {
        _ = try AccessPolicy.authorize(request, for: caller)
        if case .status = request { throw StatusError(.noSuchKeychain, .storeMissing) }
        throw StatusError(.itemNotFound, .storeMissing)
    }

    /// Performs changes in order in one durable transaction.
    ///
    /// If an item to add exists, its change is skipped, and `skip` receives the index of the change. Without
    /// `skip`, an existing item is an error. `progress` receives the number of completed changes and returns
    /// whether to continue; it must not call the keychain.
    ///
    /// - Throws: The error of the failed change; `userCanceled` if `progress` returned false;
    ///   `invalidParameter` for a request that is not a change.
    package func perform(
        together changes: [Request],
        for caller: Caller,
        with credential: Credential = .none,
        skip: (@Sendable (Int) -> Void)? = nil,
        progress: @Sendable (Int) -> Bool
    ) throws(StatusError) {
        var authorized: [AuthorizedRequest] = []
        for change in changes {
            guard change.isChange else { throw StatusError(.invalidParameter, .notAllowedHere) }
            authorized.append(try AccessPolicy.authorize(change, for: caller))
        }
        guard !authorized.isEmpty else { return }
        // Derive the key for new items first: a transaction that lacks the key is repeated, and calls `progress`
        // again.
        if changes.contains(where: { $0.newAccessControls.contains(where: \.needsApplicationPassword) }) {
            try credential.applicationPassword?.prepareForNewItems(with: keys)
        }
        try derivingKeys(for: credential) { () throws(StatusError) in
            try perform(together: authorized, with: credential, skip, progress)
        }
    }

    private func perform(
        together authorized: [AuthorizedRequest],
        with credential: Credential,
        _ skip: (@Sendable (Int) -> Void)?,
        _ progress: @Sendable (Int) -> Bool
    ) throws(StatusError) {
        try write { session throws(StatusError) in
            try session.change { () throws(StatusError) in
                for (number, change) in authorized.enumerated() {
                    do throws(StatusError) {
                        _ = try ItemChange(session, change, with: credential).perform()
                    } catch {
                        guard error.status == .duplicateItem, let skip, case .add = change.request else {
                            throw error
                        }
                        skip(number)
                    }
                    guard progress(number + 1) else { throw StatusError(.userCanceled, .changesCanceled) }
                }
            }
        }
    }

    /// Adds an item, and a second one that depends on the first, in one durable transaction.
    ///
    /// Returns the first item. `owner` is the caller that adds the second item.
    package func add(
        _ item: NewItem,
        for caller: Caller,
        and second: (FoundItem) -> NewItem,
        for owner: Caller,
        with credential: Credential
    ) throws(StatusError) -> FoundItem {
        let first = try AccessPolicy.authorize(.add(item), for: caller)
        return try derivingKeys(for: credential) { () throws(StatusError) in
            try write { session throws(StatusError) in
                try retrying(session.reader) { () throws(StatusError) in
                    try session.change { () throws(StatusError) in
                        let added = try ItemChange(session, first, with: credential).perform()
                        guard case .items(let items) = added, let found = items.first else {
                            throw StatusError(.internalInconsistency)
                        }
                        let other = try AccessPolicy.authorize(.add(second(found)), for: owner)
                        _ = try ItemChange(session, other, with: credential).perform()
                        return found
                    }
                }
            }
        }
    }

    /// Returns the number of items in the given access groups, without decrypting an item.
    package func itemCount(in groups: [String]) throws(StatusError) -> UInt64 {
        try read { session throws(StatusError) in try session.itemCount(in: groups) }
    }

    package func status() throws(StatusError) -> StoreStatus {
        try read { session throws(StatusError) in try session.status() }
    }

    package func usage() throws(StatusError) -> StoreUsage {
        try read { session throws(StatusError) in
            try session.reload()
            let bytes = try session.rows.read { () throws(StatusError) in try session.rows.usedBytes() }
            let header = session.state.header
            return StoreUsage(bytes: bytes, rows: header.itemCount &+ header.tombstoneCount)
        }
    }

    /// Returns the system's time in seconds since 2001-01-01 00:00 UTC.
    private static let secondsSinceReferenceDate: @Sendable () -> Double = {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Double(time.tv_sec - 978_307_200) + Double(time.tv_nsec) / 1e9
    }
}

/// The size of a store.
package struct StoreUsage: Sendable {
    /// The size of the database without its free pages, in bytes.
    package var bytes: UInt64
    /// The number of items and tombstones.
    package var rows: UInt64

    package init(bytes: UInt64 = 0, rows: UInt64 = 0) {
        self.bytes = bytes
        self.rows = rows
    }
}
