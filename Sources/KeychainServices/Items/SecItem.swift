// SPDX-License-Identifier: Apache-2.0

public import Foundation
import KeychainClient
import KeychainModel

/// Adds an item.
///
/// The item is added to the program's first access group unless the dictionary names another of its groups.
/// When the call returns, the item has been written to disk.
///
/// No two items of a group may have the same primary key: account and service of a generic password; account,
/// security domain, server, protocol, authentication type, port and path of an internet password; type,
/// issuer and serial number of a certificate; class, type, sizes, application label and tag, creator and
/// dates of a key. For every class, `kSecAttrSynchronizable`, `kSecAttrSyncViewHint` and `kSecAttrTokenID`
/// are also part of the primary key.
///
/// Pass keys and certificates as objects under `kSecValueRef`: their attributes are derived from the object
/// unless the dictionary contains them. Nothing is derived from bytes under `kSecValueData`, so items added
/// in that form easily have equal primary keys and form no identity. An identity can only be passed as an
/// object: its certificate and key are added if they are missing, and all return keys except
/// `kSecReturnPersistentRef` are ignored.
///
/// - Parameters:
///   - attributes: The class or an object, the attributes, the secret under `kSecValueData` and return keys.
///     An empty secret differs from an absent one.
///   - result: Receives a result of the table below, unchanged on failure. May be `nil`.
/// - Returns: `errSecSuccess`, or a status listed below.
///
/// | Return keys               | Result                                                              |
/// |---------------------------|---------------------------------------------------------------------|
/// | none                      | `nil`                                                               |
/// | `kSecReturnData`          | `Data`, empty if the item has no secret                             |
/// | `kSecReturnAttributes`    | dictionary                                                          |
/// | `kSecReturnPersistentRef` | `Data`                                                              |
/// | `kSecReturnRef`           | `SecKey` or `SecCertificate`; `nil` for a password                  |
/// | two or more               | dictionary with attributes and the requested `kSecValue…` keys      |
///
/// - `errSecDuplicateItem`: an item with the same primary key exists.
/// - `errSecMissingEntitlement`: the program has no access group, lacks the one that the dictionary names, or is
///   below the minimum level that the access control requires.
/// - `errSecNoSuchClass`, `errSecNoSuchAttr`: the class is unknown or does not have an attribute.
/// - `errSecParam`: a key or the type of a value is invalid.
/// - `errSecDataTooLarge`: the secret has, or the attributes have, more than 939,524,096 bytes, or the call to
///   securityd more than 17 MiB.
/// - `errSecInteractionNotAllowed`: the keychain is locked for the item's protection class; or the item needs an
///   application password, which the program did not supply, and prompts are forbidden or impossible.
/// - `errSecAuthFailed`, `errSecUserCanceled`: the item needs a passcode and none is set, or a finger and none is
///   enrolled; the user did not enter the application password that the item needs; or the `LAContext` in the
///   dictionary has been invalidated.
/// - `errSecUnimplemented`: the item is not a password, and this build lacks the package trait `Objects`.
/// - `errSecNotAvailable`, `errSecDiskFull`, `errSecIO`, `errSecReadOnly`: the store cannot be opened or
///   written.
///
/// Source: Apple, *SecItemAdd(_:_:)*. Differs: with a match key or `kSecUseItemList`, the call returns
/// `errSecParam`, where iOS stores nothing and reports success. Differs: adding an item with
/// `kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly` returns `errSecAuthFailed` while no passcode is set.
/// Differs: if a damaged item has the same primary key, the call returns `errSecDuplicateItem`, where iOS
/// replaces the damaged item.
@discardableResult
public func SecItemAdd(_ attributes: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus {
    unsafe status(result) { () throws(StatusError) in try ItemCall.add(attributes) }
}

/// Finds items and returns what the query requests.
///
/// The search covers only the program's access groups. Synchronizable items are found only if
/// `kSecAttrSynchronizable` in the query is true or `kSecAttrSynchronizableAny`, or if the query contains a
/// persistent reference. All attributes of the query must equal the item's attributes byte for byte; results are
/// in no particular order. The call blocks; it is safe to call from any thread.
///
/// - Parameters:
///   - query: The class, attributes to match, `kSecMatchLimit` (by default one item) and return keys.
///   - result: Receives a result of the table below, unchanged on failure. Pass `nil` to test for existence.
/// - Returns: `errSecSuccess`, or a status listed below.
///
/// | Return keys               | One item                       | Array                              |
/// |---------------------------|--------------------------------|------------------------------------|
/// | none                      | `nil`                          | empty                              |
/// | `kSecReturnData`          | `Data`, or `nil` if no secret  | `[Data]`, of items with a secret   |
/// | `kSecReturnAttributes`    | dictionary                     | array of dictionaries              |
/// | `kSecReturnPersistentRef` | `Data`                         | `[Data]`                           |
/// | `kSecReturnRef`           | object, or `nil` for a password | array of objects, no passwords    |
/// | two or more               | dictionary                     | array of dictionaries              |
///
/// An object is a `SecKey`, `SecCertificate` or `SecIdentity`. `kSecMatchLimitAll`, or a number above 1,
/// returns an array even for one item. With two or more return keys, the dictionary contains all attributes,
/// and `kSecValueData`, `kSecValueRef` and `kSecValuePersistentRef` as requested. Booleans are returned as
/// the numbers 0 and 1, other values in the type in which they were stored. An item whose secret cannot be
/// decoded as an object is returned without the object.
///
/// Identities are not stored: a private key and each certificate of its public key form an identity. The data
/// of an identity is its private key. Its attributes are those of the certificate, supplemented by those of
/// the key. `kSecAttrLabel`, `kSecAttrTokenID` and the attributes that only certificates have are compared with
/// the certificate, all others, including the access group, with the key.
///
/// - `errSecItemNotFound`: nothing matches in the groups that the program may read.
/// - `errSecInteractionNotAllowed`: an item matches, but the keychain is locked for its protection class, or
///   its access control requires authentication and prompts are forbidden or impossible.
/// - `errSecAuthFailed`, `errSecUserCanceled`: the authentication required by an item's access control failed
///   or was cancelled, or the `LAContext` in the query has been invalidated. See ``LAContext`` for how the user is
///   asked. Every result requires the authentication, including a test for existence.
/// - `errSecMissingEntitlement`: the program has no access group, lacks the one that the query names, or is below
///   the minimum level that an item's access control requires. A query with `kSecMatchLimitAll` omits
///   items that require a higher level.
/// - `errSecNoSuchClass`, `errSecNoSuchAttr`: the class is unknown or does not have an attribute.
/// - `errSecParam`: a key or the type of a value is invalid, or a persistent reference is combined with
///   attributes.
/// - `errSecUnimplemented`: a match key does not apply to the class; or this build lacks the package trait
///   `Objects`, which certificates, keys and identities need, or `Trust`, which `kSecMatchPolicy` and
///   `kSecMatchTrustedOnly` need to evaluate a certificate.
/// - `errSecDecode`: a matching item is damaged.
/// - `errSecDataTooLarge`: the items found are too large for one reply of securityd, which has at most 17 MiB.
/// - `errSecNotAvailable`, `errSecIO`: the store cannot be opened or read.
///
/// Source: Apple, *SecItemCopyMatching(_:_:)*. Differs: a damaged item is reported and kept, where iOS
/// deletes it and finds nothing. Differs: the match keys apply before the limit; iOS applies the limit first
/// and may miss matches. Differs: a public key forms no identity. Differs: attributes that only certificates
/// have also find identities, where iOS reports a store failure. Differs: the dictionary of an
/// identity contains the certificate's bytes only in the object, where iOS also returns them under an
/// undocumented key. Differs: collections under ignored keys, in this and the other functions, have at most
/// 10,000 members in total. Differs: an undecryptable item counts as a match unless the stored digests of its
/// attributes, or its protection class, differ from the query.
@discardableResult
public func SecItemCopyMatching(
    _ query: CFDictionary,
    _ result: UnsafeMutablePointer<CFTypeRef?>?
) -> OSStatus {
    unsafe status(result) { () throws(StatusError) in try ItemCall.copyMatching(query) }
}

/// Updates every matching item, or none of them.
///
/// - Parameters:
///   - query: The class and attributes to match, as for ``SecItemCopyMatching(_:_:)``; every match is
///     changed.
///   - attributesToUpdate: The new attributes, and the new secret under `kSecValueData`. An empty dictionary
///     only sets the modification date. An attribute is cleared with an empty value. `kSecAttrAccessible`
///     removes the item's access control.
/// - Returns: `errSecSuccess`, or a status listed below.
///
/// Persistent references stay valid after any update.
///
/// - `errSecItemNotFound`: nothing matches in the groups that the program may read.
/// - `errSecDuplicateItem`: with the new values, two items would have the same primary key.
/// - `errSecNoSuchClass`, `errSecNoSuchAttr`: the class is unknown or does not have an attribute, or the new
///   values contain a key that is not an attribute.
/// - `errSecParam`: a key or the type of a value is invalid; the query has a return key, a match key, or a limit
///   other than `kSecMatchLimitAll`.
/// - `errSecMissingEntitlement`: the program has no access group, lacks one that a dictionary names, or is below
///   the minimum level that an item's access control requires, before or after the update.
/// - `errSecDataTooLarge`: the secret or the attributes would have more than 939,524,096 bytes, or the call to
///   securityd more than 17 MiB.
/// - `errSecInteractionNotAllowed`, `errSecAuthFailed`, `errSecUserCanceled`, `errSecDecode`: as for
///   ``SecItemCopyMatching(_:_:)`` and, if a new access control or protection class is given, ``SecItemAdd(_:_:)``.
/// - `errSecUnimplemented`: the item is not a password, and this build lacks the package trait `Objects`.
/// - `errSecNotAvailable`, `errSecDiskFull`, `errSecIO`, `errSecReadOnly`: the store cannot be opened or
///   written.
///
/// For an identity, the certificate and the key are updated, so both classes must have the new attributes. The
/// persistent reference of an identity is rejected: the call returns `errSecInternal` or, if the query also contains
/// `kSecClass`, `errSecNoSuchClass`.
///
/// Source: Apple, *SecItemUpdate(_:_:)*. Differs: `kSecMatchLimitAll` in the query is accepted. Differs: if
/// one of several items or one part of an identity fails, none is changed. Differs: if the new values
/// produce the primary key of a damaged item, the call returns `errSecDuplicateItem`, where iOS replaces the
/// damaged item. Differs: an undecryptable item counts as a match unless the stored digests of its attributes,
/// or its protection class, differ from the query.
@discardableResult
public func SecItemUpdate(_ query: CFDictionary, _ attributesToUpdate: CFDictionary) -> OSStatus {
    status(nil) { () throws(StatusError) in try ItemCall.update(query, attributesToUpdate) }
}

/// Deletes every matching item.
///
/// A query with only a class deletes all items of that class in all of the program's access groups, except
/// synchronizable ones.
///
/// Locked items and items with an access control are deleted without being decrypted if the digests that are
/// stored with them show that they match. The digests suffice if the query contains only the class,
/// `kSecAttrAccessGroup`, `kSecAttrAccessible`, a persistent reference, attributes whose digests are stored, or
/// the whole primary key, which `kSecValueRef` of a certificate supplies. For a key, `kSecAttrApplicationTag`
/// and `kSecAttrApplicationLabel`, or the only one of them that the key has, count as the whole primary key.
/// With any other query, the call returns `errSecInteractionNotAllowed` if such an item may match but cannot
/// be decrypted, because a deletion never prompts.
///
/// - Parameter query: The class and attributes to match, as for ``SecItemCopyMatching(_:_:)``; return keys
///   are ignored.
/// - Returns: `errSecSuccess`, or a status listed below.
///
/// - `errSecItemNotFound`: nothing matches in the groups that the program may read.
/// - `errSecNoSuchClass`, `errSecNoSuchAttr`: the class is unknown or does not have an attribute.
/// - `errSecParam`: a key or the type of a value is invalid; or the query has a match key, or a limit other than
///   `kSecMatchLimitAll`.
/// - `errSecMissingEntitlement`: the program has no access group, lacks the one that the query names, or is below
///   the minimum level that an item's access control requires.
/// - `errSecInteractionNotAllowed`: an item that may match is locked or needs authentication, and its stored digests
///   do not show whether it matches, as described above.
/// - `errSecAuthFailed`: the `LAContext` in the query has been invalidated, or its application password is wrong for
///   an item that may match.
/// - `errSecDecode`: an item is damaged, and its stored digests do not show whether it matches.
/// - `errSecUnimplemented`: the item is not a password, and this build lacks the package trait `Objects`.
/// - `errSecNotAvailable`, `errSecDiskFull`, `errSecIO`, `errSecReadOnly`: the store cannot be opened or
///   written.
///
/// For the identity class, with or without attributes, every matching certificate and every matching key is
/// deleted, whether they form an identity or not. An identity under `kSecValueRef`, or its persistent
/// reference, deletes the certificate, and the key unless another certificate needs it.
///
/// Source: Apple, *SecItemDelete(_:)*. Differs: `kSecMatchLimitAll` in the query is accepted. Differs: a
/// query for the identity class deletes nothing if it matches only certificates or only keys. Differs: an
/// undecryptable item is deleted only if its stored digests suffice to show that it matches. Differs: after
/// the passcode was removed, an item that required it is not found, because removing the passcode deleted the
/// item.
@discardableResult
public func SecItemDelete(_ query: CFDictionary) -> OSStatus {
    status(nil) { () throws(StatusError) in try ItemCall.delete(query) }
}

extension OSStatus {
    /// Converts an error to a status, and records it as the last failure of the thread.
    ///
    /// Every function of the API that returns a status for a `StatusError` calls this initializer.
    init(recording error: StatusError) {
        FailureLog.record(error)
        self = error.status.rawValue
    }
}

/// Runs the body of a `SecItem` function; stores its result in `result` and returns its status.
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
