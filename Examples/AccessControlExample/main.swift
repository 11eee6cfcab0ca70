// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices

// An item that opens with an application password.
let password = LAContext()
password.setCredential(Data("battery-staple".utf8), type: .applicationPassword)
var item: [CFString: Any] = [
    kSecClass: kSecClassGenericPassword, kSecAttrService: "mail.example", kSecAttrAccount: "alice",
]
var secret: [CFString: Any] = [
    kSecAttrAccessControl: SecAccessControlCreateWithFlags(
        nil,
        kSecAttrAccessibleWhenUnlocked,
        .applicationPassword,
        nil
    ) as Any,
    kSecUseAuthenticationContext: password,
    kSecValueData: Data("recovery-code".utf8),
]
print("store:   ", SecItemAdd(item.merging(secret) { $1 } as CFDictionary, nil))

var found: CFTypeRef?
let query = item.merging([kSecReturnData: true]) { $1 }
let withPassword = query.merging([kSecUseAuthenticationContext: password]) { $1 }
print("find:    ", SecItemCopyMatching(withPassword as CFDictionary, &found), (found as? Data)?.count ?? 0)

// A context that forbids prompts cannot open the item.
let quiet = LAContext()
quiet.interactionNotAllowed = true
let withoutPassword = query.merging([kSecUseAuthenticationContext: quiet]) { $1 }
print("refused: ", SecItemCopyMatching(withoutPassword as CFDictionary, nil) != errSecSuccess)

// An item that opens for the user, who types the passcode or touches the fingerprint sensor.
let user = LAContext()
user.localizedReason = "show the recovery code"
var obstacle: NSError?
if user.canEvaluatePolicy(.deviceOwnerAuthentication, error: &obstacle) {
    item[kSecAttrService] = "bank.example"
    secret = [
        kSecAttrAccessControl: SecAccessControlCreateWithFlags(
            nil,
            kSecAttrAccessibleWhenUnlocked,
            .userPresence,
            nil
        ) as Any,
        kSecValueData: Data("recovery-code".utf8),
    ]
    print("store:   ", SecItemAdd(item.merging(secret) { $1 } as CFDictionary, nil))
    let asking = item.merging([kSecReturnData: true, kSecUseAuthenticationContext: user]) { $1 }
    switch SecItemCopyMatching(asking as CFDictionary, &found) {
    case errSecSuccess: print("find:    ", (found as? Data)?.count ?? 0)
    case errSecUserCanceled, errSecAuthFailed: print("find:     the user did not authenticate")
    case errSecInteractionNotAllowed: print("find:     locked, or the user cannot be asked")
    case let status: print("find:     failed with status", status)
    }
} else {
    print(
        "passcode:",
        obstacle?.code == LAError.Code.passcodeNotSet.rawValue ? "none is set" : "cannot be asked for"
    )
}
for service in ["mail.example", "bank.example"] {
    item[kSecAttrService] = service
    SecItemDelete(item as CFDictionary)
}
