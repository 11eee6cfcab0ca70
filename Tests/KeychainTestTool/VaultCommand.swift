// SPDX-License-Identifier: Apache-2.0

import KeychainItems
import KeychainItemsOverSecItem

/// Calls of a `Vault` that uses the `SecItem` functions, or the keychain directly.
enum VaultCommand {
    /// Executes a command, whose words are the implementation, the call and its arguments.
    ///
    /// Returns the result of the call, "done" for a call without a result, or "error" and the reason.
    static func run(_ words: [String]) -> String {
        let vault =
            words[0] == "secItem"
            ? Vault(service: "canary.service", over: SecItemBackend()) : Vault(service: "canary.service")
        do throws(VaultError) {
            return try run(words[1], words[2], words[3], with: vault)
        } catch {
            return "error \(error.reason)"
        }
    }

    private static func run(
        _ call: String,
        _ key: String,
        _ value: String,
        with vault: Vault
    ) throws(VaultError) -> String {
        switch call {
        case "get": return try vault.get(key).map { "value \($0)" } ?? "nil"
        case "contains": return "\(try vault.contains(key))"
        case "items": return "\(try vault.items().count) items"
        case "set": try vault.set(value, for: key)
        case "remove": return "\(try vault.remove(key))"
        case "set-many":
            for number in 0..<(Int(value) ?? 0) { try vault.set("canary", for: "\(key) \(number)") }
        case "set-internet":
            try vault.set(InternetPassword(server: key, account: "canary"), secret: value)
        case "diagnose": return "\(vault.diagnose().verdict)"
        default: return "unknown"
        }
        return "done"
    }
}
