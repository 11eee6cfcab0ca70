// SPDX-License-Identifier: Apache-2.0

import KeychainWrapperSupport

extension FXKeychain {
    /// Returns the account under which a key's value is stored: the description of the key.
    ///
    /// - Throws: An error for a collection that contains itself, or is too deep or too large.
    static func account(_ key: Any) throws(FXKeychainError) -> String {
        do throws(KeyedArchiveError) {
            return try ObjectDescription.text(of: key)
        } catch {
            throw .unsupportedValue
        }
    }
}
