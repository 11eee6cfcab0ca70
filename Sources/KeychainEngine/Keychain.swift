// SPDX-License-Identifier: Apache-2.0

package import DataProtection
import FoundationEssentials
package import KeychainModel
import Synchronization

/// A keychain in a directory of this machine.
///
/// It may be used from every thread; calls take turns.
package final class Keychain: Sendable {
    let state: Mutex<OpenStore>
    /// The keys that need no passcode, at hand while the store is busy.
    let keys: StoreKeys
    let location: StoreLocation

    /// Opens the store, or makes it where there is none and the location allows it.
    ///
    /// The clock tells the seconds since 2001-01-01 00:00 UTC by which items are dated.
    ///
    /// - Throws: `notAvailable` or `undecodable` with the reason; nothing on disk is changed then.
    package init(
        at location: StoreLocation,
        clock: @escaping @Sendable () -> Double = { Date().timeIntervalSinceReferenceDate },
        lockClock: LockClock = .system
    ) throws(KeychainError) {
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
    ) throws(KeychainError) -> Response {
        let authorized = try AccessPolicy.authorize(request, for: caller)
        return try state.withLock { store throws(KeychainError) in
            store.sealer.credential = credential
            defer { store.sealer.credential = .none }
            switch authorized.request {
            case .add(let item): return try store.add(item, authorized)
            case .copy(let copy): return try store.copy(copy, authorized)
            case .update(let update): return try store.update([update], authorized)
            case .delete(let delete): return try store.delete([delete], authorized)
            case .addIdentity(let identity): return try store.add(identity, authorized)
            case .copyIdentities(let copy): return try store.copy(copy, authorized)
            case .updateEach(let updates): return try store.update(updates, authorized)
            case .deleteEach(let deletes): return try store.delete(deletes, authorized)
            case .deleteIdentities(let delete): return try store.deleteIdentities(delete, authorized)
            case .status: return try store.status()
            }
        }
    }
}
