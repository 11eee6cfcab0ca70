// SPDX-License-Identifier: Apache-2.0

import Foundation

// Style: Foundation is the only import, which on Apple's platforms brings Security along.

struct FoundationAlone {
    let account: CFString

    func add(_ secret: Data) -> OSStatus { SecItemAdd(attributes(secret) as CFDictionary, nil) }

    private func attributes(_ secret: Data) -> [CFString: Any] {
        [kSecClass: kSecClassGenericPassword, kSecAttrAccount: account, kSecValueData: secret]
    }
}
