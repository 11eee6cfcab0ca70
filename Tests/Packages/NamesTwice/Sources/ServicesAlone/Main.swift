// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices

@main struct Main {
    static func main() {
        let query: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrService: "canary"]
        guard SecItemCopyMatching(query as CFDictionary, nil) == errSecItemNotFound else { exit(1) }
        print("KeychainServices: not found")
    }
}
