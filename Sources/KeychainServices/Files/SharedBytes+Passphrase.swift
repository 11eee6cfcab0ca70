// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainObjects

extension SharedBytes {
    /// Creates a passphrase from a string or UTF-8 data; `nil` for other objects.
    convenience init?(passphrase: Any) {
        switch passphrase {
        case let text as String: self.init(text.utf8)
        case let data as Data: self.init(data)
        default: return nil
        }
    }
}

extension SecItemImportExportKeyParameters {
    /// Returns the passphrase, in memory that is erased on deallocation; `nil` if the parameters contain none.
    ///
    /// - Throws: `errSecParam` if the passphrase is neither string nor data.
    func secret() throws(KeyCallError) -> SharedBytes? {
        guard let passphrase = unsafe passphrase?.takeUnretainedValue() else { return nil }
        guard let secret = SharedBytes(passphrase: passphrase) else { throw KeyCallError(errSecParam) }
        return secret
    }
}
