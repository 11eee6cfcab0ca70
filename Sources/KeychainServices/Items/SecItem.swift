// SPDX-License-Identifier: Apache-2.0

public import Foundation
import KeychainClient
import KeychainModel

/// Adds an item.
///
/// The item belongs to the program's first access group unless the dictionary names another of its groups. No
/// two items of a group may agree in every unique attribute of their class: account and service of a generic
/// password; account, security domain, server, protocol, authentication type, port and path of an internet
/// password; type, issuer and serial number of a certificate; class, type, sizes, application label and tag,
/// creator and dates of a key; and `kSecAttrSynchronizable`. When the call returns, the item is on the disk.
///
/// Keys and certificates are best given as objects under `kSecValueRef`, from which their attributes follow;
/// what the dictionary names besides wins. Of bytes under `kSecValueData` nothing follows: such items collide
/// easily and make no identity. An identity is given as an object only: both halves are added, or the one that
/// is not there yet, and of the return keys only `kSecReturnPersistentRef` counts.
///
/// - Parameters:
///   - attributes: The class or an object, the attributes, the secret under `kSecValueData` and return keys.
///     The secret may be empty or absent, which is not the same.
///   - result: Receives the shape below, or is left alone on failure. Pass `nil` to get nothing.
/// - Returns: `errSecSuccess`, or one of the statuses below.
///
/// | Return keys               | Result                                                              |
/// |---------------------------|---------------------------------------------------------------------|
/// | none                      | `nil`                                                               |
/// | `kSecReturnData`          | `Data`, empty if the item has no secret                             |
/// | `kSecReturnAttributes`    | dictionary                                                          |
/// | `kSecReturnPersistentRef` | `Data`                                                              |
/// | `kSecReturnRef`           | `SecKey` or `SecCertificate`; `nil` for a password                  |
/// | two or more               | dictionary with `kSecValueData`, `kSecValueRef` and so on, as asked for |
///
/// - `errSecDuplicateItem`: an item that agrees in every unique attribute exists.
/// - `errSecMissingEntitlement`: the program has no access group, or not the one it names.
/// - `errSecNoSuchClass`, `errSecNoSuchAttr`: the class is unknown, or lacks an attribute.
/// - `errSecParam`: a key or the type of a value is wrong.
/// - `errSecDataTooLarge`: the value, or the attributes, have more than 939,524,096 bytes.
/// - `errSecInteractionNotAllowed`: the keychain is locked for the item's protection class.
/// - `errSecNotAvailable`, `errSecDiskFull`, `errSecIO`, `errSecReadOnly`: the store cannot be opened or
///   written.
///
/// Source: Apple, *SecItemAdd(_:_:)*. Differs: a match key or `kSecUseItemList` is `errSecParam`, where iOS
/// stores nothing and reports success. Differs: an item with
/// `kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly` is `errSecAuthFailed` while no passcode is set. Differs: where a
/// damaged item is unique in the same way, the new one is `errSecDuplicateItem`, where iOS replaces the old.
@discardableResult
public func SecItemAdd(_ attributes: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus {
    unsafe status(result) { () throws(StatusError) in try ItemCall.add(attributes) }
}

/// Finds items and returns what the query asks for.
///
/// The search covers the program's access groups only. Items that synchronize are found only if the query
/// names `kSecAttrSynchronizable`. Every attribute of the query must be equal, byte for byte; there is no
/// order among the items found. The call blocks; it is safe from any thread.
///
/// - Parameters:
///   - query: The class, attributes to match, `kSecMatchLimit` (by default one item) and return keys.
///   - result: Receives the shape below, or is left alone on failure. Pass `nil` to test for existence.
/// - Returns: `errSecSuccess`, or one of the statuses below.
///
/// | Return keys               | One item                       | Array                              |
/// |---------------------------|--------------------------------|------------------------------------|
/// | none                      | `nil`                          | empty                              |
/// | `kSecReturnData`          | `Data`, or `nil` if no secret  | `[Data]`, no secret is left out    |
/// | `kSecReturnAttributes`    | dictionary                     | array of dictionaries              |
/// | `kSecReturnPersistentRef` | `Data`                         | `[Data]`                           |
/// | `kSecReturnRef`           | `SecKey`, `SecCertificate`, `SecIdentity`; `nil` for a password | array of them, passwords left out |
/// | two or more               | dictionary                     | array of dictionaries              |
///
/// `kSecMatchLimitAll`, or a number above 1, gives an array even of one item. The dictionary of two or more
/// return keys has all attributes, and `kSecValueData`, `kSecValueRef` and `kSecValuePersistentRef` as asked
/// for. Booleans come back as the numbers 0 and 1, other values in the type in which they were stored. An item
/// whose bytes make no object has none, which is no error.
///
/// An identity is every private key together with every certificate of its public key: no identity is stored.
/// Its data is the private key, its attributes are those of the key under those of the certificate;
/// `kSecAttrLabel`, `kSecAttrIssuer` and what else only certificates have are looked for in the certificate,
/// everything else, the access group too, in the key.
///
/// - `errSecItemNotFound`: nothing matches in any group that the program may read.
/// - `errSecInteractionNotAllowed`: an item matches, but the keychain is locked for its protection class, or its access
///   control needs an authentication and nobody may or can be asked.
/// - `errSecAuthFailed`, `errSecUserCanceled`: the authentication that an item's access control needs failed, or was
///   cancelled. See ``LAContext`` for how the user is asked; every kind of result needs it, a test for existence too.
/// - `errSecMissingEntitlement`: the program has no access group, or not the one it names.
/// - `errSecNoSuchClass`, `errSecNoSuchAttr`: the class is unknown, or lacks an attribute.
/// - `errSecParam`: a key or the type of a value is wrong, or a persistent reference stands beside
///   attributes.
/// - `errSecUnimplemented`: the match key does not apply to the class.
/// - `errSecDecode`: an item that matches is damaged.
/// - `errSecNotAvailable`, `errSecIO`: the store cannot be opened or read.
///
/// Source: Apple, *SecItemCopyMatching(_:_:)*. Differs: a damaged
/// item is reported and kept, where iOS deletes it and finds nothing. Differs: the limit counts what passes the
/// match keys, where iOS can miss a match behind it. Differs: a public key makes no identity. Differs: attributes that
/// only certificates have find identities, where iOS reports that the store failed. Differs: the dictionary of an
/// identity has the bytes of its certificate in the object alone, where iOS has them under a private name too. Differs: a
/// collection under a key that is ignored, in this and the other calls, has at most 10,000 members, all levels together.
/// Differs: an item that cannot be decrypted counts as a match unless its digests or its protection class differ.
@discardableResult
public func SecItemCopyMatching(
    _ query: CFDictionary,
    _ result: UnsafeMutablePointer<CFTypeRef?>?
) -> OSStatus {
    unsafe status(result) { () throws(StatusError) in try ItemCall.copyMatching(query) }
}

/// Changes every item that the query finds, or none of them.
///
/// - Parameters:
///   - query: The class and attributes to match, as for ``SecItemCopyMatching(_:_:)``; every match is
///     changed.
///   - attributesToUpdate: The new attributes, and the new secret under `kSecValueData`. An empty dictionary
///     sets the date of modification alone. Nothing clears an attribute but an empty value.
/// - Returns: `errSecSuccess`, or one of the statuses below.
///
/// A persistent reference stays valid whatever changes.
///
/// - `errSecItemNotFound`: nothing matches in any group that the program may read.
/// - `errSecDuplicateItem`: the new values would make an item agree with another in every unique attribute.
/// - `errSecNoSuchAttr`: the class lacks an attribute, or the new values hold a key that is no attribute.
/// - `errSecParam`: a key or the type of a value is wrong; the query has a return key, a limit or a match
///   key.
/// - `errSecMissingEntitlement`: the program has no access group, or not the one it names.
/// - `errSecDataTooLarge`: the value, or the attributes, would have more than 939,524,096 bytes.
/// - `errSecInteractionNotAllowed`: an item matches, but the keychain is locked for its protection class.
/// - `errSecNotAvailable`, `errSecDiskFull`, `errSecIO`, `errSecReadOnly`: the store cannot be opened or
///   written.
///
/// Of identities both halves are changed, so the new values must be at home in both classes.
///
/// Source: Apple, *SecItemUpdate(_:_:)*. Differs: `kSecMatchLimitAll` in the query is accepted. Differs:
/// where one of several items or one half of an identity fails, none is changed. Differs: new values that make an item
/// unique in the same way as a damaged one are `errSecDuplicateItem`, where iOS replaces the damaged item. Differs: an
/// item that cannot be decrypted counts as a match unless its digests or its protection class differ.
@discardableResult
public func SecItemUpdate(_ query: CFDictionary, _ attributesToUpdate: CFDictionary) -> OSStatus {
    status(nil) { () throws(StatusError) in try ItemCall.update(query, attributesToUpdate) }
}

/// Deletes every item that the query finds.
///
/// A query that names a class alone deletes everything of that class in all of the program's access groups,
/// but for what synchronizes.
///
/// Nothing is read to delete what is locked or constrained, if its digests tell whether it is meant: if the query has
/// nothing but the class, `kSecAttrAccessGroup`, `kSecAttrAccessible`, a persistent reference, attributes that are
/// searched by, or all attributes that make the item unique, as `kSecValueRef` of a certificate has. Of a key all count
/// as named where `kSecAttrApplicationTag` and `kSecAttrApplicationLabel` are named as far as the key has them. For any
/// other query what is locked is `errSecInteractionNotAllowed`, and the user is asked for what is constrained.
///
/// - Parameter query: The class and attributes to match, as for ``SecItemCopyMatching(_:_:)``; return keys
///   are ignored.
/// - Returns: `errSecSuccess`, or one of the statuses below.
///
/// - `errSecItemNotFound`: nothing matches in any group that the program may read.
/// - `errSecNoSuchClass`, `errSecNoSuchAttr`: the class is unknown, or lacks an attribute.
/// - `errSecParam`: a key or the type of a value is wrong, or the query has a limit or a match key.
/// - `errSecMissingEntitlement`: the program has no access group, or not the one it names.
/// - `errSecNotAvailable`, `errSecDiskFull`, `errSecIO`, `errSecReadOnly`: the store cannot be opened or
///   written.
///
/// The class identity alone, or with attributes, deletes every certificate and every key that has them,
/// whether they belong together or not. An identity under `kSecValueRef`, or its persistent reference, deletes
/// the certificate, and the key unless another certificate needs it.
///
/// Source: Apple, *SecItemDelete(_:)*. Differs: `kSecMatchLimitAll` in the query is accepted. Differs: where one
/// half of the class identity finds nothing, nothing is deleted. Differs: an item that cannot be opened is deleted only
/// by a query that its digests decide. Differs: an item that required the passcode is `errSecItemNotFound` after the
/// passcode was removed, because removing it deleted the item.
@discardableResult
public func SecItemDelete(_ query: CFDictionary) -> OSStatus {
    status(nil) { () throws(StatusError) in try ItemCall.delete(query) }
}

extension OSStatus {
    /// Converts an error to a status, and records it as the last failure of the thread.
    ///
    /// No other code converts errors to statuses.
    init(recording error: StatusError) {
        FailureLog.record(error)
        self = error.status.rawValue
    }
}

/// Runs a call and returns its status.
private func status(
    _ result: UnsafeMutablePointer<CFTypeRef?>?,
    _ call: () throws(StatusError) -> CFTypeRef?
) -> OSStatus {
    do throws(StatusError) {
        let object = try call()
        unsafe result?.pointee = object
        return errSecSuccess
    } catch {
        return OSStatus(recording: error)
    }
}
