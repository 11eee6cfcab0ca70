// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Reads and writes values with subscripts, as in a dictionary. (Added to Valet.)
///
/// On failure, reading returns `nil` and writing changes nothing. ``lastFailure`` contains the reason.
extension Valet {
    /// The string of a key; setting `nil` removes the value.
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

    /// The bytes of a key; setting `nil` removes the value.
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
