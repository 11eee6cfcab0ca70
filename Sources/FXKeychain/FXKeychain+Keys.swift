// SPDX-License-Identifier: Apache-2.0

import KeychainWrapperSupport

extension FXKeychain {
    /// The account of a key; a collection that holds itself, or is too deep or too large, is none.
    static func account(_ key: Any) throws(FXKeychainError) -> String {
        do throws(KeyedArchiveError) {
            return try ObjectDescription.text(of: key)
        } catch {
            throw .unsupportedValue
        }
    }
}
