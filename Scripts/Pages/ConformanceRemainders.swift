// SPDX-License-Identifier: Apache-2.0

/// What macOS does otherwise, where sources disagree, and what surprises.
extension ConformanceSection {
    static let remainders: [Self] = [macOS, disagreements, surprises]

    private static let noShim = "the behaviour is that of iOS"

    // swift-format-ignore
    private static let macOS = Self("22 What macOS does otherwise", rows: 13, [
        .impossible("no dictionary at all: `errSecParam`", because: "the parameter is not optional"),
        .shown("Add sets the result to nothing first; as on iOS a failed call leaves it", "ResultShapeTests", "a failed call leaves the result alone"),
        .matrix("match keys are removed from all calls but searches; as on iOS they are `errSecParam`", "the limit one"),
        .matrix("return keys are removed from Update; as on iOS they are `errSecParam`", "return key true"),
        .matrix("values are removed from queries, where they are ignored anyway", "a secret"),
        .impossible("lists of keychains and dates of modification are removed", because: noShim),
        .shown("`sync` is removed beside a persistent reference; as on iOS it is `errSecParam`", "ObjectReferenceTests", "a reference finds its object alone"),
        .matrix("match keys that are not removed are `errSecParam` in the other calls, here too", "a match key for macOS"),
        .impossible("issuers are completed from file keychains", because: "there are no file keychains"),
        .matrix("the second dictionary of Update goes through as it is", "return key true"),
        .shown("an empty port is a value; file keychains refuse it", "ClassConversionTests", "a value comes back as the kind says, and finds its item"),
        .shown("a password has an object; as on iOS it has none", "ResultShapeTests", "a search for one returns one object"),
        .matrix("without `nleg` another keychain is meant; here it is the same", "the keychain's choice"),
    ])

    // swift-format-ignore
    private static let disagreements = Self("23 Where sources disagree", rows: 16, [
        .shown("a search in a foreign group: `errSecMissingEntitlement`", "KeychainServicesTests.AccessGroupTests", "a foreign item is invisible and its group refused"),
        .shown("data of all passwords: allowed", "ResultShapeTests", "a search for more returns an array even of one"),
        .shown("synchronizable with a class of this device alone: stored", "KeychainServicesTests.SynchronizableTests", "a class of this device alone does not keep an item from synchronizing"),
        .differs("a class that needs a passcode, without one", .passcodeClass),
        .differs("Add with match keys", .matchKeyAtAdd),
        .shown("protection and access control by Update: changed", "UpdateTests", "another class of protection seals the item anew"),
        .shown("groups of applications: allowed", "EntitlementTests", "both kinds of property list are read"),
        .shown("tag and label of keys: empty by default", "DefaultAttributeTests", "what is left out has the value of the table, at adding and in a search"),
        .shown("lists of items and parts of the subject: ignored", "IdentityMatchTests", "match keys ask the certificate"),
        .shown("certificates: always accessible by default", "DefaultAttributeTests", "what is left out has the value of the table, at adding and in a search"),
        .impossible("order of results", because: "it is unspecified"),
        .differs("an update that fails in the middle", .allOrNothing),
        .differs("identities by subject, public key hash, type or encoding", .certificateAttributes),
        .matrix("negative limits: -1 is all, the others `errSecParam`", "a negative limit"),
        .impossible("which of two mistakes is reported", because: "it is unspecified"),
        .differs("the wording of messages", .messages),
    ])

