// SPDX-License-Identifier: Apache-2.0

import CKeychainSodium

package enum StoreLibraries {
    package static var versions: (sqlite: String, sodium: String) {
        unsafe (Database.libraryVersion, String(cString: sodium_version_string()))
    }
}
