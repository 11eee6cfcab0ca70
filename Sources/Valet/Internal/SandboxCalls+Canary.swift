// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices
import KeychainWrapperSupport

extension SandboxCalls {
    /// Whether what is written can be read, tried with an item that stays and that no list shows.
    static func canAccess(_ sandbox: Sandbox) -> Bool {
        failure(ofCanaryIn: sandbox) == nil
    }

    /// What keeps the canary from being written and read; `nil` where nothing does.
    static func failure(ofCanaryIn sandbox: Sandbox) -> KeychainFailure? {
        let status = status(ofCanaryIn: sandbox)
        guard status == errSecSuccess else { return KeychainFailure(status, .write) }
        // A canary that was written before is read, whether or not another could be written.
        return StoreState.isReadOnly ? KeychainFailure(errSecReadOnly, .write) : nil
    }

    /// Whether what is there can be read, if there is something.
    static func canRead(_ sandbox: Sandbox) -> Bool {
        let canary = unconstrained(sandbox).canary
        return [errSecSuccess, errSecItemNotFound].contains(status(ofCanary: canary))
    }

    /// Success, or what kept the canary from being read.
    ///
    /// A canary of another value, as the first versions wrote it, is written anew. Explicitly set valets of different
    /// accessibilities share one: between writing and reading it may have become another's, and is readable nonetheless.
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

    /// The sandbox with the same name whose items demand nothing of the user: the canary of the enclave kinds is there.
    static func unconstrained(_ sandbox: Sandbox) -> Sandbox {
        guard sandbox.isConstrained else { return sandbox }
        return Sandbox(sandbox.service.with(.valet(.whenPasscodeSetThisDeviceOnly)))
    }
}
