// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices

/// An immutable keychain dictionary, which threads can share.
struct Query: Sendable {
    @safe nonisolated(unsafe) let dictionary: NSDictionary

    init(taking dictionary: NSDictionary) { self.dictionary = dictionary }

    /// Creates a query from a caller's dictionary.
    init(_ attributes: [String: AnyHashable]) { dictionary = attributes as NSDictionary }

    /// The attributes of every item of a valet.
    ///
    /// Names are converted to objects once, instead of in every call.
    init(attributesOf service: Service) {
        let dictionary = NSMutableDictionary()
        for (key, value) in service.attributes {
            let object: Any =
                switch value.base {
                case let text as String: NSString(string: text)
                case let flag as Bool: NSNumber(value: flag)
                default: value.base
                }
            dictionary.setObject(object, forKey: NSString(string: key))
        }
        self.dictionary = dictionary
    }

    /// Returns the query with an additional entry.
    func adding(_ key: CFString, _ value: Any) -> Self {
        // A copy does not hash the keys again.
        guard let copy = dictionary.mutableCopy() as? NSMutableDictionary else { return self }
        copy.setObject(value, forKey: key as NSString)
        return Self(taking: copy)
    }

    func adding(account: String) -> Self { adding(kSecAttrAccount, NSString(string: account)) }

    /// Returns the query with a context, if it is not `nil`.
    func adding(_ context: LAContext?) -> Self {
        context.map { adding(kSecUseAuthenticationContext, $0) } ?? self
    }

    /// Returns the query without some entries.
    func removing(_ keys: CFString...) -> Self {
        guard let copy = dictionary.mutableCopy() as? NSMutableDictionary else { return self }
        for key in keys { copy.removeObject(forKey: key as NSString) }
        return Self(taking: copy)
    }

    static let yes = NSNumber(value: true)
}

extension Service {
    /// The attributes of every item of the valet.
    var attributes: [String: AnyHashable] {
        var attributes: [String: AnyHashable] = [
            kSecClass as String: kSecClassGenericPassword as String,
            kSecAttrService as String: description,
            kSecUseDataProtectionKeychain as String: true,
        ]
        if let group { attributes[kSecAttrAccessGroup as String] = group.description }
        if configuration.synchronizes { attributes[kSecAttrSynchronizable as String] = true }
        let accessibility = configuration.accessibility.secAccessibilityAttribute
        if let control = configuration.accessControl {
            attributes[kSecAttrAccessControl as String] = SecAccessControlCreateWithFlags(
                nil,
                accessibility as CFString,
                control.flags,
                nil
            )
        } else {
            attributes[kSecAttrAccessible as String] = accessibility
        }
        return attributes
    }
}