    // swift-format-ignore
    private static let surprises = Self("24 Surprises", rows: 47, [
        .shown("1 a query misses and Add is a duplicate", "AddTests", "a query that misses and a duplicate can both be true"),
        .shown("2 defaults are stored and returned, and collide", "DefaultAttributeTests", "a default is found by its value, and collides"),
        .shown("3 a foreign attribute is an error even of a query", "ClassMatrixTests", "an attribute that the class lacks is refused by every call"),
        .matrix("4 attributes have four letters: `rounds` is `errSecParam`", "rounds"),
        .shown("5 a string and its bytes are one value, each comes back in its type", "ValueConversionTests", "text and data of the same bytes are the same account"),
        .shown("6 the protocol is a number or a string", "ClassConversionTests", "a value comes back as the kind says, and finds its item"),
        .shown("7 Booleans, classes and types of keys come back as numbers", "ClassConversionTests", "a value comes back as the kind says, and finds its item"),
        .shown("8 nothing is cleared by null; of the dates an update takes one", "ValueConversionTests", "a date of creation can be set by an update alone"),
        .shown("9 certificates are always accessible by default", "DefaultAttributeTests", "what is left out has the value of the table, at adding and in a search"),
        .shown("10 the application label comes of the public key", "KeyReferenceTests", "the application label is the digest of the public key, the same for both halves"),
        .shown("11 public keys are marked private", "KeyAttributeTests", "the attributes of an item are those of the table, and the label"),
        .shown("12 raw bytes derive nothing, and collide", "AddTests", "a certificate or a key stored as bytes collides with the next"),
        .matrix("13 limits: one for a search, all for the others", "the limit all"),
        .shown("14 an array of all, never empty", "FindTests", "nothing found is a status and no empty list"),
        .differs("15 `kSecMatchLimitAll` in Delete", .matchLimitAll),
        .matrix("16 match and return keys in Update", "return key true"),
        .matrix("17 return keys take a real Boolean", "return key 1"),
        .shown("18 a password has no object", "ResultShapeTests", "a search for one returns one object"),
        .shown("19 a query for existence fails of a locked item", "LockMatrixTests", "each call answers for each class as the state demands", row: "exists"),
        .shown("20 one locked item fails the whole query", "LockMatrixTests", "a list fails whole where one of its items is locked"),
        .shown("21 a locked miss is not found, a locked item is deleted", "LockMatrixTests", "each call answers for each class as the state demands", row: "miss"),
        .shown("22 attributes of items with constraints need authentication", "PromptCountTests", "each call asks as often as it says", row: "attributes"),
        .shown("23 a foreign group is an error, a foreign item is not there", "KeychainServicesTests.AccessGroupTests", "a foreign item is invisible and its group refused"),
        .differs("24 the limit comes before the filters", .limitAfterFilters),
        .shown("25 two return keys bring the attributes; `class` comes with an object", "ResultShapeTests", "a search for one returns one object"),
        .shown("26 attributes are a query", "DefaultAttributeTests", "what adding and a search return is a query for the item"),
        .shown("27 no value is not an empty value", "DefaultAttributeTests", "an item of any class has no value, an empty one or one"),
        .shown("28 an address is needed, unreadable issuers filter nothing", "IdentityMatchTests", "match keys ask the certificate"),
        .matrix("29 a list of items: ignored by Delete alone", "a list of items"),
        .shown("30 references survive updates and not deletion", "KeychainServicesTests.PersistentReferenceTests", "a reference outlives every change and not the item"),
        .shown("31 references with attributes: refused by a search, both must fit in the others", "ObjectReferenceTests", "a reference survives an update, and attributes beside it must fit"),
        .shown("32 references find what synchronizes", "KeychainStoreTests.PersistentReferenceTests", "a reference finds its item, synchronizable or not"),
        .shown("33 who says nothing never sees what synchronizes", "KeychainServicesTests.SynchronizableTests", "a query that says nothing never sees what synchronizes"),
        .shown("34 twins", "KeychainServicesTests.SynchronizableTests", "twins coexist until an update makes them one"),
        .matrix("35 access control beside a class of protection or synchronization", "access and sync"),
        .matrix("36 skipping is for searches", "skipping"),
        .shown("37 items with constraints are deleted without authentication", "PromptCountTests", "each call asks as often as it says", row: "delete"),
        .shown("38 a duplicate while the keychain is locked fails for the lock", "LockMatrixTests", "each call answers for each class as the state demands", row: "duplicate"),
        .shown("39 a collision changes nothing", "UpdateTests", "a collision changes nothing, not even the items before it"),
        .shown("40 an empty update touches", "UpdateTests", "an empty update only touches the modification date"),
        .matrix("41 foreign keys among new values: `errSecNoSuchAttr`", "an unknown class"),
        .shown("42 deleting the class identity deletes what is no identity", "IdentityReferenceTests", "deleting the class deletes keys and certificates that are no identity too"),
        .shown("43 deleting an identity leaves a key that is needed", "IdentityReferenceTests", "deleting an identity leaves a key that another certificate needs"),
        .shown("44 an identity is a duplicate if both halves are", "IdentityChangeTests", "one half may be there already, both are a duplicate"),
        .shown("45 label of the certificate, group and synchronization of the key", "IdentityJoinTests", "the key decides about synchronization, the certificate need only be in reach"),
        .differs("46 an update of an identity is two", .allOrNothing),
        .shown("47 issuers are normalised, subjects are not", "CertificateReferenceTests", "issuers are found as sequences and as their content, subjects as content only"),
    ])
}
