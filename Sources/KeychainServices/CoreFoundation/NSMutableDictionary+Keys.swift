// SPDX-License-Identifier: Apache-2.0

public import Foundation

extension NSMutableDictionary {
    /// Sets the object for a key, or removes it.
    ///
    /// Older keychain code builds queries with this method, which is part of key-value coding on Apple's
    /// platforms. Foundation on Linux lacks it.
    ///
    /// - Parameters:
    ///   - value: The object; `nil` removes the current one.
    ///   - key: The key.
    public func setValue(_ value: Any?, forKey key: String) {
        if let value {
            setObject(value, forKey: NSString(string: key))
        } else {
            removeObject(forKey: NSString(string: key))
        }
    }

    /// Sets the object for a key whose static type is `any NSCopying`.
    ///
    /// Older keychain code writes `forKey: kSecClass as! NSCopying`, because on Apple's platforms every
    /// dictionary key conforms to this protocol.
    ///
    /// - Parameters:
    ///   - anObject: The object.
    ///   - aKey: The key, which is copied; traps if the copy is not hashable.
    public func setObject(_ anObject: Any, forKey aKey: any NSCopying) {
        guard let key = aKey.copy(with: nil) as? AnyHashable else {
            preconditionFailure("a key must be hashable")
        }
        setObject(anObject, forKey: key)
    }
}
