// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Added to Valet: values as in a dictionary, for where an error would not be told from an absence anyway.
///
/// What fails is in ``lastFailure``: reading gives `nil`, and writing leaves what is there.
extension Valet {
    /// The text of a key; `nil` removes it.
    ///
    /// - Parameter key: The key, which is not empty.
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
    /// - Parameter key: The key, which is not empty.
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
