// SPDX-License-Identifier: Apache-2.0

struct WrapperBehaviour: Sendable {
    let text: String
    let proof: Proof
}

/// A section of Tests/Wrappers.md: the behaviours of a library or of a part of one.
struct WrapperSection: Sendable {
    let title: String
    let behaviours: [WrapperBehaviour]

    /// Creates a section whose behaviours are shown by tests of one folder.
    init(_ title: String, in folder: String, _ rows: [(text: String, suite: String, test: String)]) {
        self.title = title
        behaviours = rows.map {
            WrapperBehaviour(text: $0.text, proof: Proof("\(folder).\($0.suite)", $0.test))
        }
    }

    static let table: [Self] = valet + fxKeychain + lockbox
}

extension WrapperSection {
    // swift-format-ignore
    private static let valet: [Self] = [
        Self("Valet: creating a valet", in: "KeychainValetTests", [
            ("each function of `Valet` has the original's argument labels, types and errors", "SignatureTests", "functions of a valet have the original's labels and errors"),
            ("each function of `SecureEnclaveValet` has the original's argument labels, types and errors", "SignatureTests", "functions of an enclave valet have the original's labels and errors"),
            ("each function of `SinglePromptSecureEnclaveValet` has the original's argument labels and types, with untyped `throws`", "SignatureTests", "functions of a single-prompt valet have the original's labels"),
            ("valets are created by class functions such as `Valet.valet(with:accessibility:)`", "SignatureTests", "functions that create valets have the original's labels"),
            ("a valet of a shared group can be created without an identifier; each error case can be caught", "SignatureTests", "identifiers are optional, and errors can be caught one by one"),
            ("the internal names that Valet's own tests use exist", "InternalNameTests", "the service of a valet is computed from its parameters"),
            ("equal valets are one object, as long as it is referenced", "EqualityTests", "an object is released with its last reference"),
            ("two threads that create the same valet get the same object", "EqualityTests", "threads that create the same valet concurrently get one object"),
            ("`==`, `isEqual` and collections compare all arguments of a valet and its kind (Valet compares only the service string)", "EqualityTests", "equal valets are the same object, and different ones are not equal"),
            ("two objects of `SecureEnclaveValet`, or of `SinglePromptSecureEnclaveValet`, are equal if they read and write the same items", "EqualityTests", "equal enclave valets are the same object, and different ones are not equal"),
            ("groups with the same name and different prefixes are separate", "EqualityTests", "shared groups with the same name are separate"),
            ("`identifier`, `accessibility` and `description` are those the valet was created with", "ValueTests", "the description of a valet contains its parameters"),
            ("`Identifier` must not be empty", "ValueTypeTests", "an identifier must not be empty"),
            ("`SharedGroupIdentifier` has a prefix and a name", "ValueTypeTests", "a shared group has a prefix and a name"),
            ("on Linux an application group can have the prefix of a team", "ValueTypeTests", "an application group may have the team prefix"),
            ("each `Accessibility` has the original's raw value, description and `kSecAttrAccessible` constant", "ValueTypeTests", "each accessibility has its raw value, description and attribute"),
            ("`CloudAccessibility` has the accessibilities that are not restricted to this device", "ValueTypeTests", "cloud accessibilities are those that are not restricted to this device"),
            ("each `SecureEnclaveAccessControl` has the original's raw value and service name suffix", "ValueTypeTests", "each access control has its raw value and suffix"),
            ("each `KeychainError` has the original's raw value and description", "ValueTypeTests", "a keychain error has its raw value and description"),
            ("each `MigrationError` has the original's raw value and description", "ValueTypeTests", "a migration error has its raw value and description"),
            ("`MigratableKeyValuePair` takes data or a string", "ValueTypeTests", "a migration pair takes data or a string"),
            ("each type conforms to the original's protocols", "SignatureTests", "types conform to the original's protocols"),
        ]),
        Self("Valet: reading and writing", in: "KeychainValetTests", [
            ("stored data and strings are read back; a write replaces an earlier value", "ValueTests", "data and strings are read back"),
            ("an empty key throws `emptyKey`, even with an empty value; `containsObject` throws `couldNotAccessKeychain` for it", "ValueTests", "an empty key is rejected before an empty value"),
            ("setting an empty value throws `emptyValue` and keeps the old value", "ValueTests", "an empty value is rejected and keeps the old one"),
            ("reading a missing value throws `itemNotFound`; removing it succeeds", "ValueTests", "a missing value is itemNotFound"),
            ("reading a value that is not UTF-8 as a string throws `itemNotFound`", "ValueTests", "data that is not UTF-8 is not a string"),
            ("`allKeys` lists the keys, `removeObject` removes one value, `removeAllObjects` all", "ValueTests", "keys are listed, and removed individually or together"),
            ("`allKeys` omits items whose account is data instead of a string", "LayoutTests", "accounts stored as data are not listed"),
            ("keys are compared byte for byte", "ValueTests", "canonically equivalent keys are different"),
            ("a large value is stored and read back", "ValueTests", "a large value is read back"),
            ("valets that differ in accessibility, kind or name do not see each other's values", "ValueTests", "different valets do not see each other's values"),
            ("a write by a valet with an explicitly set identifier gives an existing item the valet's accessibility (in Valet the write fails)", "MigrationTests", "writing to an explicitly set identifier changes the accessibility of the item"),
            ("a failing overwrite keeps the old value", "RefusalTests", "a failing overwrite keeps the old value"),
            ("eight threads that use one valet lose no value", "ThreadTests", "eight threads on one valet lose nothing"),
            ("eight threads that use eight valets lose no value", "ThreadTests", "eight threads on eight valets lose nothing"),
            ("a read during a write returns the complete old or new value", "ThreadTests", "a concurrent read never sees a partial value"),
            ("concurrent writes and removals of one key succeed", "ThreadTests", "concurrent writes and removals of one key never fail"),
        ]),
        Self("Valet: stored items", in: "KeychainValetTests", [
            ("each kind of valet writes service, account, protection class and access group, and no other attributes", "LayoutTests", "a stored item has exactly the valet's attributes"),
            ("items of other programs in the same service belong to the valet", "LayoutTests", "a valet reads, lists, updates and removes items of other programs"),
            ("the canary, the test item that `canAccessKeychain` writes, has Valet's account and value, is not listed, and is removed by `removeAllObjects`", "LayoutTests", "the canary is in the valet's service and not listed"),
            ("a canary (test item) with the value that Valet 1.0 wrote is rewritten", "LayoutTests", "a canary with another value is rewritten"),
            ("valets with the same name and different accessibilities share one canary (test item), and each can use it", "RefusalTests", "a valet accepts the canary of another valet with the same identifier"),
            ("reading an item without a value is `itemNotFound`, although the item exists", "LayoutTests", "an item without a value is not found"),
            ("items whose service contains the name of a subclass of `Valet` are read", "LayoutTests", "items written by a subclass of Valet are read"),
            ("each kind of valet can migrate items with the always-accessible accessibilities, which Valet has removed", "AlwaysAccessibleTests", "each kind finds items with removed accessibilities"),
            ("the items that Valet adds to find out the prefix of a shared group do not count as values", "AlwaysAccessibleTests", "placeholder items for the group prefix are not values"),
            ("items of `SecureEnclaveValet` have the original's service, service name suffix and access control", "EnclaveTests", "an item has its service and access control"),
            ("items of `SecureEnclaveValet` from before 2.1 are read, also those of a group", "EnclaveTests", "items of versions before 2.1, also in a shared group, are read"),
            ("items of `SinglePromptSecureEnclaveValet` have the original's service and access control", "SinglePromptTests", "an item has its service and access control"),
        ]),
        Self("Valet: errors", in: "KeychainValetTests", [
            ("each `OSStatus` maps to the original's error", "RefusalTests", "each status maps to its error"),
            ("a removal that fails throws an error, whatever the status (in Valet a removal that the user cancels throws none)", "RefusalTests", "a failing removal is an error"),
            ("reading from a locked keychain throws `couldNotAccessKeychain`, not `itemNotFound`", "RefusalTests", "a locked keychain is not reported as a missing value"),
            ("`removeObject` and `removeAllObjects` delete values while the keychain is locked, as `SecItemDelete` does", "RefusalTests", "removing a value works while the keychain is locked"),
            ("values of `afterFirstUnlock` can be read while locked", "RefusalTests", "afterFirstUnlock values are readable while the keychain is locked"),
            ("a shared group that the program does not have: `missingEntitlement`", "RefusalTests", "an access group that the program lacks is a missing entitlement"),
            ("the `OSStatus` that caused an error is available", "AdditionTests", "the status behind an error is available"),
            ("`diagnose()` reports a program without access groups", "RefusalTests", "calls fail without an access group"),
            ("`diagnose()` leaves no items, and removes the test item of an earlier call that was killed", "RefusalTests", "a diagnosis removes the temporary item that a killed diagnosis left"),
        ]),
        Self("Valet: values that require authentication of the user", in: "KeychainValetTests", [
            ("each read prompts once; writing, removing, `containsObject` and `canAccessKeychain` do not prompt", "EnclaveTests", "each read prompts once, and no other call does"),
            ("setting an empty value throws and keeps the old value (in Valet the old value is deleted)", "EnclaveTests", "an empty value keeps the old one"),
            ("a read fails after a cancelled prompt or wrong answers, or if no `pinentry` program is installed", "EnclaveTests", "reading fails without user authentication"),
            ("the canary (test item) of a Secure Enclave valet is in the service of the plain `Valet` with the same name", "EnclaveTests", "the canary is in the service of the plain valet"),
            ("without a passcode nothing can be stored", "EnclaveTests", "values cannot be stored without a passcode"),
            ("a failing overwrite keeps the old value", "EnclaveTests", "a failing overwrite keeps the old value"),
            ("the first read of a `SinglePromptSecureEnclaveValet` prompts, later ones do not", "SinglePromptTests", "only the first read prompts"),
            ("listing keys prompts, and a read afterwards does not (in Valet 5.0 the read prompts again)", "SinglePromptTests", "listing keys prompts, and reading afterwards does not"),
            ("after `requirePromptOnNextAccess` the next read prompts again", "SinglePromptTests", "a prompt can be required again"),
            ("`requirePromptOnNextAccess` cancels an open prompt", "OpenPromptTests", "requiring a prompt closes the dialog"),
            ("releasing the valet discards the user's authentication", "SinglePromptTests", "the authentication result is released with the object"),
            ("`containsObject` and `removeObject` do not use the authentication of an earlier read", "OpenPromptTests", "checking, writing and removing do not use the authentication result"),
            ("a cancelled prompt does not authenticate", "SinglePromptTests", "a cancelled prompt gives no authentication result"),
            ("an open prompt blocks only reads of the same valet (in Valet the whole process)", "OpenPromptTests", "only reads of the same valet wait for an open prompt"),
            ("concurrent reads of one valet prompt once", "SinglePromptTests", "concurrent reads prompt once"),
        ]),
        Self("Valet: migrations", in: "KeychainValetTests", [
            ("a migration refuses an invalid query: `invalidQuery`", "MigrationCheckTests", "an invalid migration query is rejected"),
            ("the query may contain the keys that a migration adds to it", "MigrationCheckTests", "a query may contain the keys that a migration adds anyway"),
            ("an inaccessible destination is reported before an invalid query", "RefusalTests", "an access group that the program lacks is a missing entitlement"),
            ("a query that matches nothing: `itemNotFound`", "MigrationCheckTests", "a query without matches returns itemNotFound"),
            ("items without a value, and the canary (test item), are skipped", "MigrationCheckTests", "items without a value and the canary are not migrated"),
            ("an item with an empty value: `dataToMigrateInvalid`", "MigrationCheckTests", "an empty value is rejected"),
            ("an item without an account: `keyToMigrateInvalid`", "MigrationCheckTests", "an item without an account is rejected"),
            ("an item whose account is data: `keyToMigrateInvalid`, unless a closure maps the account to a key", "MigrationCheckTests", "a data account is rejected, or passed to the closure"),
            ("a closure that returns `nil` skips the item; an error that the closure throws ends the migration", "MigrationCheckTests", "a closure can skip items, and its error ends the migration"),
            ("an empty key or value returned by the closure is refused", "MigrationCheckTests", "an invalid result of the closure is rejected"),
            ("two items with the same key: `duplicateKeyToMigrate`, even if a value is empty", "MigrationCheckTests", "two items with the same key are rejected before empty values"),
            ("a key that exists in the destination: `keyToMigrateAlreadyExistsInValet`", "MigrationCheckTests", "an existing key is rejected, and nothing changes"),
            ("a key that exists in the destination with a data account: `keyToMigrateAlreadyExistsInValet`", "MigrationCheckTests", "a key that exists as data in the destination is a duplicate"),
            ("if the destination or the source is locked, nothing changes", "RefusalTests", "a migration changes nothing in a locked keychain"),
            ("migrating a valet into itself is refused", "MigrationCheckTests", "a valet cannot be migrated to itself"),
            ("keys are compared byte for byte (in Valet as strings)", "MigrationCheckTests", "canonically equivalent keys are different"),
            ("if a write fails, nothing changes", "RefusalTests", "a failing copy rolls back the previous ones"),
            ("if a removal fails, the error is `removalFailed` and nothing changes", "RefusalTests", "a copy is rolled back if its source cannot be removed"),
            ("with `removeOnCompletion` only the copied items are removed (in Valet every match)", "MigrationTests", "only copied items are removed on request"),
            ("a migration with a closure keeps the source", "MigrationTests", "items copied by a closure stay in the source"),
            ("a migration copies only account and value", "MigrationTests", "a copy has only the account and value of its source"),
            ("every kind of valet can be migrated to every other", "MigrationTests", "every kind of valet can be migrated to every other"),
            ("changing the accessibility by the migration that Valet's documentation recommends works (in Valet it fails)", "MigrationTests", "the accessibility of an explicitly set identifier is updated in place"),
            ("always-accessible valets of every kind can be migrated (in Valet not those with an explicitly set identifier)", "AlwaysAccessibleTests", "each kind finds items with removed accessibilities"),
            ("migrating from a `SinglePromptSecureEnclaveValet` prompts once", "EnclaveTests", "migrating from a single-prompt valet prompts once"),
            ("migrating into a `SecureEnclaveValet` does not prompt", "EnclaveTests", "migrating values to an enclave valet does not prompt"),
            ("a process killed during a migration has migrated everything or nothing", "KilledMigrationTests", "a killed migration is complete or has no effect"),
            ("a `Progress` counts the migrated items and can cancel the migration", "CancelledMigrationTests", "cancelling a running migration moves nothing"),
            ("observers of the `Progress` may call the keychain", "KilledMigrationTests", "an observer of a migration may call the keychain"),
        ]),
    ]

