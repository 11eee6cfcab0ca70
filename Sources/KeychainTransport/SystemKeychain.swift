// SPDX-License-Identifier: Apache-2.0

package import KeychainEngine
package import KeychainModel

/// A keychain together with who asks.
package struct KeychainConnection: Sendable {
    package let keychain: Keychain
    package let caller: Caller

    package init(keychain: Keychain, caller: Caller) {
        self.keychain = keychain
        self.caller = caller
    }
}

/// The keychain that the functions of the API reach: the one place that decides between embedded and daemon.
package enum SystemKeychain {
    /// What a test sets so that the global functions reach its own keychain.
    @TaskLocal package static var override: KeychainConnection?

    /// The caller that this process is.
    package static func caller() throws(KeychainError) -> Caller {
        if let override { return override.caller }
        throw KeychainError(.unimplemented)
    }

    /// Carries a request to the keychain.
    package static func perform(_ request: Request) throws(KeychainError) -> Response {
        if let override { return try override.keychain.perform(request, for: override.caller) }
        throw KeychainError(.unimplemented)
    }

    /// The directory of the embedded store, whether or not it exists.
    package static func storeDirectory() throws(KeychainError) -> String {
        throw KeychainError(.unimplemented)
    }

    /// Makes an embedded store; fails with `duplicateKeychain` where there is one.
    package static func createStore(at directory: String?) throws(KeychainError) {
        throw KeychainError(.unimplemented)
    }
}
