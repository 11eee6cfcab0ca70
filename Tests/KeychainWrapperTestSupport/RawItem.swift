// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import KeychainServices

#if canImport(Darwin)
package import Testing

/// On Apple's platforms tests are on the keychain of the user, and keep apart by their services.
package struct UserKeychain: TestTrait, SuiteTrait {}

extension Trait where Self == UserKeychain {
    package static var temporaryKeychain: Self { Self() }
}
#else
@_exported import KeychainTesting
#endif

/// A generic password as another program writes and reads it.
package struct RawItem {
    package var attributes: [CFString: Any]

    package init(_ attributes: [CFString: Any]) {
        self.attributes = attributes.merging([kSecClass: kSecClassGenericPassword]) { $1 }
        #if canImport(Darwin)
        // The wrappers' items are in the keychain that the other platforms have too.
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

    /// Attributes and secrets of all that is found.
    package func find() -> [[String: Any]] {
        var result: CFTypeRef?
        let more: [CFString: Any] = [
            kSecMatchLimit: kSecMatchLimitAll, kSecReturnAttributes: true, kSecReturnData: true,
        ]
        guard SecItemCopyMatching(attributes.merging(more) { $1 } as CFDictionary, &result) == errSecSuccess
        else { return [] }
        return result as? [[String: Any]] ?? []
    }

    /// The secrets of all that is found.
    package var data: [Data] { find().map { $0["v_Data"] as? Data ?? Data() } }
}

extension String {
    /// A name that no other test has.
    package static var unique: String { "test." + UUID().uuidString }
}
