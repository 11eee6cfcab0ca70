// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices
import KeychainWrapperSupport

extension SandboxCalls {
    /// Whether the canary item can be written and read.
    static func canAccess(_ sandbox: Sandbox) -> Bool {
        failure(ofCanaryIn: sandbox) == nil
    }

    /// The failure to write and read the canary; `nil` on success.
    static func failure(ofCanaryIn sandbox: Sandbox) -> KeychainFailure? {
        let status = status(ofCanaryIn: sandbox)
        guard status == errSecSuccess else { return KeychainFailure(status, .write) }
        // An existing canary can be read even if the store is read-only.
        return StoreState.isReadOnly ? KeychainFailure(errSecReadOnly, .write) : nil
    }

    /// Whether existing items, if any, can be read.
    static func canRead(_ sandbox: Sandbox) -> Bool {
        let canary = unconstrained(sandbox).canary
        return [errSecSuccess, errSecItemNotFound].contains(status(ofCanary: canary))
    }

    /// The status of writing and reading the canary.
    ///
    /// A canary with another value, from an early version, is rewritten. Explicitly set valets of different
    /// accessibilities share one canary. Between the write and the read, another valet may change it, and it
    /// is still readable.
    private static func status(ofCanaryIn sandbox: Sandbox) -> OSStatus {
        let plain = unconstrained(sandbox)
        let own = plain.canary
        if status(ofCanary: own) == errSecSuccess { return errSecSuccess }
        let status = upsert(canaryValue, canaryKey, in: plain)
        guard status == errSecSuccess else { return status }
        let found = Self.status(ofCanary: own)
        guard found == errSecItemNotFound else { return found }
        let anyones = plain.identities.adding(account: canaryKey).adding(kSecReturnData, Query.yes)
        return Self.status(ofCanary: anyones)
    }

    private static func status(ofCanary query: Query) -> OSStatus {
        let (status, result) = SecItem.copy(matching: query.dictionary)
        guard status == errSecSuccess else { return status }
        return result as? Data == canaryValue ? errSecSuccess : errSecDecode
    }

    /// The sandbox with the same name but without constraints, which has the canary.
    static func unconstrained(_ sandbox: Sandbox) -> Sandbox {
        guard sandbox.hasAccessControl else { return sandbox }
        return Sandbox(sandbox.service.with(.valet(.whenPasscodeSetThisDeviceOnly)))
    }
}
