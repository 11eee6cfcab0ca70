// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
package import KeychainModel
import Synchronization

/// A keychain in a directory of this machine.
///
/// It may be used from every thread; calls take turns.
package final class EmbeddedKeychain: Sendable {
    let state: Mutex<OpenStore>
    /// The keys that need no passcode, at hand while the store is busy.
    let keys: StoreKeys
    package let location: StoreLocation

    /// Opens the store, or makes it where there is none and the location allows it.
    ///
    /// The clock tells the seconds since 2001-01-01 00:00 UTC by which items are dated.
    ///
    /// - Throws: `notAvailable` or `undecodable` with the reason; nothing on disk is changed then.
    package init(
        at location: StoreLocation,
        clock: @escaping @Sendable () -> Double = { Date().timeIntervalSinceReferenceDate },
        lockClock: LockClock = .system
    ) throws(StatusError) {
        let store = try OpenStore(at: location, clock: clock, lockClock: lockClock)
        keys = store.keys
        self.location = location
        state = Mutex(store)
    }

    /// Carries out a request within what the caller may reach, with what was proved for it.
    ///
    /// - Throws: The error that becomes the status of the API; `authenticationNeeded` where an item's constraints are not
    ///   satisfied, so that whoever can ask does so while nothing is held, and comes again.
    package func perform(
        _ request: Request,
        for caller: Caller,
        with credential: Credential = .none
    ) throws(StatusError) -> Response {
        let authorized = try AccessPolicy.authorize(request, for: caller)
        return try derivingKeys(for: credential) { () throws(StatusError) in
            try perform(authorized, with: credential)
        }
    }

    /// Repeats a call that lacked the key of an application password, which is derived while nothing is locked.
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
        try state.withLock { store throws(StatusError) in
            store.sealer.credential = credential
            defer { store.sealer.credential = .none }
            do throws(StatusError) {
                return try store.perform(authorized)
            } catch {
                // What cannot be read may belong to files that are no longer those of the store.
                if error.status == .undecodable { try store.ensureInPlace() }
                // Another process may have unlocked the keychain between reading the lock state and reading the key cache.
                guard error.reason == .classKeyAbsent, store.findsOtherLockState() else { throw error }
                return try store.perform(authorized)
            }
        }
    }

    /// Answers a request where there is no store, and makes none: nothing can be found there.
    ///
    /// - Throws: `missingEntitlement` as with a store; otherwise `storeMissing`, with `itemNotFound` for a request about
    ///   items and `noSuchKeychain` for one about the store.
    package static func perform(
        withoutStore request: Request,
        for caller: Caller
    ) throws(StatusError) -> Response {
        _ = try AccessPolicy.authorize(request, for: caller)
        if case .status = request { throw StatusError(.noSuchKeychain, .storeMissing) }
        throw StatusError(.itemNotFound, .storeMissing)
    }

    /// Makes changes in their order, all or none: durable when the last has succeeded.
    ///
    /// The closure learns after each how many are done, and answers whether to go on; it must not call the keychain. With
    /// `skip`, which learns its place, the addition of an item that is there already is left out.
    ///
    /// - Throws: What the change that failed throws; `userCanceled` where the closure answered false;
    ///   `invalidParameter` where a request is no change.
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
        // What new items need is derived at once, so that the closure learns of each change one time.
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
        try state.withLock { store throws(StatusError) in
            store.sealer.credential = credential
            defer { store.sealer.credential = .none }
            try store.change { store throws(StatusError) in
                for (number, change) in authorized.enumerated() {
                    do throws(StatusError) {
                        _ = try store.perform(change)
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
}

extension OpenStore {
    fileprivate mutating func perform(_ authorized: AuthorizedRequest) throws(StatusError) -> Response {
        switch authorized.request {
        case .add(let item): try add(item, authorized)
        case .copy(let request): try copy(request, authorized)
        case .update(let update): try self.update([update], authorized)
        case .delete(let delete): try self.delete([delete], authorized)
        case .addIdentity(let identity): try add(identity, authorized)
        case .copyIdentities(let request): try copy(request, authorized)
        case .updateEach(let updates): try update(updates, authorized)
        case .deleteEach(let deletes): try delete(deletes, authorized)
        case .deleteIdentities(let delete): try deleteIdentities(delete, authorized)
        case .status: try status()
        }
    }
}
