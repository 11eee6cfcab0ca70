// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices

extension SandboxCalls {
    /// Whether what is written can be read, tried with an item that stays and that no list shows.
    static func canAccess(_ sandbox: Sandbox) -> Bool {
        status(ofCanaryIn: sandbox) == errSecSuccess
    }

    /// Success, or what kept the canary from being read.
    ///
    /// A canary of another value, as the first versions wrote it, is written anew. Explicitly set valets of different
    /// accessibilities share one: between writing and reading it may have become another's, and is readable nonetheless.
    static func status(ofCanaryIn sandbox: Sandbox) -> OSStatus {
        let plain = unconstrained(sandbox)
        let own = plain.value(canaryKey)
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

    /// The sandbox with the same name whose items demand nothing of a person: the canary of the enclave kinds is there.
    static func unconstrained(_ sandbox: Sandbox) -> Sandbox {
        guard sandbox.isConstrained else { return sandbox }
        return Sandbox(sandbox.service.with(.valet(.whenPasscodeSetThisDeviceOnly)))
    }
}
