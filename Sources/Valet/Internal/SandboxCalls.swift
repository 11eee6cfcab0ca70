// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices

/// What the three valets do, written once: each call is about the items of one sandbox.
///
/// Nothing is locked here. Every call of the keychain is atomic, and what takes two of them says why that is enough.
enum SandboxCalls {
    /// The account of the item that is written to see whether writing works.
    static let canaryKey = "VAL_KeychainCanaryUsername"
    static let canaryValue = Data("VAL_KeychainCanaryPassword".utf8)

    static func object(
        forKey key: String,
        in sandbox: Sandbox,
        _ context: LAContext? = nil
    ) throws(KeychainFailure) -> Data {
        try checkKey(key, .read)
        let (status, result) = SecItem.copy(matching: sandbox.value(key).adding(context).dictionary)
        guard status == errSecSuccess else { throw KeychainFailure(status, .read) }
        // An item without a value is not one of a valet.
        guard let value = result as? Data else { throw KeychainFailure(errSecItemNotFound, .read) }
        return value
    }

    static func string(
        forKey key: String,
        in sandbox: Sandbox,
        _ context: LAContext? = nil
    ) throws(KeychainFailure) -> String {
        let value = try object(forKey: key, in: sandbox, context)
        guard let string = String(validating: value, as: UTF8.self) else {
            throw KeychainFailure(.itemNotFound, status: errSecDecode, .read)
        }
        return string
    }

    static func setObject(
        _ object: Data,
        forKey key: String,
        in sandbox: Sandbox
    ) throws(KeychainFailure) {
        try checkKey(key, .write)
        guard !object.isEmpty else { throw KeychainFailure(.emptyValue, .write) }
        try check(store(object, key, in: sandbox), .write)
    }

    static func setString(
        _ string: String,
        forKey key: String,
        in sandbox: Sandbox
    ) throws(KeychainFailure) {
        try setObject(Data(string.utf8), forKey: key, in: sandbox)
    }

    /// Whether there is a value; nobody is asked for anything.
    static func containsObject(forKey key: String, in sandbox: Sandbox) throws(KeychainFailure) -> Bool {
        // Valet has no error of its own for this.
        guard !key.isEmpty else { throw KeychainFailure(errSecParam, .read) }
        let context = sandbox.isConstrained ? LAContext.ofNobody() : nil
        switch SecItem.containsObject(
            matching: sandbox.items.adding(account: key).adding(context).dictionary
        ) {
        case errSecSuccess: return true
        case errSecItemNotFound: return false
        case errSecInteractionNotAllowed where sandbox.isConstrained: return true
        case let status: throw KeychainFailure(status, .read)
        }
    }

    /// The keys of the values; those that are no text are left out.
    static func allKeys(
        in sandbox: Sandbox,
        _ context: LAContext? = nil
    ) throws(KeychainFailure) -> Set<String> {
        var keys: Set<String> = []
        for item in try allItems(in: sandbox, context) {
            if let key = item.object(forKey: kSecAttrAccount as NSString) as? String { keys.insert(key) }
        }
        return keys
    }

    /// The attributes of every item but the canary.
    static func allItems(
        in sandbox: Sandbox,
        _ context: LAContext? = nil
    ) throws(KeychainFailure) -> [NSDictionary] {
        let query = sandbox.items.adding(kSecMatchLimit, kSecMatchLimitAll)
            .adding(kSecReturnAttributes, Query.yes).adding(context)
        let (status, result) = SecItem.copy(matching: query.dictionary)
        if status == errSecItemNotFound { return [] }
        try check(status, .list)
        return NSDictionary.each(of: result).filter {
            $0.object(forKey: kSecAttrAccount as NSString) as? String != canaryKey
        }
    }

    static func removeObject(forKey key: String, in sandbox: Sandbox) throws(KeychainFailure) {
        try checkKey(key, .remove)
        try checkRemoval(SecItem.deleteItems(matching: sandbox.items.adding(account: key).dictionary))
    }

    static func removeAllObjects(in sandbox: Sandbox) throws(KeychainFailure) {
        try checkRemoval(SecItem.deleteItems(matching: sandbox.items.dictionary))
    }

    /// What is not there is removed; what could not be removed is an error, whatever the reason.
    private static func checkRemoval(_ status: OSStatus) throws(KeychainFailure) {
        if status != errSecItemNotFound { try check(status, .remove) }
    }

    static func check(_ status: OSStatus, _ operation: KeychainFailure.Operation) throws(KeychainFailure) {
        guard status == errSecSuccess else { throw KeychainFailure(status, operation) }
    }

    private static func checkKey(
        _ key: String,
        _ operation: KeychainFailure.Operation
    ) throws(KeychainFailure) {
        guard !key.isEmpty else { throw KeychainFailure(.emptyKey, operation) }
    }
}

extension NSDictionary {
    /// The dictionaries of a result, which is one or an array of them.
    static func each(of result: CFTypeRef?) -> [NSDictionary] {
        if let one = result as? NSDictionary { return [one] }
        guard let many = result as? NSArray else { return [] }
        return many.compactMap { $0 as? NSDictionary }
    }
}

extension LAContext {
    /// A context for which nobody is asked.
    static func ofNobody() -> LAContext {
        let context = LAContext()
        context.interactionNotAllowed = true
        return context
    }

    /// A context that tells the user why; `nil` for an empty reason.
    static func telling(_ prompt: String) -> LAContext? {
        guard !prompt.isEmpty else { return nil }
        let context = LAContext()
        context.localizedReason = prompt
        return context
    }
}
