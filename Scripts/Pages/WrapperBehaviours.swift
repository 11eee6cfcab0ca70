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
            ("every function has Valet's labels, types and errors", "SignatureTests", "a valet's calls have these labels and throw these errors"),
            ("the same for `SecureEnclaveValet`", "SignatureTests", "an enclave valet's calls have these labels and throw these errors"),
            ("the same for `SinglePromptSecureEnclaveValet`, whose calls throw any error", "SignatureTests", "a single-prompt valet's calls have these labels"),
            ("valets are created by class functions", "SignatureTests", "valets are made with these labels"),
            ("an identifier beside a group can be omitted; each error case can be caught", "SignatureTests", "identifiers may be left out, and errors are caught one by one"),
            ("the internal names that Valet's own tests use exist", "InternalNameTests", "a valet has the service of what it was made with"),
            ("one object per service, as long as it is referenced", "EqualityTests", "an object lives as long as somebody has it"),
            ("two threads that create the same valet get the same object", "EqualityTests", "threads that make a valet at once get one object"),
            ("`==`, `isEqual` and collections compare group, prefix, kind and accessibility (Valet compares only the service)", "EqualityTests", "valets made alike are one object, and no others are equal"),
            ("the same for the Secure Enclave kinds", "EqualityTests", "enclave valets made alike are one object, and no others are equal"),
            ("groups with the same name and different prefixes are separate", "EqualityTests", "groups of one name keep their values apart"),
            ("`identifier`, `accessibility`, `description`", "ValueTests", "a valet says what it is"),
            ("`Identifier`: not empty", "ValueTypeTests", "an identifier is not empty"),
            ("`SharedGroupIdentifier`: a prefix and a name", "ValueTypeTests", "a shared group has a prefix and a name"),
            ("on Linux an application group can have the prefix of a team", "ValueTypeTests", "an application group may have the prefix of the team"),
            ("`Accessibility`: numbers, names, attributes", "ValueTypeTests", "each accessibility has its number, name and attribute"),
            ("`CloudAccessibility`", "ValueTypeTests", "cloud accessibilities are those of valets that stay"),
            ("`SecureEnclaveAccessControl`: numbers, suffixes", "ValueTypeTests", "each access control has its number and suffix"),
            ("`StatusError`: numbers, names", "ValueTypeTests", "an error of the keychain has its number and says its name"),
            ("`MigrationError`: numbers, names", "ValueTypeTests", "an error of a migration has its number and says its name"),
            ("`MigratableKeyValuePair`: data or a string", "ValueTypeTests", "a pair takes bytes or a text"),
            ("protocol conformances", "SignatureTests", "types conform to these protocols"),
        ]),
        Self("Valet: reading and writing", in: "KeychainValetTests", [
            ("data and strings are returned, and overwrite earlier values", "ValueTests", "bytes and texts come back"),
            ("an empty key is `emptyKey`, before `emptyValue`; for `containsObject` it is `couldNotAccessKeychain`", "ValueTests", "an empty key is refused, before an empty value"),
            ("an empty value is `emptyValue`, and leaves the old one", "ValueTests", "an empty value is refused and leaves the old one"),
            ("a missing value is `itemNotFound`; removing it is no error", "ValueTests", "a missing value is not found"),
            ("bytes that are not UTF-8 are no string: `itemNotFound`", "ValueTests", "bytes that are not UTF-8 are no text"),
            ("`allKeys`, `removeObject`, `removeAllObjects`", "ValueTests", "keys are listed, and removed one by one or together"),
            ("items whose account is data are not listed", "LayoutTests", "accounts that are bytes are not listed"),
            ("keys are compared byte for byte", "ValueTests", "keys that look alike are different"),
            ("a large value", "ValueTests", "a large value comes back"),
            ("valets with another accessibility, kind or name are separate", "ValueTests", "valets that differ in anything see nothing of each other"),
            ("writing an explicitly set identifier with another accessibility updates the item (in Valet an error)", "MigrationTests", "writing an explicitly set identifier makes the value the valet's"),
            ("an overwrite that fails leaves the old value", "RefusalTests", "an overwrite that fails leaves the old value"),
            ("threads that use one valet", "ThreadTests", "eight threads on one valet lose nothing"),
            ("threads that use several valets", "ThreadTests", "eight threads on eight valets lose nothing"),
            ("a value is read completely while it is written", "ThreadTests", "a value is read whole while it is written"),
            ("concurrent writes and removals of one key succeed", "ThreadTests", "writers and removers of one key never fail"),
        ]),
        Self("Valet: stored items", in: "KeychainValetTests", [
            ("each kind writes service, account, class and group, nothing else", "LayoutTests", "what a valet writes has exactly its attributes"),
            ("items of other programs in the same service belong to the valet", "LayoutTests", "a valet reads, lists, changes and removes what others wrote"),
            ("the canary: account and value; not listed; removed with all others", "LayoutTests", "the canary is in the valet's service and in no list"),
            ("a canary with another value, as of 1.0, is rewritten", "LayoutTests", "a canary of another value is written anew"),
            ("the canary of valets with the same name and another accessibility", "RefusalTests", "what another valet of the same name makes its own meanwhile is readable"),
            ("an item without a value exists, but is not found", "LayoutTests", "an item without a value is no value"),
            ("the service of a subclass", "LayoutTests", "items of subclasses are read under their service"),
            ("items of always-accessible valets", "AlwaysAccessibleTests", "each kind finds what it has written"),
            ("placeholder items for group prefixes", "AlwaysAccessibleTests", "the items that keep the prefix of groups are no values"),
            ("the service, suffix and access control of `SecureEnclaveValet`", "EnclaveTests", "what is written has its service and its constraint"),
            ("those from before 2.1, and those of a group", "EnclaveTests", "items of before 2.1, and of a shared group, are read"),
            ("those of `SinglePromptSecureEnclaveValet`", "SinglePromptTests", "what is written has its service and its constraint"),
        ]),
        Self("Valet: errors", in: "KeychainValetTests", [
            ("each status has its error", "RefusalTests", "each status has its error"),
            ("a removal that fails is an error, whatever the status (in Valet a cancelled one is none)", "RefusalTests", "a removal that fails is an error"),
            ("a locked keychain is `couldNotAccessKeychain`, not `itemNotFound`", "RefusalTests", "a locked keychain is no absence"),
            ("`removeObject` and `removeAllObjects` delete while locked, as `SecItemDelete` does", "RefusalTests", "a removal while the keychain is locked removes the value"),
            ("values of `afterFirstUnlock` can be read while locked", "RefusalTests", "values after the first unlock are there while it is locked"),
            ("a group that the program does not have is `missingEntitlement`", "RefusalTests", "a group that the program lacks is a missing entitlement"),
            ("the status behind an error", "AdditionTests", "the status behind an error can be asked for"),
            ("diagnosis of a program without access groups", "RefusalTests", "a program without any group is told so"),
            ("a diagnosis leaves no items", "RefusalTests", "what a diagnosis that was killed left is removed by the next"),
        ]),
        Self("Valet: values that require the user", in: "KeychainValetTests", [
            ("each read prompts once; writing, removing, `containsObject` and `canAccessKeychain` do not prompt", "EnclaveTests", "each read asks once, and nothing else asks"),
            ("an empty value leaves the old one (in Valet it is deleted)", "EnclaveTests", "an empty value leaves the old one"),
            ("a cancelled prompt, a wrong answer, no program to ask", "EnclaveTests", "who does not prove to be there reads nothing"),
            ("the canary is in the service of the plain valet", "EnclaveTests", "the canary is in the vanilla valet's service"),
            ("without a passcode nothing can be stored", "EnclaveTests", "without a passcode nothing can be kept"),
            ("an overwrite that fails leaves the old value", "EnclaveTests", "an overwrite that fails leaves the old value"),
            ("the first read prompts, later ones do not", "SinglePromptTests", "only the first read asks"),
            ("listing keys prompts like a read (in Valet 5.0 it prompts again)", "SinglePromptTests", "listing keys is what asks, and reading after it does not"),
            ("`requirePromptOnNextAccess`", "SinglePromptTests", "a prompt can be required anew"),
            ("it cancels an open prompt", "OpenPromptTests", "requiring a prompt takes the dialog from the screen"),
            ("releasing the object discards the authentication", "SinglePromptTests", "what was proved goes with the object"),
            ("`containsObject` and removing do not use the authentication", "OpenPromptTests", "looking and removing do not use what was proved"),
            ("a cancelled prompt does not authenticate", "SinglePromptTests", "a cancelled prompt proves nothing"),
            ("an open prompt blocks only reads of the same valet (in Valet the whole process)", "OpenPromptTests", "everything but a read of the same valet goes on"),
            ("concurrent reads prompt once", "SinglePromptTests", "threads that read at once have the person asked once"),
        ]),
        Self("Valet: migrations", in: "KeychainValetTests", [
            ("invalid queries are refused", "MigrationCheckTests", "a query that cannot be one of a migration is refused"),
            ("a query may repeat the defaults of a migration", "MigrationCheckTests", "a query may say what a migration asks for anyway"),
            ("an inaccessible destination is reported before an invalid query", "RefusalTests", "a group that the program lacks is a missing entitlement"),
            ("nothing to migrate: `itemNotFound`", "MigrationCheckTests", "nothing to migrate is not found"),
            ("items without a value, and the canary, are skipped", "MigrationCheckTests", "items without a value and the canary are left"),
            ("an empty value: `dataToMigrateInvalid`", "MigrationCheckTests", "an empty value is refused"),
            ("no account: `keyToMigrateInvalid`", "MigrationCheckTests", "an item without an account is refused"),
            ("an account that is data: the same, unless a closure maps it", "MigrationCheckTests", "an account of bytes is refused, and reaches a function"),
            ("a closure omits an item by `nil`; an error it throws ends the migration", "MigrationCheckTests", "a function may leave items out, and its error ends everything"),
            ("an empty mapped key or value is refused", "MigrationCheckTests", "a function that answers nothing usable is refused"),
            ("two items with the same key: `duplicateKeyToMigrate`, before an empty value", "MigrationCheckTests", "two items of one key are refused, before an empty value"),
            ("a key that exists in the destination: `keyToMigrateAlreadyExistsInValet`", "MigrationCheckTests", "a key that is there already is refused, and nothing changes"),
            ("the same if its account there is data", "MigrationCheckTests", "a key that the destination has as bytes is taken"),
            ("a locked destination or source: nothing changes", "RefusalTests", "a locked keychain is left as it is by a migration"),
            ("migrating a valet into itself is refused", "MigrationCheckTests", "a valet cannot be migrated into itself"),
            ("keys are compared byte for byte (in Valet as strings)", "MigrationCheckTests", "keys that look alike are different"),
            ("a failing write: nothing changes", "RefusalTests", "a copy that cannot be written undoes those before it"),
            ("a failing removal: `removalFailed`, nothing changes", "RefusalTests", "a copy that cannot be removed where it came from is undone"),
            ("only copied items are removed (in Valet every match)", "MigrationTests", "what is copied is removed if that is asked for, and nothing else"),
            ("a migration with a closure keeps the source", "MigrationTests", "what a function copies stays where it is"),
            ("only account and value are copied", "MigrationTests", "a copy has nothing of its source but account and value"),
            ("any kind can be migrated into any other", "MigrationTests", "any kind can be migrated into any other"),
            ("Valet's recipe for changing the accessibility works (in Valet it fails)", "MigrationTests", "the accessibility of explicitly set identifiers changes in its place"),
            ("always-accessible valets of every kind (in Valet not explicitly set ones)", "AlwaysAccessibleTests", "each kind finds what it has written"),
            ("from a single-prompt valet with one prompt", "EnclaveTests", "a single-prompt valet is migrated with one prompt"),
            ("into a Secure Enclave valet without a prompt", "EnclaveTests", "values are migrated into it, and nobody is asked"),
            ("a killed process has migrated everything or nothing", "KilledMigrationTests", "a migration that is killed has happened or has not"),
            ("a `Progress` counts and cancels", "CancelledMigrationTests", "nothing is moved by a migration that is cancelled in between"),
            ("observers of the progress may call the keychain", "KilledMigrationTests", "what observes a migration may call the keychain"),
        ]),
    ]

    // swift-format-ignore
    private static let fxKeychain: [Self] = [
        Self("FXKeychain", in: "KeychainFXKeychainTests", [
            ("raw values of `FXKeychainAccess`", "BehaviourTests", "the raw values of the accessibility are those of the original"),
            ("default arguments of the initializers", "BehaviourTests", "the initializers have the original's defaults"),
            ("`default()` is one object with a service (without a bundle, the original's has none)", "BehaviourTests", "the shared one names a service, whatever the program is"),
            ("the accessibility applies to later writes, overwrites included", "BehaviourTests", "an item gets the accessibility with the value"),
            ("subscripts", "BehaviourTests", "it is used as a dictionary is"),
            ("`nil` removes; removing a missing value succeeds", "BehaviourTests", "nil removes, and so it does what is not there"),
            ("the description of a key is the account; it can be empty", "BehaviourTests", "any key is its description, an empty one too"),
            ("the description is that of the Foundation object", "KeyTests", "a key is what Foundation's object says of itself"),
            ("a value that cannot be stored is refused and the old one kept (the original deletes it)", "BehaviourTests", "a value that has no form is refused and leaves the old one"),
            ("`NSNull` is omitted", "BehaviourTests", "NSNull is left out at any depth, and none at all is no value"),
            ("service, account, class and value", "LayoutTests", "a text is its UTF-8 under service and account"),
            ("the access group, if one is set", "LockedTests", "an item belongs to the group that is named"),
            ("everything but strings is stored as a binary property list", "LayoutTests", "any property list is stored as a binary one"),
            ("binary property lists of other writers are read", "LayoutTests", "a binary property list of another writer is read"),
            ("a string that looks like a binary property list is wrapped in one", "LayoutTests", "a password that is a property list stays a text"),
            ("strings like `bplistfoo` are read in both forms", "LayoutTests", "a text is read as it is, in both forms"),
            ("zero bytes, and no value, are an empty string", "LayoutTests", "an item without a secret is an empty text"),
            ("an undecodable value is `nil`, and can be removed (in the original it cannot)", "BehaviourTests", "what cannot be decoded is nil, and can be removed or replaced"),
            ("archives are refused by default", "ArchiveTests", "a property list that says it is an archive and is none is not read"),
            ("with archives enabled: a keyed archive under `root` for values that are no property list", "ArchiveTests", "what is no property list becomes an archive under root"),
            ("with archives enabled, property lists are still stored as such", "ArchiveTests", "property lists stay what they are"),
            ("only listed classes are decoded", "ArchiveTests", "only classes of the list are read, and written"),
            ("no service matches every service, and so does an empty one", "WildcardTests", "no service and an empty one are the same"),
            ("without a service, all matching items are changed and removed", "WildcardTests", "all that have the key are changed and removed, as in the original"),
            ("without a match, an item with an empty service is added", "WildcardTests", "where none has it, the new item has an empty service"),
            ("writes that match several items can be refused", "WildcardTests", "a key of several items is refused, if that was asked for"),
            ("synchronizable items are not found", "BehaviourTests", "items that synchronize are not seen"),
            ("the layouts of 1.0 and 1.1 are read", "LayoutTests", "what FXKeychain 1_0 and 1_1 wrote is read as earlier objects"),
            ("the layout of 1.2 is read", "LayoutTests", "what FXKeychain 1_2 wrote has no protection class of its own, and may be an archive"),
            ("concurrent threads (the original does not support them)", "LockedTests", "threads that write one key lose nothing"),
            ("locked: `nil` or `false`, `lastStatus` says why, and no data is lost", "LockedTests", "while the keychain is locked, nothing is read or written, and nothing lost"),
            ("`removeObject`, and `nil`, delete while locked, as `SecItemDelete` does", "LockedTests", "a removal while the keychain is locked removes the value"),
            ("collections that contain themselves or are nested more than 64 levels deep are refused, and the old value stays (the original crashes; here only Foundation's archiver does, for an object of a custom class that contains one)", "NestingTests", "an endless collection is refused and leaves the old value"),
            ("such a collection is refused as a key", "NestingTests", "an endless collection cannot be a key"),
        ])
    ]

    // swift-format-ignore
    private static let lockbox: [Self] = [
        Self("Lockbox", in: "KeychainLockboxTests", [
            ("class methods do the same as instance methods", "ClassTests", "the class has the same as an instance"),
            ("class methods use the prefix of the program", "ArchiveTests", "the class has the same for the program's prefix"),
            ("prefix and key can be empty", "ArchiveTests", "prefix and key may be empty"),
            ("a keyed archive under the key; the service is prefix and key, there is no account", "ArchiveTests", "a value is an archive under the caller's key"),
            ("archives of the original are read", "ArchiveTests", "an archive of the original is read"),
            ("`nil` is archived", "ArchiveTests", "nil is archived, and the item stays"),
            ("removing a missing value is `false`", "ArchiveTests", "removing what is not there is false"),
            ("a rewrite sets the protection class, and never deletes first", "ArchiveTests", "a rewrite gives the item its protection class, in place"),
            ("an item with any account is read", "ArchiveTests", "the item without an account goes before others, which a write leaves alone"),
            ("a value that is no archive, or the archive of another key, is `nil`", "ArchiveTests", "what is no archive of the key is nil"),
            ("an undecodable value can be replaced and removed", "ArchiveTests", "what is undecodable can be replaced and removed"),
            ("objects of custom classes are decoded if the class is listed (in the original always)", "ArchiveTests", "a class of one's own is read if it is named"),
            ("the format of Strongbox for `Codable` values", "ArchiveTests", "a Codable value is archived data of JSON, as Strongbox does"),
            ("keys whose service is the same with different prefixes", "ArchiveTests", "keys of two prefixes that meet do not overwrite each other's archives"),
            ("version 2: strings", "LegacyTests", "a string is its UTF-8"),
            ("arrays", "LegacyTests", "an array is its elements and what stands between them"),
            ("array elements that contain the separator or are no strings", "LegacyTests", "an element with the separator comes back as two, one that is no text as its description"),
            ("sets", "LegacyTests", "a set is as an array in some order"),
            ("dictionaries", "LegacyTests", "a dictionary is all keys, then all values"),
            ("dates", "LegacyTests", "a date is the shortest text of its seconds"),
            ("dates with surrounding characters", "LegacyTests", "a date is the number at the beginning of a text"),
            ("`nil` and empty values remove", "LegacyTests", "nil and what is empty remove, and say whether there was something"),
            ("missing values, and values that are not UTF-8", "LegacyTests", "what is missing, or no UTF-8, is nil"),
            ("zero bytes, from before 1.4.7", "LegacyTests", "what was empty before 1_4_7 is one empty text"),
            ("services without a prefix, from before 1.0.2", "LegacyTests", "the key was the service before 1_0_2"),
            ("version 2 and version 3 do not read each other's values", "LegacyTests", "a text is no archive, and an archive no text"),
            ("`upgradeToArchive`", "LegacyTests", "texts are archived in place, with their protection class"),
            ("`upgradeToArchive` upgrades all keys or none", "LegacyTests", "where one text is not of its kind, none is archived"),
            ("concurrent threads (the original does not support them)", "LockedTests", "threads that write one key lose nothing"),
            ("locked: `nil` or `false`, `lastStatus` says why, and no data is lost", "LockedTests", "while the keychain is locked, nothing is read or written, and nothing lost"),
            ("`removeObject` deletes while locked, as `SecItemDelete` does", "LockedTests", "a removal while the keychain is locked removes the value"),
            ("collections that contain themselves or are nested more than 64 levels deep are refused, and the old value stays (the original crashes; here only Foundation's archiver does, for an object of a custom class that contains one)", "NestingTests", "archiving an endless collection is refused and leaves the old value"),
            ("version 2: the same for an element", "NestingTests", "an endless element is refused, and the old string stays"),
        ])
    ]
}
