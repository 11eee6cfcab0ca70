// SPDX-License-Identifier: Apache-2.0

import FXKeychain
import Foundation
import LocalAuthentication
import Lockbox
import Security
import Valet

/// A target that imports the products of swift-keychain by their names.
@main struct Main {
    static func main() {
        guard FXKeychain(service: "canary", accessGroup: nil).removeObject(forKey: "key"),
            Lockbox(keyPrefix: "canary").unarchiveObject(forKey: "key") == nil,
            let identifier = Identifier(nonEmpty: "canary"),
            Valet.valet(with: identifier, accessibility: .whenUnlocked).canAccessKeychain(),
            LAContext().interactionNotAllowed == false
        else { exit(1) }
        let query: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrService: "mail.example"]
        guard SecItemCopyMatching(query as CFDictionary, nil) == errSecItemNotFound else { exit(1) }
        print("our names: Valet, FXKeychain, Lockbox, Security, LocalAuthentication")
    }
}
