// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices

extension Keychain {
    /// Whether what is written can be read, tried with an item that stays and that no list shows.
    static func canAccess(_ sandbox: Sandbox) -> Bool {
        status(ofCanaryIn: sandbox) == errSecSuccess
    }

    /// Success, or what kept the canary from being read.
    ///
    /// A canary of another value, as the first versions wrote it, is written anew.
    static func status(ofCanaryIn sandbox: Sandbox) -> OSStatus {
        let plain = unconstrained(sandbox)
        let canary = plain.value(canaryKey).dictionary
        if SecItem.copy(matching: canary).result as? Data == canaryValue { return errSecSuccess }
        let status = upsert(canaryValue, canaryKey, in: plain)
        guard status == errSecSuccess else { return status }
        let (found, result) = SecItem.copy(matching: canary)
        guard found == errSecSuccess else { return found }
        return result as? Data == canaryValue ? errSecSuccess : errSecDecode
    }

    /// The sandbox with the same name whose items demand nothing of a person: the canary of the enclave kinds is there.
    static func unconstrained(_ sandbox: Sandbox) -> Sandbox {
        guard sandbox.isConstrained else { return sandbox }
        return Sandbox(sandbox.service.with(.valet(.whenPasscodeSetThisDeviceOnly)))
    }
}
