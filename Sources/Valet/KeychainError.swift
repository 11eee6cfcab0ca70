// SPDX-License-Identifier: Apache-2.0

public import Foundation
import KeychainServices

/// Why a valet could not do what it was asked.
///
/// The cases are those of Valet and cannot hold the status behind them: `lastFailure` of each valet does.
public enum KeychainError: Int, CaseIterable, CustomStringConvertible, LocalizedError, Equatable, Sendable {
    /// The keychain is locked, cannot be opened, or refused for a reason that has no case of its own.
    case couldNotAccessKeychain
    /// The user cancelled, or did not prove what was asked for.
    case userCancelled
    /// There is no value for the key, or it is no text where text was asked for.
    case itemNotFound
    /// The program lacks the entitlement that the access group needs.
    case missingEntitlement
    /// A key must not be empty.
    case emptyKey
    /// A value must not be empty.
    case emptyValue

    /// Tells what a status means to a valet.
    init(status: OSStatus) {
        self =
            switch status {
            case errSecItemNotFound: .itemNotFound
            case errSecUserCanceled, errSecAuthFailed: .userCancelled
            case errSecMissingEntitlement: .missingEntitlement
            default: .couldNotAccessKeychain
            }
    }

    /// The type and the case.
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
        case .couldNotAccessKeychain: "the keychain is locked or cannot be used; diagnose() says what to do"
        case .userCancelled: "the user cancelled, or did not prove what was asked for"
        case .itemNotFound: "there is no value for the key"
        case .missingEntitlement:
            "the program is not entitled to the access group; diagnose() says what to do"
        case .emptyKey: "a key must not be empty"
        case .emptyValue: "a value must not be empty"
        }
    }
}
