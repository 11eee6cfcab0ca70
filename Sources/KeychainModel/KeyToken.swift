// SPDX-License-Identifier: Apache-2.0

/// The token (`kSecAttrTokenID`) whose private keys the daemon makes, keeps and uses.
package enum KeyToken {
    /// The value of `kSecAttrTokenID` in the attributes of the token's keys.
    package static let identifier = "com.apple.setoken"
    /// The access group of the hidden items in which the daemon stores the private keys of the token.
    ///
    /// A daemon for all users gives this group to no program. A program can claim the group from a daemon for one user,
    /// which still removes these items from results.
    package static let privateGroup = "keychain.private-keys"

    /// The caller that adds, reads and deletes the hidden items with the private keys.
    package static let owner = Caller(applicationIdentifier: privateGroup, accessGroups: [privateGroup])

    /// Returns the attributes of the hidden item that contains the private key of the given key item.
    package static func privateHalf(of key: PersistentReference) -> Attributes {
        var attributes = Attributes()
        let digits = Array("0123456789abcdef")
        let name = key.bytes.reduce(into: "") { name, byte in
            name += [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
        attributes[.account] = .string(name)
        attributes[.service] = .string("")
        return attributes
    }
}