    // swift-format-ignore
    private static let fxKeychain: [Self] = [
        Self("FXKeychain", in: "KeychainFXKeychainTests", [
            ("`FXKeychainAccess` has the original's raw values", "BehaviourTests", "raw values of the accessibility are those of the original"),
            ("the initializers have the original's default arguments", "BehaviourTests", "initializers have the defaults of the original"),
            ("`default()` always returns the same object, with the bundle identifier as service (the original has no service without a bundle)", "BehaviourTests", "the shared instance has a service and no access group"),
            ("a change of the accessibility applies to later writes, including overwrites", "BehaviourTests", "an item has the accessibility of its last write"),
            ("values can be read and written by subscript", "BehaviourTests", "values are read and written by subscript"),
            ("setting `nil` removes the value; removing a missing value succeeds", "BehaviourTests", "setting nil removes the value and succeeds without one"),
            ("the account of an item is the description of the key; it can be empty", "BehaviourTests", "a key is converted to its description, even if empty"),
            ("the description of a key is that of its Foundation object, such as `NSNumber`", "KeyTests", "a key is the description of its Foundation object"),
            ("a value that cannot be stored is refused and the old one kept (the original deletes it)", "BehaviourTests", "an unsupported value is rejected and keeps the old one"),
            ("`NSNull` is left out of collections, and refused as a value", "BehaviourTests", "NSNull is removed at any depth, and NSNull alone is not a value"),
            ("a stored item has service, account, protection class and the value as UTF-8", "LayoutTests", "a string is stored as UTF-8 with service and account"),
            ("a stored item has the access group, if one is set", "LockedTests", "an item is added to the specified access group"),
            ("everything but strings is stored as a binary property list", "LayoutTests", "a property list is stored in binary format"),
            ("binary property lists of other writers are read", "LayoutTests", "a binary property list of another program is read"),
            ("a string that looks like a binary property list is wrapped in one", "LayoutTests", "a password that happens to be a property list is read as a string"),
            ("strings like `bplistfoo` are read back, whether they were stored as UTF-8 or as a binary property list", "LayoutTests", "strings are read in both formats"),
            ("an item without a value, or with an empty one, is read as an empty string", "LayoutTests", "an item without a value is an empty string"),
            ("an undecodable value is read as `nil`, and can be removed (in the original it cannot)", "BehaviourTests", "an undecodable value is nil, and can be removed or replaced"),
            ("keyed archives are not read by default", "ArchiveTests", "a property list that only claims to be an archive is not read"),
            ("with archives enabled, a value that is no property list is stored as a keyed archive under `root`", "ArchiveTests", "a value that is not a property list is archived under root"),
            ("with archives enabled, property lists are still stored as property lists", "ArchiveTests", "property lists are not archived"),
            ("only objects of allowed classes are decoded and encoded", "ArchiveTests", "only allowed classes are read and written"),
            ("an `FXKeychain` object without a service, or with an empty one, matches items of every service", "WildcardTests", "no service and an empty service are the same"),
            ("a write or removal without a service applies to the items of all services that have the key", "WildcardTests", "all items with the key are changed and removed, as in the original"),
            ("an `FXKeychain` object without a service adds an item with an empty service if no item has the key", "WildcardTests", "a new item has an empty service if no item has the key"),
            ("with `.refuseWhenAmbiguous`, a write that matches several items is refused", "WildcardTests", "an ambiguous key is rejected on request"),
            ("synchronizable items are not found", "BehaviourTests", "synchronizable items are ignored"),
            ("items that versions 1.0 and 1.1 stored are read", "LayoutTests", "items of FXKeychain 1_0 and 1_1 are read"),
            ("items that version 1.2 stored are read", "LayoutTests", "items of FXKeychain 1_2 are read, archives included"),
            ("concurrent writes from several threads lose nothing (the original is not thread-safe)", "LockedTests", "concurrent writes of one key lose nothing"),
            ("while locked, reads return `nil` and writes `false`, `lastStatus` has the reason, and no data is lost", "LockedTests", "reads and writes fail in a locked keychain, and no value is lost"),
            ("`removeObject`, and setting `nil`, delete while locked, as `SecItemDelete` does", "LockedTests", "removing a value works while the keychain is locked"),
            ("collections that contain themselves or are nested more than 64 levels deep are refused, and the old value stays (the original crashes; here a crash, in Foundation's archiver, remains possible for an object of a custom class that contains such a collection)", "NestingTests", "an endless collection is rejected and keeps the old value"),
            ("a collection that contains itself is refused as a key", "NestingTests", "an endless collection cannot be a key"),
        ])
    ]

