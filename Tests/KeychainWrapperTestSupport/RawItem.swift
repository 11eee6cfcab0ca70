// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import KeychainServices

#if canImport(Darwin)
package import Testing

/// On Apple's platforms this trait does nothing: tests use the user's keychain with unique services.
package struct UserKeychain: TestTrait, SuiteTrait {}

extension Trait where Self == UserKeychain {
    package static var temporaryKeychain: Self { Self() }
}
#else
@_exported import KeychainTesting
#endif

/// A generic password that a test adds and reads without a wrapper.
package struct RawItem {
    package var attributes: [CFString: Any]

    package init(_ attributes: [CFString: Any]) {
        self.attributes = attributes.merging([kSecClass: kSecClassGenericPassword]) { $1 }
        #if canImport(Darwin)
        // The wrappers use the data protection keychain, so raw items on macOS must be in that keychain, too.
        self.attributes[kSecUseDataProtectionKeychain] = true
        #endif
    }

    package init(service: String, account: String? = nil) {
        self.init([kSecAttrService: service])
        if let account { attributes[kSecAttrAccount] = account }
    }

    package func add(_ data: Data) -> OSStatus {
        SecItemAdd(attributes.merging([kSecValueData: data]) { $1 } as CFDictionary, nil)
    }

    /// Returns the attributes and secrets of all matching items.
    package func find() -> [[String: Any]] {
        var result: CFTypeRef?
        let more: [CFString: Any] = [
            kSecMatchLimit: kSecMatchLimitAll, kSecReturnAttributes: true, kSecReturnData: true,
        ]
        guard SecItemCopyMatching(attributes.merging(more) { $1 } as CFDictionary, &result) == errSecSuccess
        else { return [] }
        return result as? [[String: Any]] ?? []
    }

    /// The secrets of all matching items; empty data for items without a value.
    package var data: [Data] { find().map { $0["v_Data"] as? Data ?? Data() } }
}

extension String {
    /// A string that no other test uses.
    package static var unique: String { "test." + UUID().uuidString }
}
