// SPDX-License-Identifier: Apache-2.0

import Foundation
import Security

// This sample program is in the style of Apple's articles about internet passwords: a query of type
// `[String: Any]`, statuses thrown as errors, and a result that is cast.

struct Credentials: Equatable {
    var username: String
    var password: String
}

enum DocumentedError: Error, Equatable {
    case noPassword
    case unexpectedPasswordData
    case unhandledError(status: OSStatus)
}

struct DocumentedPasswords {
    let server: String

    func add(_ credentials: Credentials) throws {
        let account = credentials.username
        let password = credentials.password.data(using: String.Encoding.utf8)!
        let query: [String: Any] = [
            kSecClass as String: kSecClassInternetPassword,
            kSecAttrAccount as String: account,
            kSecAttrServer as String: server,
            kSecValueData as String: password,
        ]
        let status = SecItemAdd(query as CFDictionary, nil)
        guard status == errSecSuccess else { throw DocumentedError.unhandledError(status: status) }
    }

    func search() throws -> Credentials {
        let query: [String: Any] = [
            kSecClass as String: kSecClassInternetPassword,
            kSecAttrServer as String: server,
            kSecMatchLimit as String: kSecMatchLimitOne,
            kSecReturnAttributes as String: true,
            kSecReturnData as String: true,
        ]
        var item: CFTypeRef?
        let status = SecItemCopyMatching(query as CFDictionary, &item)
        guard status != errSecItemNotFound else { throw DocumentedError.noPassword }
        guard status == errSecSuccess else { throw DocumentedError.unhandledError(status: status) }
        guard let existingItem = item as? [String: Any],
            let passwordData = existingItem[kSecValueData as String] as? Data,
            let password = String(data: passwordData, encoding: String.Encoding.utf8),
            let account = existingItem[kSecAttrAccount as String] as? String
        else {
            throw DocumentedError.unexpectedPasswordData
        }
        return Credentials(username: account, password: password)
    }

    func update(_ credentials: Credentials) throws {
        let query: [String: Any] = [
            kSecClass as String: kSecClassInternetPassword, kSecAttrServer as String: server,
        ]
        let attributes: [String: Any] = [
            kSecAttrAccount as String: credentials.username,
            kSecValueData as String: credentials.password.data(using: .utf8)!,
        ]
        let status = SecItemUpdate(query as CFDictionary, attributes as CFDictionary)
        guard status != errSecItemNotFound else { throw DocumentedError.noPassword }
        guard status == errSecSuccess else { throw DocumentedError.unhandledError(status: status) }
    }

    func delete() throws {
        let query: [String: Any] = [
            kSecClass as String: kSecClassInternetPassword, kSecAttrServer as String: server,
        ]
        let status = SecItemDelete(query as CFDictionary)
        guard status == errSecSuccess || status == errSecItemNotFound else {
            throw DocumentedError.unhandledError(status: status)
        }
    }
}
