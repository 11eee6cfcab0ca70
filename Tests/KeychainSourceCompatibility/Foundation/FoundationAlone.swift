// SPDX-License-Identifier: Apache-2.0

import Foundation

// This sample program imports only Foundation, which includes Security on Apple's platforms.

struct FoundationAlone {
    let account: CFString

    func add(_ secret: Data) -> OSStatus { SecItemAdd(attributes(secret) as CFDictionary, nil) }

    private func attributes(_ secret: Data) -> [CFString: Any] {
        [kSecClass: kSecClassGenericPassword, kSecAttrAccount: account, kSecValueData: secret]
    }
}
