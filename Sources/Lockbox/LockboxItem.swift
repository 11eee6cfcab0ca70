// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices
import KeychainWrapperSupport

/// The generic password that stands for a key: it has a service and, where a lockbox made it, no account.
struct LockboxItem {
    private typealias Calls = PasswordCalls<LockboxError>

    let service: String

    /// Every item of the service, of whatever account.
    private var query: [CFString: Any] { [kSecAttrService: service] }

    /// The item that has no account.
    private var own: [CFString: Any] { [kSecAttrService: service, kSecAttrAccount: ""] }

    /// The secret; `nil` if there is no item.
    ///
    /// The item without an account goes before those that others may have put into the service.
    func secret() throws(LockboxError) -> Data? {
        if let secret = try Calls.secret(own) { return secret }
        return try Calls.secret(query)
    }

    /// Changes the item, or else adds it.
    func write(_ secret: Data, _ accessibility: CFTypeRef) throws(LockboxError) {
        let values: [CFString: Any] = [kSecValueData: secret, kSecAttrAccessible: accessibility]
        try Calls.write(values, over: own, orAddTo: query)
    }

    /// The secret of the item without an account; `nil` if there is no such item.
    func ownSecret() throws(LockboxError) -> Data? { try Calls.secret(own) }

    /// What was read of the item, and what tells whether it is still that.
    struct Reading {
        let secret: Data
        /// When the item without an account was last changed; `nil` if what was read belongs to an account.
        fileprivate let changed: Date?
    }

    /// The secret as ``secret()`` has it, to be replaced.
    func reading() throws(LockboxError) -> Reading? {
        if let own = try Calls.dated(own) { return Reading(secret: own.secret, changed: own.changed) }
        return try Calls.secret(query).map { Reading(secret: $0, changed: nil) }
    }

    /// Changes the secret alone; where what is there belongs to an account, adds the item that has none.
    ///
    /// - Returns: Whether that was done; otherwise somebody has written the item, or removed it, since it was read.
    func replace(_ reading: Reading, by secret: Data) throws(LockboxError) -> Bool {
        guard let changed = reading.changed else {
            let values: [CFString: Any] = [
                kSecValueData: secret, kSecAttrAccessible: kSecAttrAccessibleWhenUnlocked,
            ]
            return try Calls.add(query.merging(values) { $1 })
        }
        let unchanged = own.merging([kSecAttrModificationDate: changed]) { $1 }
        return try Calls.change(unchanged, to: [kSecValueData: secret])
    }

    /// How often a replacement may meet somebody else's write.
    static var attempts: Int { Calls.attempts }

    /// Removes every item of the service, as the original does; that there is none is an error.
    func remove() throws(LockboxError) {
        guard try Calls.remove(query) else { throw LockboxError(status: errSecItemNotFound) }
    }
}
