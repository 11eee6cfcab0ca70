// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainClient
import KeychainModel
import KeychainServices
import KeychainStore

/// The operations to measure, through the `SecItem` functions.
enum Subject {
    static func check(_ status: OSStatus) throws {
        guard status == errSecSuccess else { throw BenchmarkError("the keychain answered \(status)") }
    }

    static func query(service: String, account: String) -> [CFString: Any] {
        [
            kSecClass: kSecClassGenericPassword, kSecAttrService: service, kSecAttrAccount: account,
            kSecReturnData: true,
        ]
    }

    /// Reads an item with a prepared dictionary, without casting the result.
    static func read(_ query: CFDictionary) throws {
        var result: CFTypeRef?
        try check(SecItemCopyMatching(query, &result))
        guard let secret = result as? NSData, secret.length == secretSize else {
            throw BenchmarkError("a wrong secret")
        }
    }

    /// Reads an item with a dictionary built for this call, and casts the result to `Data`.
    static func read(service: String, account: String) throws {
        var result: CFTypeRef?
        try check(SecItemCopyMatching(query(service: service, account: account) as CFDictionary, &result))
        guard let secret = result as? Data, secret.count == secretSize else {
            throw BenchmarkError("a wrong secret")
        }
    }

    static func addition(_ item: Int, account: String? = nil) -> CFDictionary {
        [
            kSecClass: kSecClassGenericPassword,
            kSecAttrService: Items.service(item), kSecAttrAccount: account ?? Items.account(item),
            kSecAttrLabel: Items.label(item), kSecValueData: Items.secret(item),
        ] as [CFString: Any] as CFDictionary
    }

    static func add(_ item: Int, account: String? = nil) throws {
        try check(SecItemAdd(addition(item, account: account), nil))
    }

    static func update(of item: Int, version: Int) -> (query: CFDictionary, change: CFDictionary) {
        let query: [CFString: Any] = [
            kSecClass: kSecClassGenericPassword,
            kSecAttrService: Items.service(item), kSecAttrAccount: Items.account(item),
        ]
        let change: [CFString: Any] = [kSecValueData: Items.secret(item, version: version)]
        return (query as CFDictionary, change as CFDictionary)
    }

    static func update(_ item: Int, version: Int) throws {
        let update = update(of: item, version: version)
        try check(SecItemUpdate(update.query, update.change))
    }

    /// Returns the attributes of every item, as `SecItemCopyMatching` returns them.
    static func list() throws -> NSArray {
        let query: [CFString: Any] = [
            kSecClass: kSecClassGenericPassword,
            kSecMatchLimit: kSecMatchLimitAll, kSecReturnAttributes: true,
        ]
        var result: CFTypeRef?
        try check(SecItemCopyMatching(query as CFDictionary, &result))
        guard let items = result as? NSArray else { throw BenchmarkError("not a list of attributes") }
        return items
    }

    static let secretSize = 32
}

/// The operations to measure, as requests to the store without dictionaries.
struct StoreSubject {
    let keychain: EmbeddedKeychain
    let caller: Caller

    init(at directory: String, caller: Caller) throws {
        keychain = try EmbeddedKeychain(at: StoreLocation(directory: directory))
        self.caller = caller
    }

    init() throws { try self.init(at: Stores.subject, caller: Entitlements.callerOfThisProcess()) }

    func fill(_ items: Range<Int>) throws {
        for item in items { _ = try keychain.perform(.add(Self.newItem(item)), for: caller) }
    }

    static func newItem(_ item: Int) -> NewItem {
        var attributes = Attributes(reservingCapacity: 3)
        attributes[.account] = .string(Items.account(item))
        attributes[.service] = .string(Items.service(item))
        attributes[.label] = .string(Items.label(item))
        return NewItem(
            itemClass: .genericPassword,
            attributes: attributes,
            secret: SecretBuffer(Items.secret(item))
        )
    }

    func read(service: String, account: String) throws {
        var attributes = Attributes(reservingCapacity: 2)
        attributes[.account] = .string(account)
        attributes[.service] = .string(service)
        try read(attributes)
    }

    /// Reads the only item with a label.
    func read(label: String) throws {
        var attributes = Attributes(reservingCapacity: 1)
        attributes[.label] = .string(label)
        try read(attributes)
    }

    private func read(_ attributes: Attributes) throws {
        let filter = ItemFilter(itemClass: .genericPassword, attributes: attributes)
        let response = try keychain.perform(.copy(CopyRequest(filter: filter, returning: .data)), for: caller)
        guard case .items(let items) = response, items.first?.secret?.count == Subject.secretSize else {
            throw BenchmarkError("a wrong secret")
        }
    }

    func update(_ item: Int, version: Int) throws {
        var attributes = Attributes(reservingCapacity: 2)
        attributes[.account] = .string(Items.account(item))
        attributes[.service] = .string(Items.service(item))
        let filter = ItemFilter(itemClass: .genericPassword, attributes: attributes)
        let secret = SecretBuffer(Items.secret(item, version: version))
        _ = try keychain.perform(.update(UpdateRequest(filter: filter, secret: secret)), for: caller)
    }

    func list() throws -> Int {
        let filter = ItemFilter(itemClass: .genericPassword)
        let request = CopyRequest(filter: filter, limit: .all, returning: .attributes)
        guard case .items(let items) = try keychain.perform(.copy(request), for: caller) else {
            throw BenchmarkError("not a list of items")
        }
        return items.count
    }
}
