// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices

enum Items {
    static let service = "mail.example"

    private static func query(_ account: String?, _ more: [CFString: Any]) -> CFDictionary {
        var query: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrService: service]
        if let account { query[kSecAttrAccount] = account }
        return query.merging(more) { $1 } as CFDictionary
    }

    static func add(
        _ account: String,
        secret: String = "secret",
        _ more: [CFString: Any] = [:]
    ) -> OSStatus {
        SecItemAdd(query(account, [kSecValueData: Data(secret.utf8)].merging(more) { $1 }), nil)
    }

    static func secret(of account: String, _ more: [CFString: Any] = [:]) -> Result<String, Failure> {
        var result: CFTypeRef?
        let status = SecItemCopyMatching(query(account, [kSecReturnData: true].merging(more) { $1 }), &result)
        guard status == errSecSuccess, let data = result as? Data else {
            return .failure(Failure(status: status))
        }
        return .success(String(decoding: data, as: UTF8.self))
    }

    static func status(of account: String, _ more: [CFString: Any] = [:]) -> OSStatus {
        SecItemCopyMatching(query(account, [kSecReturnData: true].merging(more) { $1 }), nil)
    }

    static func update(_ account: String, secret: String) -> OSStatus {
        SecItemUpdate(query(account, [:]), [kSecValueData: Data(secret.utf8)] as CFDictionary)
    }

    static func delete(_ account: String) -> OSStatus { SecItemDelete(query(account, [:])) }

    struct Failure: Error, Equatable { let status: OSStatus }
}
