// SPDX-License-Identifier: Apache-2.0

/// A behaviour of a wrapper, and the test that shows it.
struct WrapperBehaviour: Sendable {
    let text: String
    let proof: Proof
}

/// The behaviours of a library, or of a part of one.
struct WrapperSection: Sendable {
    let title: String
    let behaviours: [WrapperBehaviour]

    /// Behaviours shown by tests of one folder.
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
            ("every function has Valet's labels, types and errors", "SignatureTests", "calls of a valet have these labels and errors"),
            ("the same for `SecureEnclaveValet`", "SignatureTests", "calls of an enclave valet have these labels and errors"),
            ("the same for `SinglePromptSecureEnclaveValet`, whose calls throw any error", "SignatureTests", "calls of a single-prompt valet have these labels"),
            ("valets are created by class functions", "SignatureTests", "valets are created with these labels"),
            ("an identifier beside a group can be omitted; each error case can be caught", "SignatureTests", "identifiers are optional, and errors can be caught one by one"),
            ("the internal names that Valet's own tests use exist", "InternalNameTests", "a valet has the service of its parameters"),
            ("one object per service, as long as it is referenced", "EqualityTests", "an object is released with its last reference"),
            ("two threads that create the same valet get the same object", "EqualityTests", "threads that create the same valet concurrently get one object"),
            ("`==`, `isEqual` and collections compare group, prefix, kind and accessibility (Valet compares only the service)", "EqualityTests", "equal valets are the same object, and different ones are not equal"),
            ("the same for the Secure Enclave kinds", "EqualityTests", "equal enclave valets are the same object, and different ones are not equal"),
            ("groups with the same name and different prefixes are separate", "EqualityTests", "shared groups with the same name are separate"),
            ("`identifier`, `accessibility`, `description`", "ValueTests", "the description of a valet contains its parameters"),
            ("`Identifier`: not empty", "ValueTypeTests", "an identifier must not be empty"),
            ("`SharedGroupIdentifier`: a prefix and a name", "ValueTypeTests", "a shared group has a prefix and a name"),
            ("on Linux an application group can have the prefix of a team", "ValueTypeTests", "an application group may have the team prefix"),
            ("`Accessibility`: numbers, names, attributes", "ValueTypeTests", "each accessibility has its raw value, description and attribute"),
            ("`CloudAccessibility`", "ValueTypeTests", "cloud accessibilities are those that are not restricted to this device"),
            ("`SecureEnclaveAccessControl`: numbers, suffixes", "ValueTypeTests", "each access control has its raw value and suffix"),
            ("`StatusError`: numbers, names", "ValueTypeTests", "a keychain error has its raw value and description"),
            ("`MigrationError`: numbers, names", "ValueTypeTests", "a migration error has its raw value and description"),
            ("`MigratableKeyValuePair`: data or a string", "ValueTypeTests", "a migration pair takes data or a string"),
            ("protocol conformances", "SignatureTests", "types conform to these protocols"),
        ]),
        Self("Valet: reading and writing", in: "KeychainValetTests", [
            ("data and strings are returned, and overwrite earlier values", "ValueTests", "data and strings are read back"),
            ("an empty key is `emptyKey`, before `emptyValue`; for `containsObject` it is `couldNotAccessKeychain`", "ValueTests", "an empty key is rejected before an empty value"),
            ("an empty value is `emptyValue`, and leaves the old one", "ValueTests", "an empty value is rejected and keeps the old one"),
            ("a missing value is `itemNotFound`; removing it is no error", "ValueTests", "a missing value is itemNotFound"),
            ("bytes that are not UTF-8 are no string: `itemNotFound`", "ValueTests", "data that is not UTF-8 is not a string"),
            ("`allKeys`, `removeObject`, `removeAllObjects`", "ValueTests", "keys are listed, and removed individually or together"),
            ("items whose account is data are not listed", "LayoutTests", "accounts stored as data are not listed"),
            ("keys are compared byte for byte", "ValueTests", "canonically equivalent keys are different"),
            ("a large value is stored and read back", "ValueTests", "a large value is read back"),
            ("valets with another accessibility, kind or name are separate", "ValueTests", "different valets do not see each other's values"),
            ("writing an explicitly set identifier with another accessibility updates the item (in Valet an error)", "MigrationTests", "writing to an explicitly set identifier takes over the item"),
            ("a failing overwrite keeps the old value", "RefusalTests", "a failing overwrite keeps the old value"),
            ("eight threads that use one valet lose no value", "ThreadTests", "eight threads on one valet lose nothing"),
            ("eight threads that use eight valets lose no value", "ThreadTests", "eight threads on eight valets lose nothing"),
            ("a value is read completely while it is written", "ThreadTests", "a concurrent read never sees a partial value"),
            ("concurrent writes and removals of one key succeed", "ThreadTests", "concurrent writes and removals of one key never fail"),
        ]),
        Self("Valet: stored items", in: "KeychainValetTests", [
            ("each kind writes service, account, class and group, nothing else", "LayoutTests", "a stored item has exactly the valet's attributes"),
            ("items of other programs in the same service belong to the valet", "LayoutTests", "a valet reads, lists, updates and removes items of other programs"),
            ("the canary has Valet's account and value, is not listed, and is removed by `removeAllObjects`", "LayoutTests", "the canary is in the valet's service and not listed"),
            ("a canary with another value, as of 1.0, is rewritten", "LayoutTests", "a canary with another value is rewritten"),
            ("valets with the same name and another accessibility share a canary, and each can use it", "RefusalTests", "a diagnosis reads the test item of another valet"),
            ("an item without a value exists, but is not found", "LayoutTests", "an item without a value is not found"),
            ("items with the service of a subclass are read", "LayoutTests", "items of subclasses are read with their service"),
            ("each kind migrates items of always-accessible valets", "AlwaysAccessibleTests", "each kind finds items with removed accessibilities"),
            ("placeholder items for group prefixes are not values", "AlwaysAccessibleTests", "items that keep the group prefix are not values"),
            ("items of `SecureEnclaveValet` have its service, suffix and access control", "EnclaveTests", "an item has its service and access control"),
            ("items of `SecureEnclaveValet` from before 2.1 are read, also those of a group", "EnclaveTests", "items of versions before 2.1, also in a shared group, are read"),
            ("items of `SinglePromptSecureEnclaveValet` have its service and access control", "SinglePromptTests", "an item has its service and access control"),
        ]),
        Self("Valet: errors", in: "KeychainValetTests", [
            ("each status maps to its error", "RefusalTests", "each status maps to its error"),
            ("a removal that fails is an error, whatever the status (in Valet a cancelled one is none)", "RefusalTests", "a failing removal is an error"),
            ("a locked keychain is `couldNotAccessKeychain`, not `itemNotFound`", "RefusalTests", "a locked keychain is not reported as a missing value"),
            ("`removeObject` and `removeAllObjects` delete while locked, as `SecItemDelete` does", "RefusalTests", "removing a value works while the keychain is locked"),
            ("values of `afterFirstUnlock` can be read while locked", "RefusalTests", "afterFirstUnlock values are readable while the keychain is locked"),
            ("a group that the program does not have is `missingEntitlement`", "RefusalTests", "an access group that the program lacks is a missing entitlement"),
            ("the status behind an error is available", "AdditionTests", "the status behind an error is available"),
            ("a diagnosis reports a program without access groups", "RefusalTests", "calls fail without an access group"),
            ("a diagnosis leaves no items", "RefusalTests", "the next diagnosis removes the item of one that was killed"),
        ]),
        Self("Valet: values that require the user", in: "KeychainValetTests", [
            ("each read prompts once; writing, removing, `containsObject` and `canAccessKeychain` do not prompt", "EnclaveTests", "each read prompts once, and no other call does"),
            ("an empty value leaves the old one (in Valet it is deleted)", "EnclaveTests", "an empty value keeps the old one"),
            ("a read fails after a cancelled prompt or a wrong answer, or without a program to ask", "EnclaveTests", "reading fails without user authentication"),
            ("the canary is in the service of the plain valet", "EnclaveTests", "the canary is in the service of the plain valet"),
            ("without a passcode nothing can be stored", "EnclaveTests", "values cannot be stored without a passcode"),
            ("a failing overwrite keeps the old value", "EnclaveTests", "a failing overwrite keeps the old value"),
            ("the first read prompts, later ones do not", "SinglePromptTests", "only the first read prompts"),
            ("listing keys prompts like a read (in Valet 5.0 it prompts again)", "SinglePromptTests", "listing keys prompts, and reading afterwards does not"),
            ("`requirePromptOnNextAccess`", "SinglePromptTests", "a prompt can be required again"),
            ("`requirePromptOnNextAccess` cancels an open prompt", "OpenPromptTests", "requiring a prompt closes the dialog"),
            ("releasing the object discards the authentication", "SinglePromptTests", "the authentication result is released with the object"),
            ("`containsObject` and removing do not use the authentication", "OpenPromptTests", "listing and removing do not use the authentication result"),
            ("a cancelled prompt does not authenticate", "SinglePromptTests", "a cancelled prompt gives no authentication result"),
            ("an open prompt blocks only reads of the same valet (in Valet the whole process)", "OpenPromptTests", "only reads of the same valet wait for an open prompt"),
            ("concurrent reads prompt once", "SinglePromptTests", "concurrent reads prompt once"),
        ]),
        Self("Valet: migrations", in: "KeychainValetTests", [
            ("invalid queries are refused", "MigrationCheckTests", "an invalid migration query is rejected"),
            ("a query may repeat the defaults of a migration", "MigrationCheckTests", "a query may contain the keys that a migration adds anyway"),
            ("an inaccessible destination is reported before an invalid query", "RefusalTests", "an access group that the program lacks is a missing entitlement"),
            ("nothing to migrate: `itemNotFound`", "MigrationCheckTests", "a query without matches returns itemNotFound"),
            ("items without a value, and the canary, are skipped", "MigrationCheckTests", "items without a value and the canary are not migrated"),
            ("an empty value: `dataToMigrateInvalid`", "MigrationCheckTests", "an empty value is rejected"),
            ("no account: `keyToMigrateInvalid`", "MigrationCheckTests", "an item without an account is rejected"),
            ("an account that is data: the same, unless a closure maps it", "MigrationCheckTests", "a data account is rejected, or passed to the closure"),
            ("a closure omits an item by `nil`; an error it throws ends the migration", "MigrationCheckTests", "a closure can skip items, and its error ends the migration"),
            ("an empty mapped key or value is refused", "MigrationCheckTests", "an invalid result of the closure is rejected"),
            ("two items with the same key: `duplicateKeyToMigrate`, before an empty value", "MigrationCheckTests", "two items with the same key are rejected before empty values"),
            ("a key that exists in the destination: `keyToMigrateAlreadyExistsInValet`", "MigrationCheckTests", "an existing key is rejected, and nothing changes"),
            ("a key whose account in the destination is data is refused in the same way", "MigrationCheckTests", "a key that exists as data in the destination is a duplicate"),
            ("a locked destination or source: nothing changes", "RefusalTests", "a migration changes nothing in a locked keychain"),
            ("migrating a valet into itself is refused", "MigrationCheckTests", "a valet cannot be migrated to itself"),
            ("keys are compared byte for byte (in Valet as strings)", "MigrationCheckTests", "canonically equivalent keys are different"),
            ("a failing write: nothing changes", "RefusalTests", "a failing copy rolls back the previous ones"),
            ("a failing removal: `removalFailed`, nothing changes", "RefusalTests", "a copy is rolled back if its source cannot be removed"),
            ("only copied items are removed (in Valet every match)", "MigrationTests", "only copied items are removed on request"),
            ("a migration with a closure keeps the source", "MigrationTests", "items copied by a closure stay in the source"),
            ("only account and value are copied", "MigrationTests", "a copy has only the account and value of its source"),
            ("every kind of valet can be migrated to every other", "MigrationTests", "every kind of valet can be migrated to every other"),
            ("Valet's recipe for changing the accessibility works (in Valet it fails)", "MigrationTests", "the accessibility of an explicitly set identifier is updated in place"),
            ("always-accessible valets of every kind (in Valet not explicitly set ones)", "AlwaysAccessibleTests", "each kind finds items with removed accessibilities"),
            ("from a single-prompt valet with one prompt", "EnclaveTests", "migrating from a single-prompt valet prompts once"),
            ("into a Secure Enclave valet without a prompt", "EnclaveTests", "migrating values to it does not prompt"),
            ("a killed process has migrated everything or nothing", "KilledMigrationTests", "a killed migration is complete or has no effect"),
            ("a `Progress` counts and cancels", "CancelledMigrationTests", "cancelling a running migration moves nothing"),
            ("observers of the progress may call the keychain", "KilledMigrationTests", "an observer of a migration may call the keychain"),
        ]),
    ]

    // swift-format-ignore
    private static let fxKeychain: [Self] = [
        Self("FXKeychain", in: "KeychainFXKeychainTests", [
            ("raw values of `FXKeychainAccess`", "BehaviourTests", "raw values of the accessibility are those of the original"),
            ("default arguments of the initializers", "BehaviourTests", "initializers have the defaults of the original"),
            ("`default()` is one object with a service (without a bundle, the original's has none)", "BehaviourTests", "the shared instance uses the bundle identifier as service"),
            ("the accessibility applies to later writes, overwrites included", "BehaviourTests", "an item has the accessibility of its last write"),
            ("subscripts", "BehaviourTests", "it can be used like a dictionary"),
            ("`nil` removes; removing a missing value succeeds", "BehaviourTests", "setting nil removes the value and succeeds without one"),
            ("the description of a key is the account; it can be empty", "BehaviourTests", "a key is converted to its description, even if empty"),
            ("the description is that of the Foundation object", "KeyTests", "a key is the description of its Foundation object"),
            ("a value that cannot be stored is refused and the old one kept (the original deletes it)", "BehaviourTests", "an unsupported value is rejected and keeps the old one"),
            ("`NSNull` is omitted", "BehaviourTests", "NSNull is removed at any depth, and NSNull alone is not a value"),
            ("service, account, class and value", "LayoutTests", "a string is stored as UTF-8 with service and account"),
            ("the access group, if one is set", "LockedTests", "an item is added to the specified access group"),
            ("everything but strings is stored as a binary property list", "LayoutTests", "a property list is stored in binary format"),
            ("binary property lists of other writers are read", "LayoutTests", "a binary property list of another program is read"),
            ("a string that looks like a binary property list is wrapped in one", "LayoutTests", "a password that happens to be a property list is read as a string"),
            ("strings like `bplistfoo` are read in both forms", "LayoutTests", "strings are read in both formats"),
            ("zero bytes, and no value, are an empty string", "LayoutTests", "an item without a value is an empty string"),
            ("an undecodable value is `nil`, and can be removed (in the original it cannot)", "BehaviourTests", "an undecodable value is nil, and can be removed or replaced"),
            ("archives are refused by default", "ArchiveTests", "a property list that only claims to be an archive is not read"),
            ("with archives enabled: a keyed archive under `root` for values that are no property list", "ArchiveTests", "a value that is not a property list is archived under root"),
            ("with archives enabled, property lists are still stored as such", "ArchiveTests", "property lists are not archived"),
            ("only listed classes are decoded", "ArchiveTests", "only allowed classes are read and written"),
            ("no service matches every service, and so does an empty one", "WildcardTests", "no service and an empty service are the same"),
            ("without a service, all matching items are changed and removed", "WildcardTests", "all items with the key are changed and removed, as in the original"),
            ("without a match, an item with an empty service is added", "WildcardTests", "a new item has an empty service if no item has the key"),
            ("writes that match several items can be refused", "WildcardTests", "an ambiguous key is rejected on request"),
            ("synchronizable items are not found", "BehaviourTests", "synchronizable items are ignored"),
            ("the layouts of 1.0 and 1.1 are read", "LayoutTests", "items of FXKeychain 1_0 and 1_1 are read"),
            ("the layout of 1.2 is read", "LayoutTests", "items of FXKeychain 1_2 are read, archives included, and have the default accessibility"),
            ("concurrent threads (the original does not support them)", "LockedTests", "concurrent writes of one key lose nothing"),
            ("locked: `nil` or `false`, `lastStatus` says why, and no data is lost", "LockedTests", "a locked keychain fails reads and writes without losing values"),
            ("`removeObject`, and `nil`, delete while locked, as `SecItemDelete` does", "LockedTests", "removing a value works while the keychain is locked"),
            ("collections that contain themselves or are nested more than 64 levels deep are refused, and the old value stays (the original crashes; here only Foundation's archiver does, for an object of a custom class that contains one)", "NestingTests", "an endless collection is rejected and keeps the old value"),
            ("such a collection is refused as a key", "NestingTests", "an endless collection cannot be a key"),
        ])
    ]

    // swift-format-ignore
    private static let lockbox: [Self] = [
        Self("Lockbox", in: "KeychainLockboxTests", [
            ("class methods do the same as instance methods", "ClassTests", "class methods behave like those of an instance"),
            ("class methods use the prefix of the program", "ArchiveTests", "class methods use the program's prefix"),
            ("prefix and key can be empty", "ArchiveTests", "prefix and key may be empty"),
            ("a keyed archive under the key; the service is prefix and key, there is no account", "ArchiveTests", "a value is archived under the caller's key"),
            ("archives of the original are read", "ArchiveTests", "an archive of the original is read"),
            ("`nil` is archived", "ArchiveTests", "nil is archived, and the item stays"),
            ("removing a missing value is `false`", "ArchiveTests", "removing a missing value returns false"),
            ("a rewrite sets the protection class, and never deletes first", "ArchiveTests", "rewriting an item changes its protection class"),
            ("an item with any account is read", "ArchiveTests", "the item without an account has priority, and others are unchanged"),
            ("a value that is no archive, or the archive of another key, is `nil`", "ArchiveTests", "malformed archives and archives of other keys are nil"),
            ("an undecodable value can be replaced and removed", "ArchiveTests", "an undecodable value can be replaced and removed"),
            ("objects of custom classes are decoded if the class is listed (in the original always)", "ArchiveTests", "a custom class is read if it is allowed"),
            ("the format of Strongbox for `Codable` values", "ArchiveTests", "a Codable value is archived JSON data, as in Strongbox"),
            ("keys whose service is the same with different prefixes", "ArchiveTests", "equal accounts of two prefixes do not overwrite each other's archives"),
            ("version 2: strings", "LegacyTests", "a string is stored as UTF-8"),
            ("arrays", "LegacyTests", "an array is its elements joined by the separator"),
            ("array elements that contain the separator or are no strings", "LegacyTests", "an element containing the separator is split, and other objects become descriptions"),
            ("sets", "LegacyTests", "a set is stored like an array in any order"),
            ("dictionaries", "LegacyTests", "a dictionary is all keys, followed by all values"),
            ("dates", "LegacyTests", "a date is the shortest decimal string of its seconds"),
            ("dates with surrounding characters", "LegacyTests", "a date is read from the number at the start of a string"),
            ("`nil` and empty values remove", "LegacyTests", "nil and empty values remove the item and return whether it existed"),
            ("missing values, and values that are not UTF-8", "LegacyTests", "a missing value and invalid UTF-8 are nil"),
            ("zero bytes, from before 1.4.7", "LegacyTests", "an empty collection written before 1_4_7 is one empty string"),
            ("services without a prefix, from before 1.0.2", "LegacyTests", "before 1_0_2 the key was stored as service"),
            ("version 2 and version 3 do not read each other's values", "LegacyTests", "strings and archives are not read as each other"),
            ("`upgradeToArchive`", "LegacyTests", "strings are upgraded to archives with their protection class"),
            ("`upgradeToArchive` upgrades all keys or none", "LegacyTests", "no string is archived if one of them has the wrong type"),
            ("concurrent threads (the original does not support them)", "LockedTests", "concurrent writes of one key lose nothing"),
            ("locked: `nil` or `false`, `lastStatus` says why, and no data is lost", "LockedTests", "a locked keychain fails reads and writes without losing values"),
            ("`removeObject` deletes while locked, as `SecItemDelete` does", "LockedTests", "removing a value works while the keychain is locked"),
            ("collections that contain themselves or are nested more than 64 levels deep are refused, and the old value stays (the original crashes; here only Foundation's archiver does, for an object of a custom class that contains one)", "NestingTests", "archiving an endless collection is rejected and keeps the old value"),
            ("version 2: the same for an element", "NestingTests", "an endless element is rejected, and the old string stays"),
        ])
    ]
}
