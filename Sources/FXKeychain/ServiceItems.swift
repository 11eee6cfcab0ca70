// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainItems
import KeychainServices
import KeychainWrapperSupport

/// The generic passwords of a service, or of all services.
struct ServiceItems: Sendable {
    /// `nil` for all services.
    let service: String?
    /// `nil` for all groups of the program, and the first of them for new items.
    let accessGroup: String?

    private let vault: Vault

    init(service: String?, accessGroup: String?) {
        self.service = service
        self.accessGroup = accessGroup
        vault = Vault(service: service ?? "", accessGroup: accessGroup.map { AccessGroup($0) })
    }

    /// What finds the items; that of an account, if there is one.
    ///
    /// Neither the protection class nor whether the item synchronizes is part of it: the keychain takes the former for
    /// no part of an item's identity, and items that synchronize are left out.
    func query(_ account: String? = nil) -> ItemQuery<GenericPassword> {
        var query = ItemQuery.genericPasswords(service: service, account: account)
        query.synchronization = .local
        return query
    }

    /// The items that a query finds, without their secrets.
    func items(_ query: ItemQuery<GenericPassword>) throws(FXKeychainError) -> [GenericPassword] {
        try FXKeychainError.catching { () throws(VaultError) in try vault.items(matching: query) }
    }

    /// The secret of the item of an account; `nil` if there is no item.
    func secret(of account: String) throws(FXKeychainError) -> Data? { try secret(query(account)) }

    /// The secret of the item that a query finds; `nil` if there is no item.
    func secret(_ query: ItemQuery<GenericPassword>) throws(FXKeychainError) -> Data? {
        // An item that was added without a secret stands for an empty one.
        try FXKeychainError.catching { () throws(VaultError) in
            try vault.firstValue(matching: query).map { $0 ?? Data() }
        }
    }

    /// Changes the items of an account, or else adds one.
    func write(
        _ account: String,
        _ secret: Data,
        _ accessibility: ItemAccessibility
    ) throws(FXKeychainError) {
        var item = GenericPassword(service: service ?? "", account: account)
        item.accessibility = accessibility
        try FXKeychainError.catching { () throws(VaultError) in
            try vault.setAll(matching: query(account), to: secret, accessibility, orAdd: item)
        }
    }

    /// Changes one item.
    func write(
        _ item: GenericPassword,
        _ secret: Data,
        _ accessibility: ItemAccessibility
    ) throws(FXKeychainError) {
        var query = query()
        query.account = item.account
        query.service = item.service
        query.accessGroup = item.accessGroup
        let isChanged = try FXKeychainError.catching { () throws(VaultError) in
            try vault.changeAll(matching: query, to: secret, accessibility)
        }
        guard isChanged else { throw FXKeychainError(status: errSecItemNotFound) }
    }

    /// Removes what a query finds, which may be nothing.
    func remove(_ query: ItemQuery<GenericPassword>) throws(FXKeychainError) {
        try FXKeychainError.catching { () throws(VaultError) in _ = try vault.removeAll(matching: query) }
    }
}
