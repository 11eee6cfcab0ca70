// SPDX-License-Identifier: Apache-2.0

import Foundation
import LocalAuthentication
import Security

// This sample program authenticates the user before a keychain call, reads the errors by code, and
// subclasses `LAContext`.

final class OwnerCheck {
    var context = LAContext()

    /// Returns why the user cannot be asked; `nil` if a prompt is possible.
    func obstacle(to policy: LAPolicy) -> LAError.Code? {
        var error: NSError?
        guard !context.canEvaluatePolicy(policy, error: &error) else { return nil }
        return (error as? LAError)?.code ?? error.flatMap { LAError.Code(rawValue: $0.code) }
    }

    func check(_ completion: @escaping @Sendable (String) -> Void) {
        context.localizedFallbackTitle = ""
        context.localizedCancelTitle = "Cancel"
        context.touchIDAuthenticationAllowableReuseDuration =
            LATouchIDAuthenticationMaximumAllowableReuseDuration
        context.evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "to look") { success, error in
            guard !success else { return completion("success") }
            switch error {
            case let error as LAError where error.code == .userCancel: completion("cancelled")
            case LAError.passcodeNotSet?: completion("no passcode")
            default: completion("failed")
            }
        }
    }

    func read(_ account: String) -> OSStatus {
        let query: [String: Any] = [
            kSecClass as String: kSecClassGenericPassword, kSecAttrAccount as String: account,
            kSecUseAuthenticationContext as String: context, kSecUseOperationPrompt as String: "to read",
            kSecReturnData as String: true,
        ]
        var item: CFTypeRef?
        return SecItemCopyMatching(query as CFDictionary, &item)
    }
}

final class ObedientContext: LAContext {
    override func canEvaluatePolicy(_ policy: LAPolicy, error: UnsafeMutablePointer<NSError?>?) -> Bool {
        true
    }

    override func evaluatePolicy(
        _ policy: LAPolicy,
        localizedReason: String,
        reply: @escaping @Sendable (Bool, (any Error)?) -> Void
    ) { reply(true, nil) }
}
