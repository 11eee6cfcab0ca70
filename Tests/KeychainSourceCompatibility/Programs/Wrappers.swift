// SPDX-License-Identifier: Apache-2.0

import Foundation
import Security

// This sample program uses the keychain in a property wrapper, for Codable values, and in an actor.

@propertyWrapper
struct SecureItem {
    let account: String
    var service: String = Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName

    init(_ account: String) { self.account = account }

    var wrappedValue: String? {
        get {
            var item: CFTypeRef?
            let status = SecItemCopyMatching(
                query.merging([kSecReturnData: true]) { $1 } as CFDictionary,
                &item
            )
            guard status == errSecSuccess, let data = item as? Data else { return nil }
            return String(decoding: data, as: UTF8.self)
        }
        nonmutating set {
            SecItemDelete(query as CFDictionary)
            guard let newValue else { return }
            let attributes = query.merging([kSecValueData: Data(newValue.utf8)]) { $1 }
            SecItemAdd(attributes as CFDictionary, nil)
        }
    }

    private var query: [CFString: Any] {
        [kSecClass: kSecClassGenericPassword, kSecAttrService: service, kSecAttrAccount: account]
    }
}

struct Settings {
    @SecureItem("token") var token
    @SecureItem("refresh") var refreshToken
}

final class CodableStorage {
    private let service: String
    private let encoder = JSONEncoder()
    private let decoder = JSONDecoder()

    init(service: String) { self.service = service }

    func save<T: Encodable>(_ value: T, account: String) throws {
        let data = try encoder.encode(value)
        let query =
            [
                kSecClass: kSecClassGenericPassword, kSecAttrService: service, kSecAttrAccount: account,
                kSecValueData: data,
            ] as CFDictionary
        let status = SecItemAdd(query, nil)
        if status == errSecDuplicateItem {
            let query =
                [
                    kSecAttrService: service, kSecAttrAccount: account, kSecClass: kSecClassGenericPassword,
                ] as CFDictionary
            SecItemUpdate(query, [kSecValueData: data] as CFDictionary)
        } else if status != errSecSuccess {
            throw NSError(domain: NSOSStatusErrorDomain, code: Int(status))
        }
    }

    func read<T: Decodable>(_ type: T.Type, account: String) throws -> T? {
        let query =
            [
                kSecAttrService: service, kSecAttrAccount: account, kSecClass: kSecClassGenericPassword,
                kSecReturnData: true,
            ] as CFDictionary
        var result: AnyObject?
        SecItemCopyMatching(query, &result)
        guard let data = result as? Data else { return nil }
        return try decoder.decode(type, from: data)
    }
}

actor AsyncStorage {
    enum Failure: Error { case status(OSStatus, String) }

    func store(_ secret: Data, for account: String) async throws {
        let attributes: [String: Any] = [
            kSecClass as String: kSecClassGenericPassword,
            kSecAttrAccount as String: account,
            kSecAttrService as String: "AsyncStorage",
            kSecValueData as String: secret,
            kSecUseDataProtectionKeychain as String: true,
        ]
        try check(SecItemAdd(attributes as CFDictionary, nil))
    }

    func secret(for account: String) async throws -> Data {
        try await withCheckedThrowingContinuation { continuation in
            let query: [String: Any] = [
                kSecClass as String: kSecClassGenericPassword, kSecAttrAccount as String: account,
                kSecAttrService as String: "AsyncStorage", kSecReturnData as String: true,
            ]
            var item: CFTypeRef?
            let status = SecItemCopyMatching(query as CFDictionary, &item)
            if status == errSecSuccess, let data = item as? Data {
                continuation.resume(returning: data)
            } else {
                continuation.resume(throwing: Failure.status(status, status.message))
            }
        }
    }

    private func check(_ status: OSStatus) throws {
        guard status == errSecSuccess else { throw Failure.status(status, status.message) }
    }
}
