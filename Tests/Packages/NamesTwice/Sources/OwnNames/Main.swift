// SPDX-License-Identifier: Apache-2.0

import Certificates
import Fingerprint
import Foundation
import KeychainServices
import KeyedArchives
import Passwords
import Pinentry

/// An app that has targets of its own with names that a keychain package might use.
@main struct Main {
    static func main() {
        let names = [
            certificatesTarget, fingerprintTarget, keyedArchivesTarget, passwordsTarget, pinentryTarget,
        ]
        let query: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrService: "canary"]
        guard SecItemCopyMatching(query as CFDictionary, nil) == errSecItemNotFound else { exit(1) }
        print("own names: \(names.joined(separator: ", "))")
    }
}
