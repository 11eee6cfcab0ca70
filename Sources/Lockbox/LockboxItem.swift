// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainItems
import KeychainServices

/// The generic password that stores the value of a key; it has no account.
struct LockboxItem {
    let service: String
    private let item: GenericPassword
    private let vault: Vault

    init(service: String) {
        self.service = service
        item = GenericPassword(service: service, account: "")
        vault = Vault(service: service)
    }

    /// The query for the items of the service, with any account.
    private var query: ItemQuery<GenericPassword> {
        var query = ItemQuery.genericPasswords()
        query.service = item.service
        query.synchronization = .local
        return query
    }

    /// The query for the item without an account.
    private var own: ItemQuery<GenericPassword> {
        var query = query
        query.account = ""
        return query
    }

    /// The secret stored under the service; `nil` if the service has no item.
    ///
    /// The item without an account takes precedence over third-party items of the service.
    func secret() throws(LockboxError) -> Data? {
        if let secret = try secret(own) { return secret }
        return try secret(query)
    }

    /// The secret of the item without an account; `nil` if it does not exist.
    func ownSecret() throws(LockboxError) -> Data? { try secret(own) }

    private func secret(_ query: ItemQuery<GenericPassword>) throws(LockboxError) -> Data? {
        // An item that was added without a secret reads as an empty secret.
        try LockboxError.catching { () throws(VaultError) in
            try vault.firstValue(matching: query).map { $0 ?? Data() }
        }
    }

    /// Updates the item without an account, or adds it if it does not exist.
    func write(_ secret: Data, _ accessibility: CFTypeRef) throws(LockboxError) {
        guard let accessibility = (accessibility as? String).flatMap(ItemAccessibility.init) else {
            throw LockboxError(VaultError(.invalidArgument, .set, status: errSecParam))
        }
        var new = item
        new.accessibility = accessibility
        try LockboxError.catching { () throws(VaultError) in
            try vault.setAll(matching: own, to: secret, accessibility, orAdd: new)
        }
    }

    /// A secret that was read, with the modification date of its item to detect a concurrent change.
    struct Reading {
        let secret: Data
        /// The modification date of the item without an account; `nil` for an item with an account.
        fileprivate let changed: Date?
    }

    /// Reads the secret, and the date by which ``replace(_:by:)`` detects a change; `nil` if there is no item.
    func reading() throws(LockboxError) -> Reading? {
        let found = try LockboxError.catching { () throws(VaultError) in try vault.first(matching: own) }
        if let found { return Reading(secret: found.value ?? Data(), changed: found.item.modified) }
        return try secret(query).map { Reading(secret: $0, changed: nil) }
    }

    /// Replaces the secret, unless the item has changed since it was read.
    ///
    /// If the secret was read from an item with an account, adds an item without an account instead.
    ///
    /// - Returns: Whether the secret was written; `false` after a concurrent change.
    func replace(_ reading: Reading, by secret: Data) throws(LockboxError) -> Bool {
        try LockboxError.catching { () throws(VaultError) in
            guard let changed = reading.changed else {
                var new = item
                new.accessibility = .whenUnlocked
                return try vault.addIfAbsent(new, secret)
            }
            var unchanged = own
            unchanged.modified = changed
            return try vault.changeAll(matching: unchanged, to: secret)
        }
    }

    /// The number of attempts before a call fails because of concurrent writers.
    static var attempts: Int { 8 }

    /// Removes every item of the service; fails if the service has no items.
    func remove() throws(LockboxError) {
        let isRemoved = try LockboxError.catching { () throws(VaultError) in
            try vault.removeAll(matching: query)
        }
        guard isRemoved else { throw .itemNotFound }
    }
}
