// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices
import KeychainWrapperSupport

/// The generic passwords of a service, or of all services.
struct ServiceItems: Sendable {
    private typealias Calls = PasswordCalls<FXKeychainError>

    /// `nil` for all services.
    let service: String?
    /// `nil` for all groups of the program, and the first of them for new items.
    let accessGroup: String?

    /// What finds the items; that of an account, if there is one.
    ///
    /// Neither the protection class nor whether the item synchronizes is part of it: the keychain takes the former for
    /// no part of an item's identity, and leaves out items that synchronize where nothing is said.
    func query(_ account: String? = nil, _ more: [CFString: Any] = [:]) -> [CFString: Any] {
        var query = more
        if let account { query[kSecAttrAccount] = account }
        if let service { query[kSecAttrService] = service }
        if let accessGroup { query[kSecAttrAccessGroup] = accessGroup }
        return query
    }

    /// What a query finds; `nil` if that is nothing.
    func find(_ query: [CFString: Any]) throws(FXKeychainError) -> Any? { try Calls.find(query) }

    /// The secret of the item of an account; `nil` if there is no item.
    func secret(of account: String) throws(FXKeychainError) -> Data? { try secret(query(account)) }

    func secret(_ query: [CFString: Any]) throws(FXKeychainError) -> Data? { try Calls.secret(query) }

    /// Persistent references of all items of an account.
    func references(of account: String) throws(FXKeychainError) -> [Data] {
        let all: [CFString: Any] = [kSecMatchLimit: kSecMatchLimitAll, kSecReturnPersistentRef: true]
        return try find(query(account, all)) as? [Data] ?? []
    }

    /// Changes the items of an account, or else adds one.
    func write(_ account: String, _ values: [CFString: Any]) throws(FXKeychainError) {
        try Calls.write(values, over: query(account), orAddTo: query(account))
    }

    /// Changes one item.
    func write(reference: Data, _ values: [CFString: Any]) throws(FXKeychainError) {
        guard try Calls.change([kSecValuePersistentRef: reference], to: values) else {
            throw FXKeychainError(status: errSecItemNotFound)
        }
    }

    /// Removes what a query finds, which may be nothing.
    func remove(_ query: [CFString: Any]) throws(FXKeychainError) { _ = try Calls.remove(query) }
}
