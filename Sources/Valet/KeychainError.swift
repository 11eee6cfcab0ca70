// SPDX-License-Identifier: Apache-2.0

public import Foundation
import KeychainServices

/// The reason why a valet's call failed.
///
/// The cases are those of the Valet library, and contain no status. The valet's `lastFailure` contains the status.
public enum KeychainError: Int, CaseIterable, CustomStringConvertible, LocalizedError, Equatable, Sendable {
    /// The keychain is locked or unavailable, or failed for another reason.
    case couldNotAccessKeychain
    /// The user cancelled or failed to authenticate, or no passcode is set for a value that requires one.
    case userCancelled
    /// The key has no value, or its value is not a string.
    case itemNotFound
    /// The program lacks the entitlement for the access group.
    case missingEntitlement
    /// The key is empty.
    case emptyKey
    /// The value is empty.
    case emptyValue

    init(status: OSStatus) {
        self =
            switch status {
            case errSecItemNotFound: .itemNotFound
            case errSecUserCanceled, errSecAuthFailed: .userCancelled
            case errSecMissingEntitlement: .missingEntitlement
            default: .couldNotAccessKeychain
            }
    }

    /// The name of the type and the case.
    public var description: String {
        let name =
            switch self {
            case .couldNotAccessKeychain: "couldNotAccessKeychain"
            case .userCancelled: "userCancelled"
            case .itemNotFound: "itemNotFound"
            case .missingEntitlement: "missingEntitlement"
            case .emptyKey: "emptyKey"
            case .emptyValue: "emptyValue"
            }
        return "KeychainError.\(name)"
    }

    /// The message that `localizedDescription` returns.
    public var errorDescription: String? { message }

    var message: String {
        switch self {
        case .couldNotAccessKeychain: "the keychain is locked or cannot be used; call diagnose() for advice"
        case .userCancelled: "the user cancelled or failed to authenticate"
        case .itemNotFound: "there is no value for the key"
        case .missingEntitlement:
            "the program is not entitled to the access group; call diagnose() for advice"
        case .emptyKey: "a key must not be empty"
        case .emptyValue: "a value must not be empty"
        }
    }
}
