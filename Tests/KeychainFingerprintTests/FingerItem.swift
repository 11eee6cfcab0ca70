// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices
import KeychainTestSupport
import Testing

/// An item with an access control, and the API calls on it.
struct FingerItem {
    let account = Canary.make("account")
    let secret = Data(Canary.make("secret").utf8)

    private var query: [String: Any] {
        [kSecClass as String: kSecClassGenericPassword, kSecAttrAccount as String: account]
    }

    private func query(_ context: LAContext?, _ more: [CFString: Any]) -> CFDictionary {
        var query = query
        if let context { query[kSecUseAuthenticationContext as String] = context }
        for (key, value) in more { query[key as String] = value }
        return query as CFDictionary
    }

    func add(
        _ flags: SecAccessControlCreateFlags,
        _ protection: CFString = kSecAttrAccessibleWhenUnlocked,
        _ context: LAContext? = nil
    ) throws -> OSStatus {
        let control = try #require(SecAccessControlCreateWithFlags(nil, protection, flags, nil))
        let entries: [CFString: Any] = [kSecAttrAccessControl: control, kSecValueData: secret]
        return SecItemAdd(query(context, entries), nil)
    }

    /// Reads the value, compares it with the one that was added, and returns the status.
    func read(_ context: LAContext? = nil, _ more: [CFString: Any] = [:]) -> OSStatus {
        var result: CFTypeRef?
        let entries = more.merging([kSecReturnData: true]) { $1 }
        let status = SecItemCopyMatching(query(context, entries), &result)
        #expect(result as? Data == (status == errSecSuccess ? secret : nil))
        return status
    }

    func update(_ context: LAContext? = nil) -> OSStatus {
        SecItemUpdate(query(context, [:]), [kSecAttrLabel as String: "canary label"] as CFDictionary)
    }

    func delete() -> OSStatus { SecItemDelete(query as CFDictionary) }

    static var forbidding: [CFString: Any] { [kSecUseAuthenticationUI: kSecUseAuthenticationUIFail] }
    static var skipping: [CFString: Any] { [kSecUseAuthenticationUI: kSecUseAuthenticationUISkip] }
}

extension ScriptedPinentry {
    /// The number of fingerprint dialogs shown; a retry shows another dialog.
    var fingerDialogs: Int { commands.count { $0.hasPrefix("CONFIRM") } }
}
