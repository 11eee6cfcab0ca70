// SPDX-License-Identifier: Apache-2.0

import FXKeychain
import Foundation
import KeychainServices
import Lockbox
import Valet

/// Idioms in which keychain libraries use the bundle identifier.
enum BundleIdioms {
    /// Stores an item with `Keychain()` and returns its service.
    static func defaultService() -> String {
        let keychain = Keychain()
        guard keychain.set("canary", key: "canary key") == errSecSuccess else { return "failed" }
        return keychain.service(of: "canary key").map { $0.isEmpty ? "empty" : $0 } ?? "missing"
    }

    /// Uses a valet with the bundle identifier; returns "unsigned" if the program has none.
    static func signedValet() -> String {
        guard let name = Bundle.main.bundleIdentifier, let identifier = Identifier(nonEmpty: name) else {
            return "unsigned"
        }
        let valet = Valet.valet(with: identifier, accessibility: .afterFirstUnlock)
        guard valet.canAccessKeychain() else { return "inaccessible" }
        do {
            try valet.setString("canary", forKey: "canary key")
            return "signed \(try valet.string(forKey: "canary key"))"
        } catch {
            return "\(error)"
        }
    }

    /// Returns the default names that FXKeychain and Lockbox derive from the bundle identifier.
    static func wrapperDefaults() -> String {
        "\(FXKeychain.default().service ?? "none") \(Lockbox(keyPrefix: nil).keyPrefix)"
    }
}

/// A small keychain wrapper whose default service is the bundle identifier.
private struct Keychain {
    private let service: String

    init(service: String = Bundle.main.bundleIdentifier ?? "") { self.service = service }

    func set(_ value: String, key: String) -> OSStatus {
        let item: [String: Any] = [
            kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: service,
            kSecAttrAccount as String: key, kSecValueData as String: Data(value.utf8),
        ]
        return SecItemAdd(item as CFDictionary, nil)
    }

    /// Returns the service under which a key is stored; the search itself names no service.
    func service(of key: String) -> String? {
        let query: [String: Any] = [
            kSecClass as String: kSecClassGenericPassword, kSecAttrAccount as String: key,
            kSecReturnAttributes as String: true,
        ]
        var result: CFTypeRef?
        guard SecItemCopyMatching(query as CFDictionary, &result) == errSecSuccess else { return nil }
        return (result as? [String: Any])?[kSecAttrService as String] as? String
    }
}
