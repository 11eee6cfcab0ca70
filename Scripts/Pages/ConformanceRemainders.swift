// SPDX-License-Identifier: Apache-2.0

extension ConformanceSection {
    static let remainders: [Self] = [macOS, disagreements, surprises]

    private static let noShim = "this package behaves like iOS"

    // swift-format-ignore
    private static let macOS = Self("22 Behaviour of macOS that differs from iOS", rows: 13, [
        .impossible("macOS returns `errSecParam` for a missing (`NULL`) dictionary", because: "the parameter is not optional"),
        .shown("on macOS, `SecItemAdd` first sets the result to `NULL`; here, as on iOS, a failed call leaves it unchanged", "ResultShapeTests", "a failed call leaves the result unchanged"),
        .matrix("macOS drops match keys from calls that do not search; here, as on iOS, such calls return `errSecParam` for them", "the limit one"),
        .matrix("macOS drops return keys from the query of `SecItemUpdate`; here, as on iOS, they are `errSecParam`", "return key true"),
        .matrix("macOS drops `kSecValueData` from queries; here, as on iOS, queries ignore it", "a secret"),
        .impossible("macOS drops lists of keychains, and modification dates, from dictionaries", because: noShim),
        .shown("macOS drops `sync` beside a persistent reference; here, as on iOS, it is `errSecParam`", "ObjectReferenceTests", "a persistent reference finds only its object"),
        .matrix("in a call that does not search, macOS returns `errSecParam` for a match key that it does not drop; this package does, too", "a match key for macOS"),
        .impossible("macOS takes missing issuer certificates from file keychains", because: "there are no file keychains"),
        .matrix("macOS drops no keys from the new values of `SecItemUpdate`, nor does this package", "return key true"),
        .shown("macOS's file keychains refuse an empty port; here, as on iOS, it is accepted", "ClassConversionTests", "a value is returned converted, and the original value finds the item"),
        .shown("on macOS, `kSecReturnRef` returns an object for a password; here, as on iOS, it returns none", "ResultShapeTests", "a search for one item returns one object"),
        .matrix("on macOS, a call without `nleg` (`kSecUseDataProtectionKeychain`) uses file keychains; here there is only one keychain", "the nleg key"),
    ])

    // swift-format-ignore
    private static let disagreements = Self("23 Where the sources on Apple's behaviour disagree", rows: 16, [
        .shown("a search that names a group the program does not have: `errSecMissingEntitlement`", "KeychainServicesTests.AccessGroupTests", "foreign items are not found; naming their group returns errSecMissingEntitlement"),
        .shown("`kSecReturnData` with `kSecMatchLimitAll` for passwords: allowed", "ResultShapeTests", "a search for several items returns an array even for one"),
        .shown("a synchronizable item with a `ThisDeviceOnly` class: stored", "KeychainServicesTests.SynchronizableTests", "a ThisDeviceOnly class does not prevent synchronizing"),
        .differs("adding an item whose protection class requires a passcode, without a passcode", .passcodeClass),
        .differs("`SecItemAdd` with match keys", .matchKeyAtAdd),
        .shown("an update can change protection class and access control", "UpdateTests", "changing the protection class encrypts the item again"),
        .shown("application groups can be used as access groups", "EntitlementTests", "groups are read from XML and binary property lists, application groups included"),
        .shown("application tag and application label of keys: empty by default", "DefaultAttributeTests", "missing attributes have the documented defaults"),
        .shown("`kSecMatchItemList` and `kSecMatchSubject…` keys: ignored", "IdentityMatchTests", "match keys apply to the certificate of an identity"),
        .shown("default protection class of certificates: `Always`", "DefaultAttributeTests", "missing attributes have the documented defaults"),
        .impossible("the order of the results", because: "it is unspecified"),
        .differs("an update that fails halfway", .allOrNothing),
        .differs("a query for identities by subject, public key hash, certificate type or encoding", .certificateAttributes),
        .matrix("negative match limits: −1 finds all, others are `errSecParam`", "a negative limit"),
        .impossible("which status is returned for a dictionary with two errors", because: "it is unspecified"),
        .differs("the wording of error messages", .messages),
    ])

