// SPDX-License-Identifier: Apache-2.0

public import Foundation

extension NSMutableDictionary {
    /// Sets the object of a key, or removes it.
    ///
    /// Older keychain code builds its queries with it. On Apple's platforms it comes with key-value coding, which
    /// Foundation lacks on Linux.
    ///
    /// - Parameters:
    ///   - value: The object; `nil` removes the one that is there.
    ///   - key: The key.
    public func setValue(_ value: Any?, forKey key: String) {
        if let value {
            setObject(value, forKey: NSString(string: key))
        } else {
            removeObject(forKey: NSString(string: key))
        }
    }

    /// Sets the object of a key that is only known to be copied.
    ///
    /// On Apple's platforms every key is: older keychain code writes `forKey: kSecClass as! NSCopying`.
    ///
    /// - Parameters:
    ///   - anObject: The object.
    ///   - aKey: The key, of which a copy is kept; it must be hashable.
    public func setObject(_ anObject: Any, forKey aKey: any NSCopying) {
        guard let key = aKey.copy(with: nil) as? AnyHashable else {
            preconditionFailure("a key must be hashable")
        }
        setObject(anObject, forKey: key)
    }
}
