// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices

/// A dictionary for the keychain that never changes, and so may be shared by threads.
struct Query: Sendable {
    @safe nonisolated(unsafe) let dictionary: NSDictionary

    init(taking dictionary: NSDictionary) { self.dictionary = dictionary }

    /// A query of a caller, with what it holds as it is.
    init(_ attributes: [String: AnyHashable]) { dictionary = attributes as NSDictionary }

    /// The attributes that every item of a valet has.
    ///
    /// Names become the objects that the keychain wants here and once, not in every call.
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

    /// The same with one more entry.
    func adding(_ key: CFString, _ value: Any) -> Self {
        // Copied, not built anew: the names of the keys are hashed once and for all.
        guard let copy = dictionary.mutableCopy() as? NSMutableDictionary else { return self }
        copy.setObject(value, forKey: key as NSString)
        return Self(taking: copy)
    }

    func adding(account: String) -> Self { adding(kSecAttrAccount, NSString(string: account)) }

    /// The same with a context; the same if there is none.
    func adding(_ context: LAContext?) -> Self {
        context.map { adding(kSecUseAuthenticationContext, $0) } ?? self
    }

    /// The same without some entries.
    func removing(_ keys: CFString...) -> Self {
        guard let copy = dictionary.mutableCopy() as? NSMutableDictionary else { return self }
        for key in keys { copy.removeObject(forKey: key as NSString) }
        return Self(taking: copy)
    }

    static let yes = NSNumber(value: true)
}

extension Service {
    /// The attributes of every item that the valet keeps.
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