    // swift-format-ignore
    private static let surprises = Self("24 Behaviour that often surprises", rows: 47, [
        .shown("a query can find nothing although `SecItemAdd` with the same attributes returns `errSecDuplicateItem`", "AddTests", "an item that a query does not match can still be a duplicate"),
        .shown("default values are stored, returned, and part of the primary key", "DefaultAttributeTests", "a default value finds the item and is part of the primary key"),
        .shown("an attribute that the class lacks is an error even in a query", "ClassMatrixTests", "every call with an attribute that the class lacks returns errSecNoSuchAttr"),
        .matrix("the dictionary keys of attributes have four letters: a longer one that is no other kind of key, such as `rounds`, is `errSecParam`", "rounds"),
        .shown("a string and data with the same bytes are the same value, and each is returned with the type it was added with", "ValueConversionTests", "a string and data with the same bytes are the same account"),
        .shown("`kSecAttrProtocol` can be a number or a string", "ClassConversionTests", "a value is returned converted, and the original value finds the item"),
        .shown("Booleans, key classes and key types are returned as numbers", "ClassConversionTests", "a value is returned converted, and the original value finds the item"),
        .shown("`NSNull` clears nothing; of the two dates, an update can set only the creation date", "ValueConversionTests", "only an update can set the creation date, and none can set the modification date"),
        .shown("certificates are always accessible by default", "DefaultAttributeTests", "missing attributes have the documented defaults"),
        .shown("the application label is derived from the public key", "KeyReferenceTests", "both keys have the digest of the public key as application label"),
        .shown("the attribute `priv` is 1 for public keys, too", "KeyAttributeTests", "an item has the attributes of the table and an application label"),
        .shown("certificates and keys added by `kSecValueData` have no derived attributes, so a second one is a duplicate", "AddTests", "certificates and keys added as data have equal primary keys"),
        .matrix("the default match limit is one for a search and all for other calls", "the limit all"),
        .shown("a search with `kSecMatchLimitAll` returns an array; without a match `errSecItemNotFound`, not an empty array", "FindTests", "no match returns errSecItemNotFound"),
        .differs("`SecItemDelete` refuses `kSecMatchLimitAll`: `errSecParam`", .matchLimitAll),
        .matrix("`SecItemUpdate` refuses a return key that is true: `errSecParam`", "return key true"),
        .matrix("return keys require a Boolean", "return key 1"),
        .shown("`kSecReturnRef` returns no object for a password", "ResultShapeTests", "a search for one item returns one object"),
        .shown("a query without return keys fails on a locked item", "LockMatrixTests", "each call returns the status for its protection class and lock state", row: "exists"),
        .shown("one locked item fails the whole query", "LockMatrixTests", "a list fails completely if one of its items is locked"),
        .shown("while locked, no match is `errSecItemNotFound`, and items can be deleted", "LockMatrixTests", "each call returns the status for its protection class and lock state", row: "miss"),
        .shown("reading attributes of items with constraints requires authentication", "PromptCountTests", "each call prompts as often as documented", row: "attributes"),
        .shown("naming a group that the program does not have is an error; without naming it, its items are not found", "KeychainServicesTests.AccessGroupTests", "foreign items are not found; naming their group returns errSecMissingEntitlement"),
        .differs("the limit is applied before the match keys", .limitAfterFilters),
        .shown("two return keys always return the attributes, too; `kSecReturnRef` also adds `class`", "ResultShapeTests", "a search for one item returns one object"),
        .shown("returned attributes can be used as a query that finds the item", "DefaultAttributeTests", "returned attributes are a query for the item"),
        .shown("an item without a value differs from one with an empty value", "DefaultAttributeTests", "an item of any class may have a secret, an empty secret or no secret"),
        .shown("`kSecMatchEmailAddressIfPresent` does not match a certificate without an email address; malformed issuers are ignored", "IdentityMatchTests", "match keys apply to the certificate of an identity"),
        .matrix("`kSecUseItemList` is ignored by `SecItemDelete` and `errSecParam` in other calls", "a list of items"),
        .shown("persistent references survive updates, not deletion", "KeychainServicesTests.PersistentReferenceTests", "a persistent reference survives updates but not deletion"),
        .shown("persistent references with attributes: refused by a search; both must match in other calls", "ObjectReferenceTests", "a reference survives updates; attributes in the same query must match"),
        .shown("persistent references find synchronizable items", "KeychainStoreTests.PersistentReferenceTests", "a reference finds its item, synchronizable or not"),
        .shown("queries without `kSecAttrSynchronizable` never find synchronizable items", "KeychainServicesTests.SynchronizableTests", "a query without kSecAttrSynchronizable ignores synchronizable items"),
        .shown("a synchronizable and a local item can coexist", "KeychainServicesTests.SynchronizableTests", "synchronizable and local items coexist until an update makes them duplicates"),
        .matrix("an access control beside a protection class or `kSecAttrSynchronizable`: `errSecParam`", "access control and sync"),
        .matrix("only a search accepts `kSecUseAuthenticationUISkip`", "UISkip"),
        .shown("items with constraints are deleted without authentication", "PromptCountTests", "each call prompts as often as documented", row: "delete"),
        .shown("adding a duplicate while locked: `errSecInteractionNotAllowed`, not `errSecDuplicateItem`", "LockMatrixTests", "each call returns the status for its protection class and lock state", row: "duplicate"),
        .shown("an update that fails with `errSecDuplicateItem` changes nothing", "UpdateTests", "a duplicate rolls back the whole update"),
        .shown("`SecItemUpdate` with an empty dictionary of new values sets the modification date", "UpdateTests", "an empty update only changes the modification date"),
        .matrix("an unknown key in the new values of an update: `errSecNoSuchAttr`", "the persistref column"),
        .shown("`SecItemDelete` with `kSecClassIdentity` also deletes keys and certificates that are no identity", "IdentityReferenceTests", "deleting the identity class also deletes certificates and keys that form no identity"),
        .shown("deleting an identity keeps a key that another certificate needs", "IdentityReferenceTests", "deleting an identity keeps a key that another certificate needs"),
        .shown("adding an identity is a duplicate only if certificate and key both exist", "IdentityChangeTests", "adding an identity with one existing part succeeds, with both it is a duplicate"),
        .shown("an identity has the label of its certificate, and the access group and the synchronizable flag of its key", "IdentityJoinTests", "the key determines synchronization, and the certificate only has to be accessible"),
        .differs("an update of an identity is one of its certificate and one of its key, either of which can fail", .allOrNothing),
        .shown("issuers in queries are normalized, subjects are not", "CertificateReferenceTests", "an issuer matches with or without its SEQUENCE header, a subject only without"),
    ])
}
