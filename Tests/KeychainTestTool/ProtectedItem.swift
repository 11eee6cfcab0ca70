// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices
import Synchronization

struct ProtectedItem {
    private let query: [String: Any]
    private let protection: String

    init(_ protection: String, _ account: String) {
        self.protection = protection
        query = [
            kSecClass as String: kSecClassGenericPassword, kSecAttrAccount as String: account,
            kSecAttrService as String: "canary service",
        ]
    }

    func status(of call: String) -> OSStatus {
        switch call {
        case "add", "duplicate":
            SecItemAdd(
                with([kSecAttrAccessible as String: protection, kSecValueData as String: Data("canary".utf8)]
                ),
                nil
            )
        case "constrain":
            SecItemAdd(
                with([
                    kSecAttrAccessControl as String: SecAccessControlCreateWithFlags(
                        nil,
                        protection as CFTypeRef,
                        .userPresence,
                        nil
                    ) as Any, kSecValueData as String: Data("canary".utf8),
                ]),
                nil
            )
        case "data": copy([kSecReturnData as String: true])
        case "attributes": copy([kSecReturnAttributes as String: true])
        case "reference": copy([kSecReturnPersistentRef as String: true])
        case "exists": copy([:])
        case "forbidden":
            copy([kSecUseAuthenticationUI as String: kSecUseAuthenticationUIFail])
        case "all": copy([kSecMatchLimit as String: kSecMatchLimitAll, kSecReturnAttributes as String: true])
        case "class":
            copyEvery([kSecAttrAccessible as String: protection])
        case "every": copyEvery([:])
        case "miss": copy([kSecAttrAccount as String: "canary that is not there"])
        case "update":
            SecItemUpdate(
                query as CFDictionary,
                [kSecValueData as String: Data("canary changed".utf8)] as CFDictionary
            )
        case "delete": SecItemDelete(query as CFDictionary)
        default: errSecParam
        }
    }

    static func makeKey(_ label: String) -> OSStatus {
        let control = SecAccessControlCreateWithFlags(
            nil,
            kSecAttrAccessibleWhenUnlocked as CFTypeRef,
            .userPresence,
            nil
        )
        let parameters: [String: Any] = [
            kSecAttrKeyType as String: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits as String: 256,
            kSecAttrLabel as String: label,
            kSecPrivateKeyAttrs as String: [
                kSecAttrIsPermanent as String: true, kSecAttrAccessControl as String: control as Any,
            ],
        ]
        let key = SecKeyCreateRandomKey(parameters as CFDictionary, nil)
        return key == nil ? errSecParam : errSecSuccess
    }

    /// Reads an item twice with one authentication, and once more after invalidating the context.
    ///
    /// Returns the result of each read, or the error of the authentication.
    static func proveAndCopy(_ account: String) -> String {
        let context = LAContext()
        let isDone = DispatchSemaphore(value: 0)
        let error = Mutex<(any Error)?>(nil)
        context.evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "to test a proof") { _, failure in
            error.withLock { $0 = failure }
            isDone.signal()
        }
        isDone.wait()
        if let error = error.withLock({ $0 }) { return "error \((error as NSError).code)" }
        let item = Item(account)
        let answers = [item.copy(with: context), item.copy(with: context)]
        context.invalidate()
        return (answers + [item.copy(with: context)]).joined(separator: ", ")
    }

    private func with(_ more: [String: Any]) -> CFDictionary { query.merging(more) { $1 } as CFDictionary }

    private func copy(_ more: [String: Any]) -> OSStatus {
        var result: CFTypeRef?
        return SecItemCopyMatching(with(more), &result)
    }

    private func copyEvery(_ more: [String: Any]) -> OSStatus {
        var result: CFTypeRef?
        let every: [String: Any] = [
            kSecClass as String: kSecClassGenericPassword, kSecMatchLimit as String: kSecMatchLimitAll,
            kSecReturnAttributes as String: true,
        ]
        return SecItemCopyMatching(every.merging(more) { $1 } as CFDictionary, &result)
    }
}
