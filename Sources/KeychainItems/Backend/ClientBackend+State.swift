// SPDX-License-Identifier: Apache-2.0

#if !canImport(Darwin)
import KeychainClient
import KeychainModel

extension ClientBackend {
    func versions() throws(StatusError) -> [ItemVersion] { try SystemKeychain.versions() }

    var generation: StoreGeneration? {
        guard case .status(let status)? = try? SystemKeychain.perform(.status) else { return nil }
        return StoreGeneration(store: status.store, number: status.generation)
    }

    func watch(_ body: @escaping @Sendable () -> Bool) { SystemKeychain.watch(body) }

    func state(for accessibility: ItemAccessibility) -> BackendState {
        var state = BackendState(directory: try? SystemKeychain.storeDirectory())
        do throws(StatusError) {
            state.accessGroups = try SystemKeychain.caller().accessGroups
            guard case .status(let status) = try SystemKeychain.perform(.status) else { return state }
            state.error = status.obstacle(to: accessibility.protection)
        } catch {
            // Ignore an error of the store if the program has no access group: every request is then rejected
            // before the store is opened.
            if state.accessGroups?.isEmpty != true { state.error = error }
        }
        return state
    }
}

extension StoreStatus {
    /// Returns the error that writing items of a protection class would throw; `nil` if none is expected.
    fileprivate func obstacle(to protection: ProtectionClass) -> StatusError? {
        if isReadOnly { return StatusError(.readOnly, .readOnlyStore) }
        if protection.rule.needsPasscode, !passcodeIsSet {
            return StatusError(.authenticationFailed, .passcodeNotSet)
        }
        let isLocked =
            switch (lockState, protection.rule.available) {
            case (.noPasscode, _), (.unlocked, _), (_, .always), (.locked, .afterFirstUnlock): false
            case (.beforeFirstUnlock, _), (.locked, .unlocked): true
            }
        return isLocked ? StatusError(.interactionNotAllowed, .classKeyAbsent) : nil
    }
}
#endif
