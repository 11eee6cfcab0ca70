// SPDX-License-Identifier: Apache-2.0

import Foundation
private import Security

// This sample program imports Security privately; its internal declarations use names of Core Foundation.

struct PrivateImport {
    var itemClass: CFString { kSecClassGenericPassword }

    func read(_ account: CFString) -> (status: OSStatus, item: CFTypeRef?) {
        let query =
            [kSecClass: itemClass, kSecAttrAccount: account, kSecReturnData: true]
            as [CFString: Any]
        var item: CFTypeRef?
        let status = SecItemCopyMatching(query as CFDictionary, &item)
        return (status, item)
    }
}
