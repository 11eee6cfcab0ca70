// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainItems
import KeychainServices

extension SandboxCalls {
    /// Whether the canary, a small test item, can be written and read.
    static func canAccess(_ sandbox: Sandbox) -> Bool {
        failure(ofCanaryIn: sandbox) == nil
    }

    /// Returns the error of writing and reading the canary, a small test item; `nil` on success.
    static func failure(ofCanaryIn sandbox: Sandbox) -> VaultError? {
        do throws(VaultError) {
            try useCanary(of: unconstrained(sandbox))
        } catch {
            return error
        }
        // Check writing separately: an existing canary can be read even if the store is read-only.
        return sandbox.vault(nil).isReadOnly ? VaultError(.readOnly, .set, status: errSecReadOnly) : nil
    }

    /// Whether the keychain can be read: a search for the canary (a small test item) succeeds, even if it finds none.
    static func canRead(_ sandbox: Sandbox) -> Bool {
        let plain = unconstrained(sandbox)
        return (try? hasCanary(plain.query(canaryKey), in: plain)) != nil
    }

    /// Reads the canary (a small test item); if it does not exist or has another value, writes it first.
    ///
    /// An early version of Valet wrote another value. Valets with the same explicitly set identifier but
    /// different accessibilities share one canary. If another valet changes the canary's accessibility
    /// between the write and the read, the canary is still found.
    private static func useCanary(of plain: Sandbox) throws(VaultError) {
        let own = plain.query(canaryKey)
        if (try? hasCanary(own, in: plain)) == true { return }
        try upsert(canaryValue, canaryKey, in: plain)
        if try hasCanary(own, in: plain) { return }
        guard try hasCanary(plain.identity(canaryKey), in: plain) else {
            throw VaultError(.notFound, .read, status: errSecItemNotFound)
        }
    }

    /// Whether a query matches a canary, the small test item of a valet.
    ///
    /// - Throws: `undecodable` if the canary has another value.
    private static func hasCanary(
        _ query: ItemQuery<GenericPassword>,
        in sandbox: Sandbox
    ) throws(VaultError) -> Bool {
        guard let value = try sandbox.vault(nil).firstValue(matching: query) else { return false }
        guard value == canaryValue else { throw VaultError(.undecodable, .read, status: errSecDecode) }
        return true
    }

    /// Returns a sandbox with the name of the given one but without an access control, for the canary (a test item).
    static func unconstrained(_ sandbox: Sandbox) -> Sandbox {
        guard sandbox.hasAccessControl else { return sandbox }
        return Sandbox(sandbox.service.with(.valet(.whenPasscodeSetThisDeviceOnly)))
    }
}
