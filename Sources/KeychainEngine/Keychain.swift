// SPDX-License-Identifier: Apache-2.0

package import KeychainModel

package final class Keychain: Sendable {
    /// Opens the store, or makes it where there is none and the location allows it.
    package init(at location: StoreLocation) throws(KeychainError) {}

    package func perform(_ request: Request, for caller: Caller) throws(KeychainError) -> Response {
        throw KeychainError(.unimplemented)
    }
}
