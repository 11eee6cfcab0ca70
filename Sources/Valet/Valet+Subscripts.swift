// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Added to Valet: subscripts, as in a dictionary.
///
/// On failure, reading returns `nil` and writing changes nothing. ``lastFailure`` contains the reason.
extension Valet {
    /// The string of a key; `nil` removes it.
    ///
    /// - Parameter key: The key, which must not be empty.
    public subscript(key: String) -> String? {
        get { try? string(forKey: key) }
        set {
            if let newValue {
                try? setString(newValue, forKey: key)
            } else {
                try? removeObject(forKey: key)
            }
        }
    }

    /// The bytes of a key; `nil` removes them.
    ///
    /// - Parameter key: The key, which must not be empty.
    public subscript(data key: String) -> Data? {
        get { try? object(forKey: key) }
        set {
            if let newValue {
                try? setObject(newValue, forKey: key)
            } else {
                try? removeObject(forKey: key)
            }
        }
    }
}