    // swift-format-ignore
    private static let lockbox: [Self] = [
        Self("Lockbox", in: "KeychainLockboxTests", [
            ("class methods do the same as instance methods", "ClassTests", "class methods behave like those of an instance"),
            ("class methods use the default key prefix of the program", "ArchiveTests", "class methods use the program's prefix"),
            ("prefix and key can be empty", "ArchiveTests", "prefix and key may be empty"),
            ("a value is a keyed archive under the caller's key; the service is prefix and key; there is no account", "ArchiveTests", "a value is archived under the caller's key"),
            ("archives of the original are read", "ArchiveTests", "an archive of the original is read"),
            ("setting `nil` stores an archive of `nil`", "ArchiveTests", "nil is archived, and the item stays"),
            ("removing a missing value returns `false`", "ArchiveTests", "removing a missing value returns false"),
            ("overwriting a value changes its protection class without deleting the item first", "ArchiveTests", "rewriting an item changes its protection class"),
            ("an item that has an account, which Lockbox does not set, is read, too", "ArchiveTests", "the item without an account has priority, and others are unchanged"),
            ("a value that is no archive, or the archive of another key, is read as `nil`", "ArchiveTests", "malformed archives and archives of other keys are nil"),
            ("an undecodable value can be replaced and removed", "ArchiveTests", "an undecodable value can be replaced and removed"),
            ("objects of custom classes are decoded if the class is allowed (in the original always)", "ArchiveTests", "a custom class is read if it is allowed"),
            ("a `Codable` value is stored as archived JSON data, as in Strongbox", "ArchiveTests", "a Codable value is archived JSON data, as in Strongbox"),
            ("two lockboxes whose prefix and key together give the same service do not overwrite each other's values", "ArchiveTests", "keys of two prefixes with the same service do not overwrite each other's archives"),
            ("the version 2 format stores a string as UTF-8", "LegacyTests", "a string is stored as UTF-8"),
            ("the version 2 format stores an array as its elements joined by `-|-`", "LegacyTests", "an array is its elements joined by the separator"),
            ("in the version 2 format, an element that contains the separator is read back as several elements, and an element that is no string is stored as its description", "LegacyTests", "an element containing the separator is split, and other objects become descriptions"),
            ("the version 2 format stores a set like an array", "LegacyTests", "a set is stored like an array in any order"),
            ("the version 2 format stores a dictionary as its keys followed by its values", "LegacyTests", "a dictionary is all keys, followed by all values"),
            ("the version 2 format stores a date as a decimal number of seconds", "LegacyTests", "a date is the shortest decimal string of its seconds"),
            ("a version 2 date is read from the number at the start of the string", "LegacyTests", "a date is read from the number at the start of a string"),
            ("in the version 2 format `nil` and empty values remove the item", "LegacyTests", "nil and empty values remove the item and return whether it existed"),
            ("in the version 2 format missing values, and values that are not UTF-8, are read as `nil`", "LegacyTests", "a missing value and invalid UTF-8 are nil"),
            ("an empty value, which Lockbox before 1.4.7 stored for an empty collection, is read as one empty string", "LegacyTests", "an empty collection written before 1_4_7 is one empty string"),
            ("items whose service has no prefix, as Lockbox before 1.0.2 wrote them, are read", "LegacyTests", "before 1_0_2 the key was stored as service"),
            ("the methods of version 2 do not read archives, and the methods of version 3 do not read strings of version 2", "LegacyTests", "strings and archives are not read as each other"),
            ("`upgradeToArchive` converts version 2 strings to archives and keeps their protection class", "LegacyTests", "strings are upgraded to archives with their protection class"),
            ("`upgradeToArchive` archives no value if one of them does not have its type", "LegacyTests", "no string is archived if one of them has the wrong type"),
            ("concurrent writes from several threads lose nothing (the original is not thread-safe)", "LockedTests", "concurrent writes of one key lose nothing"),
            ("while locked, reads return `nil` and writes `false`, `lastStatus` has the reason, and no data is lost", "LockedTests", "reads and writes fail in a locked keychain, and no value is lost"),
            ("`removeObject` deletes while locked, as `SecItemDelete` does", "LockedTests", "removing a value works while the keychain is locked"),
            ("collections that contain themselves or are nested more than 64 levels deep are refused, and the old value stays (the original crashes; here a crash, in Foundation's archiver, remains possible for an object of a custom class that contains such a collection)", "NestingTests", "archiving an endless collection is rejected and keeps the old value"),
            ("in the version 2 format an element that contains itself, or is nested more than 64 levels deep, is refused, and the old value stays", "NestingTests", "an endless element is rejected, and the old string stays"),
        ])
    ]
}
