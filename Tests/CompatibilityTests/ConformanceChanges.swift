// SPDX-License-Identifier: Apache-2.0

/// SecItemUpdate and SecItemDelete.
extension ConformanceSection {
    // swift-format-ignore
    static let changing: [Self] = [
        Self("11 SecItemUpdate: the query", rows: 5, [
            .matrix("a return key that is true: `errSecParam`", "return key true"),
            .matrix("a return key that is false", "return key false"),
            .differs("match keys: `errSecParam`", .matchLimitAll),
            .matrix("a list of items: `errSecParam`", "a list of items"),
            .matrix("a value filters nothing", "a secret"),
        ]),
        Self("11 SecItemUpdate: the new values", rows: 15, [
            .shown("any attribute of the class", "ClassConversionTests", "an update converts like an addition"),
            .shown("the value, which may be empty", "DefaultAttributeTests", "an item of any class has no value, an empty one or one"),
            .matrix("`nleg` is ignored", "the keychain's choice"),
            .matrix("the user is ignored", "another user"),
            .shown("the date of modification is the clock's", "ValueConversionTests", "a date of creation can be set by an update alone"),
            .matrix("an access control; a context is `errSecNoSuchAttr`", "a context"),
            .matrix("what is no attribute of the class: `errSecNoSuchAttr`", "failing"),
            .matrix("a key that is no string: `errSecParam`", "a number for a key"),
            .matrix("a value of the wrong type: `errSecParam`", "null for a value"),
            .matrix("a bad class of protection, or an unequal access control: `errSecParam`", "both kinds of access"),
            .matrix("a sharing group, the mark of app clips: `errSecParam`", "a sharing group"),
            .matrix("a group that the program lacks: `errSecMissingEntitlement`", "a number for a group"),
            .matrix("synchronizable together with an access control: `errSecParam`", "access and sync"),
            .impossible("no dictionary at all", because: "the parameter is not optional"),
            .shown("an empty one touches the date of modification", "DefaultAttributeTests", "an empty update changes the date of modification alone"),
        ]),
        Self("11 SecItemUpdate: outcomes", rows: 13, [
            .shown("nothing matches: `errSecItemNotFound`", "ErrorMatrixTests", "what is not there is not found"),
            .shown("a collision: `errSecDuplicateItem`, and nothing is changed", "UpdateTests", "a collision changes nothing, not even the items before it"),
            .shown("a tombstone in the way is replaced", "KeychainEngineTests.SynchronizableTests", "a tombstone gives way to an item that moves to its identity"),
            .shown("the values that the item has are no collision", "UpdateTests", "setting the values that an item has is no collision"),
            .shown("a move to another group", "UpdateTests", "an item moves to another group of the caller"),
            .shown("a locked item: `errSecInteractionNotAllowed`", "LockMatrixTests", "each call answers for each class as the state demands", row: "update"),
            .shown("an item with constraints", "PromptCountTests", "each call asks as often as it says", row: "update"),
            .differs("a damaged item is as good as absent", .damagedItem),
            .shown("the date of modification always grows", "UpdateTests", "the dates follow the rules when the clock goes back"),
            .shown("the persistent reference stays", "KeychainEngineTests.PersistentReferenceTests", "a reference survives every change of the item"),
            .shown("another class of protection for an item with constraints", "ConstrainedItemTests", "an update keeps the constraints, and a class takes their place"),
            .shown("an access control gives the item its class", "AccessControlTests", "a returned one can be set again"),
            .shown("an identity: the certificate and the key", "IdentityReferenceTests", "an update changes both halves, by class or by reference"),
        ]),
        Self("12 SecItemDelete", rows: 14, [
            .shown("everything that matches", "DeleteTests", "everything that matches is deleted and nothing else"),
            .shown("a class alone empties it in all groups of the program", "DeleteTests", "a class alone empties all groups of the caller, and no other"),
            .shown("nothing matches: `errSecItemNotFound`", "ErrorMatrixTests", "what is not there is not found"),
            .differs("match keys: `errSecParam`", .matchLimitAll),
            .matrix("return keys are ignored", "return key true"),
            .matrix("a list of items is ignored", "a list of items"),
            .matrix("skipping: `errSecParam`", "skipping"),
            .matrix("a group that the program lacks: `errSecMissingEntitlement`", "a foreign group"),
            .shown("a persistent reference and attributes must both fit", "KeychainEngineTests.PersistentReferenceTests", "a reference and attributes must both fit in update and delete"),
            .shown("a key or a certificate deletes its own item", "KeyReferenceTests", "both halves are items, and each reference finds its own"),
            .shown("a locked item is deleted", "LockMatrixTests", "each call answers for each class as the state demands", row: "delete"),
            .shown("an item with constraints", "PromptCountTests", "each call asks as often as it says", row: "delete"),
            .differs("both by any attributes", .unopenedDeletion, rows: 0),
            .shown("a synchronizable item leaves a tombstone, unless told not to", "KeychainServicesTests.SynchronizableTests", "a tombstone is found only by asking, and not if it was not wanted"),
            .shown("an identity", "IdentityReferenceTests", "deleting an identity leaves a key that another certificate needs"),
        ]),
    ]
}
