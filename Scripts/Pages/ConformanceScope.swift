// SPDX-License-Identifier: Apache-2.0

/// Persistent references, access groups and synchronization.
extension ConformanceSection {
    // swift-format-ignore
    static let scope: [Self] = [
        Self("13 Persistent references", rows: 3, [
            .shown("20 bytes: the class and what identifies the item", "KeychainStoreTests.PersistentReferenceTests", "the bytes of a reference are its class and its identifier"),
            .differs("the older form of 12 bytes", .otherReferences),
            .differs("that of a token", .otherReferences),
            .shown("it survives every change", "KeychainStoreTests.PersistentReferenceTests", "a reference survives every change of the item", rows: 0),
            .shown("what is deleted and added again has another", "KeychainServicesTests.PersistentReferenceTests", "a reference outlives every change and not the item", rows: 0),
            .shown("an identity's is its certificate's under another prefix", "ObjectReferenceTests", "the reference of an identity is its certificate's under another prefix", rows: 0),
            .shown("it finds what synchronizes too", "KeychainStoreTests.PersistentReferenceTests", "a reference finds its item, synchronizable or not", rows: 0),
            .shown("it says nothing about foreign groups", "ObjectReferenceTests", "a reference says nothing about objects of foreign groups", rows: 0),
            .shown("the class may be left out and not contradict", "ObjectReferenceTests", "a reference finds its object alone", rows: 0),
            .shown("an identity is not updated by its reference", "KeychainServicesTests.PersistentReferenceTests", "an identity is not updated by its reference", rows: 0),
            .shown("wrong size or prefix: `errSecParam`; unknown: `errSecItemNotFound`", "KeychainServicesTests.PersistentReferenceTests", "an unknown reference finds nothing and a malformed one is refused", rows: 0),
        ]),
        Self("14 Access groups", rows: 11, [
            .shown("a new item goes to the first group", "KeychainStoreTests.AccessGroupTests", "a new item goes to the first group that can be written"),
            .shown("the group of tokens cannot be written", "KeychainStoreTests.AccessGroupTests", "naming the group of tokens does not help to write it"),
            .shown("no groups: every call is `errSecMissingEntitlement`", "KeychainStoreTests.AccessGroupTests", "a caller without groups gets nothing but the status"),
            .matrix("a group that is named must be the program's, and a string", "a number for a group"),
            .shown("otherwise all groups of the program are searched", "KeychainStoreTests.AccessGroupTests", "items of foreign groups do not exist for a caller"),
            .shown("the group is part of what is unique", "ObjectReferenceTests", "the group is part of what makes an object unique"),
            .shown("a search for one finds one of several groups", "FindTests", "a full identity finds one item in each group"),
            .shown("an item moves by an update", "UpdateTests", "an item moves to another group of the caller"),
            .shown("the group of tokens can be read", "KeychainStoreTests.AccessGroupTests", "the group of tokens can be read and not written"),
            .differs("app clips", .appClips),
            .shown("groups of applications count as groups", "EntitlementTests", "both kinds of property list are read"),
            .shown("order, duplicates and the place of the tokens' group", "CallerTests", "groups keep their order, once each, the tokens' last", rows: 0),
            .shown("the star reaches every group", "KeychainStoreTests.AccessGroupTests", "the star reaches every group", rows: 0),
        ]),
        Self("15 Synchronization", rows: 14, [
            .shown("part of what is unique: twins coexist", "ObjectReferenceTests", "a synchronizable twin is another item that only a query for it sees"),
            .shown("a query that says nothing means what does not synchronize", "KeychainServicesTests.SynchronizableTests", "a query that says nothing never sees what synchronizes"),
            .shown("`true`, 1 and \"1\" mean what does", "KeychainServicesTests.SynchronizableTests", "a query that says nothing never sees what synchronizes"),
            .shown("`false` means what does not", "KeychainServicesTests.SynchronizableTests", "a query that says nothing never sees what synchronizes"),
            .shown("`kSecAttrSynchronizableAny` means both", "KeychainStoreTests.SynchronizableTests", "a query says which twins it means"),
            .shown("at adding it is as good as nothing", "KeychainServicesTests.SynchronizableTests", "twins coexist until an update makes them one"),
            .shown("an update moves the item, unless its twin is there", "KeychainStoreTests.SynchronizableTests", "an item moves between the worlds unless its twin is there"),
            .shown("it comes back as a number", "DefaultAttributeTests", "what is left out has the value of the table, at adding and in a search"),
            .shown("a persistent reference finds either", "KeychainStoreTests.PersistentReferenceTests", "a reference finds its item, synchronizable or not"),
            .shown("with an access control the Boolean is refused, and the number is not", "AccessControlTests", "the number 1 lets an access control synchronize and the Boolean does not"),
            .shown("with a class of this device alone it is stored", "KeychainServicesTests.SynchronizableTests", "a class of this device alone does not keep an item from synchronizing"),
            .impossible("on macOS it chooses the keychain", because: "there is one keychain"),
            .shown("what is deleted leaves a tombstone that nobody sees who does not ask", "KeychainStoreTests.SynchronizableTests", "a tombstone keeps the identity and nothing else"),
            .shown("it can be told not to", "ObjectReferenceTests", "a deletion leaves a tombstone unless it is told not to", rows: 0),
            .shown("every class that is stored can synchronize", "ObjectReferenceTests", "a synchronizable twin is another item that only a query for it sees"),
        ]),
        Self("16 Classes of protection", rows: 5, [
            .shown("when each can be opened", "LockMatrixTests", "each call answers for each class as the state demands", rows: 4),
            .shown("what needs a passcode goes with it", "LockMatrixTests", "what needs a passcode goes with it, in every process"),
            .differs("without a passcode it cannot be stored", .passcodeClass, rows: 0),
            .differs("what cannot be opened for other reasons is as good as absent", .damagedItem, rows: 0),
        ]),
        Self("16 A locked item", rows: 7, [
            .shown("a search of any kind: `errSecInteractionNotAllowed`", "LockMatrixTests", "each call answers for each class as the state demands", row: "attributes"),
            .shown("a search that matches nothing: `errSecItemNotFound`", "LockMatrixTests", "each call answers for each class as the state demands", row: "miss"),
            .shown("a search for all of which one is locked", "LockMatrixTests", "a list fails whole where one of its items is locked"),
            .shown("Add, be it a duplicate", "LockMatrixTests", "each call answers for each class as the state demands", row: "duplicate"),
            .shown("Update", "LockMatrixTests", "each call answers for each class as the state demands", row: "update"),
            .shown("Delete succeeds", "LockMatrixTests", "each call answers for each class as the state demands", row: "delete"),
            .shown("items of classes that stay open", "LockMatrixTests", "each call answers for each class as the state demands", row: "data"),
            .shown("the class in a query keeps it from the locked ones", "LockMatrixTests", "a list fails whole where one of its items is locked", rows: 0),
        ]),
    ]
}
