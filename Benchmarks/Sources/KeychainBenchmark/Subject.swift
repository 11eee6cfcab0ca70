// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainClient
import KeychainModel
import KeychainServices
import KeychainStore
import Limits

/// The keychain as an application uses it, and the engine below it.
enum Subject {
    static let service = "com.example.benchmark"
    static let prefix = "account "

    static func account(_ number: Int) -> String { prefix + String(number) }

    /// 32 bytes, as the limit stores.
    static func secret(_ number: Int) -> Data { Data(String(format: "%032d", number).utf8) }

    static func name(_ number: Int) -> [String: Any] {
        [
            kSecClass as String: kSecClassGenericPassword,
            kSecAttrService as String: service,
            kSecAttrAccount as String: account(number),
        ]
    }

    static func check(_ status: OSStatus) throws {
        guard status == errSecSuccess else { throw BenchmarkError("the keychain answered \(status)") }
    }

    static func read(account: String) throws {
        let query: [String: Any] = [
            kSecClass as String: kSecClassGenericPassword,
            kSecAttrService as String: service,
            kSecAttrAccount as String: account,
            kSecReturnData as String: true,
        ]
        var result: CFTypeRef?
        try check(SecItemCopyMatching(query as CFDictionary, &result))
        guard let secret = result as? Data, secret.count == 32 else { throw BenchmarkError("a wrong secret") }
    }

    static func add(account: String, _ secret: Data) throws {
        let attributes: [String: Any] = [
            kSecClass as String: kSecClassGenericPassword,
            kSecAttrService as String: service,
            kSecAttrAccount as String: account,
            kSecValueData as String: secret,
        ]
        try check(SecItemAdd(attributes as CFDictionary, nil))
    }

    static func overwrite(account: String, _ secret: Data) throws {
        let query: [String: Any] = [
            kSecClass as String: kSecClassGenericPassword,
            kSecAttrService as String: service,
            kSecAttrAccount as String: account,
        ]
        let change: [String: Any] = [kSecValueData as String: secret]
        try check(SecItemUpdate(query as CFDictionary, change as CFDictionary))
    }

    /// The attributes of every item, as the keychain hands them out.
    static func list() throws -> NSArray {
        let query: [String: Any] = [
            kSecClass as String: kSecClassGenericPassword,
            kSecMatchLimit as String: kSecMatchLimitAll,
            kSecReturnAttributes as String: true,
        ]
        var result: CFTypeRef?
        try check(SecItemCopyMatching(query as CFDictionary, &result))
        guard let items = result as? NSArray else { throw BenchmarkError("not a list of attributes") }
        return items
    }
}

/// The engine without dictionaries.
struct EngineSubject {
    let keychain: EmbeddedKeychain
    let caller: Caller

    init(at directory: String, caller: Caller) throws {
        keychain = try EmbeddedKeychain(at: StoreLocation(directory: directory))
        self.caller = caller
    }

    init() throws { try self.init(at: Stores.subject, caller: Entitlements.callerOfThisProcess()) }

    func fill(_ range: Range<Int>) throws {
        for number in range {
            var attributes = Attributes(reservingCapacity: 2)
            attributes[.account] = .text(Subject.account(number))
            attributes[.service] = .text(Subject.service)
            let item = NewItem(
                itemClass: .genericPassword,
                attributes: attributes,
                secret: Subject.secret(number)
            )
            _ = try keychain.perform(.add(item), for: caller)
        }
    }

    func read(account: String) throws {
        var attributes = Attributes(reservingCapacity: 2)
        attributes[.account] = .text(account)
        attributes[.service] = .text(Subject.service)
        let filter = ItemFilter(itemClass: .genericPassword, attributes: attributes)
        let response = try keychain.perform(.copy(CopyRequest(filter: filter, returning: .data)), for: caller)
        guard case .items(let items) = response, items.first?.secret?.count == 32 else {
            throw BenchmarkError("a wrong secret")
        }
    }
}

/// The limit, with its names ready as C strings.
final class LimitSubject {
    let store: OpaquePointer

    init(at directory: String = Stores.limit) throws {
        guard let store = limit_open(directory) else { throw BenchmarkError("the limit does not open") }
        self.store = store
    }

    deinit { limit_close(store) }

    private static func check(_ code: Int32) throws {
        guard code == 0 else { throw BenchmarkError("the limit answered \(code)") }
    }

    func fill(_ range: Range<Int>) throws {
        let code = limit_fill(
            store,
            Subject.service,
            Subject.prefix,
            Int32(range.lowerBound),
            Int32(range.upperBound)
        )
        try Self.check(code)
    }

    func read(account: UnsafePointer<CChar>, service: UnsafePointer<CChar>) throws {
        try withUnsafeTemporaryAllocation(byteCount: 64, alignment: 1) { buffer in
            guard limit_read(store, service, account, buffer.baseAddress, 64) == 32 else {
                throw BenchmarkError("a wrong secret")
            }
        }
    }

    func add(account: String, _ secret: Data) throws {
        try Self.check(
            secret.withUnsafeBytes { limit_add(store, Subject.service, account, $0.baseAddress, $0.count) }
        )
    }

    func overwrite(account: String, _ secret: Data) throws {
        try Self.check(
            secret.withUnsafeBytes {
                limit_overwrite(store, Subject.service, account, $0.baseAddress, $0.count)
            }
        )
    }
}
