// SPDX-License-Identifier: Apache-2.0

import KeychainWrapperSupport

extension FXKeychain {
    /// The account of a key.
    static func account(_ key: Any) -> String { ObjectDescription.text(of: key) }
}
