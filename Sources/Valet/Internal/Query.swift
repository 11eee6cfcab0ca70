// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainItems
import KeychainServices

/// A dictionary that a migration passes to the `SecItem` functions.
struct Query {
    let dictionary: NSDictionary

    init(taking dictionary: NSDictionary) { self.dictionary = dictionary }

    init(_ attributes: [String: AnyHashable]) { dictionary = attributes as NSDictionary }

    func adding(_ key: CFString, _ value: Any) -> Self {
        // A mutable copy of the dictionary does not hash its keys again.
        guard let copy = dictionary.mutableCopy() as? NSMutableDictionary else { return self }
        copy.setObject(value, forKey: key as NSString)
        return Self(taking: copy)
    }

    func adding(account: String) -> Self { adding(kSecAttrAccount, NSString(string: account)) }

    /// Returns the query with the authentication context of a session; unchanged if the session is `nil`.
    func adding(_ session: AuthenticationSession?) -> Self {
        guard let session else { return self }
        #if canImport(Darwin)
        return adding(kSecUseAuthenticationContext, session.context)
        #else
        return adding(kSecUseAuthenticationContext, LAContext(session.state))
        #endif
    }

    func removing(_ keys: CFString...) -> Self {
        guard let copy = dictionary.mutableCopy() as? NSMutableDictionary else { return self }
        for key in keys { copy.removeObject(forKey: key as NSString) }
        return Self(taking: copy)
    }

    static let yes = NSNumber(value: true)
}

extension Service {
    /// The attributes that all items of the valet have, as a query for a migration.
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
