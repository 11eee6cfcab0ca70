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
}
