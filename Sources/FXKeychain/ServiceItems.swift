// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainItems
import KeychainServices

/// The generic passwords of a service, or of all services.
struct ServiceItems: Sendable {
    /// The service; `nil` for all services.
    let service: String?
    /// The access group; `nil` for all groups of the program.
    ///
    /// If it is `nil`, new items are added to the program's first group.
    let accessGroup: String?

    private let vault: Vault

    init(service: String?, accessGroup: String?) {
        self.service = service
        self.accessGroup = accessGroup
        vault = Vault(service: service ?? "", accessGroup: accessGroup.map { AccessGroup($0) })
    }

    /// The query for the items of an account, or of all accounts.
    ///
    /// Items of every protection class match, because two items cannot differ in their protection class alone.
    /// Synchronizing items do not match.
    func query(_ account: String? = nil) -> ItemQuery<GenericPassword> {
        var query = ItemQuery.genericPasswords(service: service, account: account)
        query.synchronization = .local
        return query
    }

    func items(_ query: ItemQuery<GenericPassword>) throws(FXKeychainError) -> [GenericPassword] {
        try FXKeychainError.catching { () throws(VaultError) in try vault.items(matching: query) }
    }

    func secret(of account: String) throws(FXKeychainError) -> Data? { try secret(query(account)) }

    func secret(_ query: ItemQuery<GenericPassword>) throws(FXKeychainError) -> Data? {
        // An item that was added without a secret reads as an empty secret.
        try FXKeychainError.catching { () throws(VaultError) in
            try vault.firstValue(matching: query).map { $0 ?? Data() }
        }
    }

    /// Updates the items of an account; if there are none, adds an item.
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
        guard isChanged else { throw FXKeychainError.itemNotFound }
    }

    func remove(_ query: ItemQuery<GenericPassword>) throws(FXKeychainError) {
        try FXKeychainError.catching { () throws(VaultError) in _ = try vault.removeAll(matching: query) }
    }
}
