// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainItems
import KeychainServices
import KeychainWrapperSupport

/// The generic password that stands for a key: it has a service and, where a lockbox made it, no account.
struct LockboxItem {
    let service: String
    private let item: GenericPassword
    private let vault: Vault

    init(service: String) {
        self.service = service
        item = GenericPassword(service: service, account: "")
        vault = Vault(service: service)
    }

    /// Every item of the service, of whatever account.
    private var query: ItemQuery<GenericPassword> {
        var query = ItemQuery.genericPasswords()
        query.service = item.service
        query.synchronization = .local
        return query
    }

    /// The item that has no account.
    private var own: ItemQuery<GenericPassword> {
        var query = query
        query.account = ""
        return query
    }

    /// The secret; `nil` if there is no item.
    ///
    /// The item without an account goes before those that others may have put into the service.
    func secret() throws(LockboxError) -> Data? {
        if let secret = try secret(own) { return secret }
        return try secret(query)
    }

    /// The secret of the item without an account; `nil` if there is no such item.
    func ownSecret() throws(LockboxError) -> Data? { try secret(own) }

    private func secret(_ query: ItemQuery<GenericPassword>) throws(LockboxError) -> Data? {
        // An item that was added without a secret stands for an empty one.
        try LockboxError.catching { () throws(VaultError) in
            try vault.firstValue(matching: query).map { $0 ?? Data() }
        }
    }

    /// Changes the item, or else adds it.
    func write(_ secret: Data, _ accessibility: CFTypeRef) throws(LockboxError) {
        guard let accessibility = (accessibility as? String).flatMap(ItemAccessibility.init) else {
            throw LockboxError(status: errSecParam)
        }
        var new = item
        new.accessibility = accessibility
        try LockboxError.catching { () throws(VaultError) in
            try vault.setAll(matching: own, to: secret, accessibility, orAdd: new)
        }
    }

    /// What was read of the item, and what tells whether it is still that.
    struct Reading {
        let secret: Data
        /// When the item without an account was last changed; `nil` if what was read belongs to an account.
        fileprivate let changed: Date?
    }

    /// The secret as ``secret()`` has it, to be replaced.
    func reading() throws(LockboxError) -> Reading? {
        let found = try LockboxError.catching { () throws(VaultError) in try vault.first(matching: own) }
        if let found { return Reading(secret: found.value ?? Data(), changed: found.item.modified) }
        return try secret(query).map { Reading(secret: $0, changed: nil) }
    }

    /// Changes the secret alone; where what is there belongs to an account, adds the item that has none.
    ///
    /// - Returns: Whether that was done; otherwise somebody has written the item, or removed it, since it was read.
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

    /// How often a replacement may meet somebody else's write.
    static var attempts: Int { 8 }

    /// Removes every item of the service, as the original does; that there is none is an error.
    func remove() throws(LockboxError) {
        let isRemoved = try LockboxError.catching { () throws(VaultError) in
            try vault.removeAll(matching: query)
        }
        guard isRemoved else { throw LockboxError(status: errSecItemNotFound) }
    }
}
