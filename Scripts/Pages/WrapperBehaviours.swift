// SPDX-License-Identifier: Apache-2.0

/// What a wrapper does, and the test that shows it.
struct WrapperBehaviour: Sendable {
    let text: String
    let proof: Proof
}

/// The behaviours of one library, or of a part of one.
struct WrapperSection: Sendable {
    let title: String
    let behaviours: [WrapperBehaviour]

    /// Tests of one folder: what is done, the suite, and its sentence.
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
        Self("Valet: making one", in: "KeychainValetTests", [
            ("every function has Valet's labels, types and errors", "SignatureTests", "a valet's calls have these labels and throw these errors"),
            ("so have those of the enclave kinds", "SignatureTests", "an enclave valet's calls have these labels and throw these errors"),
            ("so have those of the single-prompt kind, which throw anything", "SignatureTests", "a single-prompt valet's calls have these labels"),
            ("valets are made by class functions", "SignatureTests", "valets are made with these labels"),
            ("an identifier beside a group may be left out; errors are caught one by one", "SignatureTests", "identifiers may be left out, and errors are caught one by one"),
            ("Valet's own tests find its internal names", "InternalNameTests", "a valet has the service of what it was made with"),
            ("one object for one service, as long as anybody has it", "EqualityTests", "an object lives as long as somebody has it"),
            ("two threads that make one at once get one object", "EqualityTests", "threads that make a valet at once get one object"),
            ("equal valets are those made alike: by `==`, `isEqual` and in collections; group, prefix, kind and accessibility count (Valet compares the service alone)", "EqualityTests", "valets made alike are one object, and no others are equal"),
            ("the same for the enclave kinds", "EqualityTests", "enclave valets made alike are one object, and no others are equal"),
            ("groups of one name and two prefixes keep apart", "EqualityTests", "groups of one name keep their values apart"),
            ("`identifier`, `accessibility`, `description`", "ValueTests", "a valet says what it is"),
            ("`Identifier`: not empty", "ValueTypeTests", "an identifier is not empty"),
            ("`SharedGroupIdentifier`: a prefix and a name", "ValueTypeTests", "a shared group has a prefix and a name"),
            ("on Linux the prefix of an application group may be a team's", "ValueTypeTests", "an application group may have the prefix of the team"),
            ("`Accessibility`: numbers, names, attributes", "ValueTypeTests", "each accessibility has its number, name and attribute"),
            ("`CloudAccessibility`", "ValueTypeTests", "cloud accessibilities are those of valets that stay"),
            ("`SecureEnclaveAccessControl`: numbers, suffixes", "ValueTypeTests", "each access control has its number and suffix"),
            ("`StatusError`: numbers, names", "ValueTypeTests", "an error of the keychain has its number and says its name"),
            ("`MigrationError`: numbers, names", "ValueTypeTests", "an error of a migration has its number and says its name"),
            ("`MigratableKeyValuePair`: bytes or a text", "ValueTypeTests", "a pair takes bytes or a text"),
            ("protocols of the types", "SignatureTests", "types conform to these protocols"),
        ]),
        Self("Valet: reading and writing", in: "KeychainValetTests", [
            ("bytes and texts come back, in the place of what was there", "ValueTests", "bytes and texts come back"),
            ("an empty key is `emptyKey`, before `emptyValue`; for `containsObject` it is `couldNotAccessKeychain`", "ValueTests", "an empty key is refused, before an empty value"),
            ("an empty value is `emptyValue`, and leaves the old one", "ValueTests", "an empty value is refused and leaves the old one"),
            ("what is missing is `itemNotFound`; removing it is none", "ValueTests", "a missing value is not found"),
            ("bytes that are not UTF-8 are no text: `itemNotFound`", "ValueTests", "bytes that are not UTF-8 are no text"),
            ("`allKeys`, `removeObject`, `removeAllObjects`", "ValueTests", "keys are listed, and removed one by one or together"),
            ("accounts of bytes are no keys", "LayoutTests", "accounts that are bytes are not listed"),
            ("keys are compared by their bytes", "ValueTests", "keys that look alike are different"),
            ("a large value", "ValueTests", "a large value comes back"),
            ("accessibility, kind and name keep sandboxes apart", "ValueTests", "valets that differ in anything see nothing of each other"),
            ("an explicitly set identifier under another accessibility is changed in its place (in Valet an error)", "MigrationTests", "writing an explicitly set identifier makes the value the valet's"),
            ("an overwrite that fails leaves the old value", "RefusalTests", "an overwrite that fails leaves the old value"),
            ("threads on one valet", "ThreadTests", "eight threads on one valet lose nothing"),
            ("threads on several", "ThreadTests", "eight threads on eight valets lose nothing"),
            ("a value is read whole", "ThreadTests", "a value is read whole while it is written"),
            ("writers and removers do not fail each other", "ThreadTests", "writers and removers of one key never fail"),
        ]),
        Self("Valet: what is stored", in: "KeychainValetTests", [
            ("service, account, class, group and nothing else, of every kind", "LayoutTests", "what a valet writes has exactly its attributes"),
            ("what others wrote there is the valet's", "LayoutTests", "a valet reads, lists, changes and removes what others wrote"),
            ("the canary: its account and value, in no list, removed with all", "LayoutTests", "the canary is in the valet's service and in no list"),
            ("a canary of another value, as of 1.0, is written anew", "LayoutTests", "a canary of another value is written anew"),
            ("the canary of valets that share a name and not an accessibility", "RefusalTests", "what another valet of the same name makes its own meanwhile is readable"),
            ("an item without a value is there, and not found", "LayoutTests", "an item without a value is no value"),
            ("the service of a subclass", "LayoutTests", "items of subclasses are read under their service"),
            ("items of always accessible valets", "AlwaysAccessibleTests", "each kind finds what it has written"),
            ("placeholders of the prefixes of groups", "AlwaysAccessibleTests", "the items that keep the prefix of groups are no values"),
            ("an enclave valet's service, suffix and access control", "EnclaveTests", "what is written has its service and its constraint"),
            ("those of before 2.1, and of a group", "EnclaveTests", "items of before 2.1, and of a shared group, are read"),
            ("a single-prompt valet's", "SinglePromptTests", "what is written has its service and its constraint"),
        ]),
        Self("Valet: errors", in: "KeychainValetTests", [
            ("a status has its error", "RefusalTests", "each status has its error"),
            ("a removal that fails is an error, whatever the status (in Valet a cancelled one is none)", "RefusalTests", "a removal that fails is an error"),
            ("locked is `couldNotAccessKeychain`, and no absence", "RefusalTests", "a locked keychain is no absence"),
            ("`removeObject` and `removeAllObjects` delete while locked, as `SecItemDelete` does", "RefusalTests", "a removal while the keychain is locked removes the value"),
            ("values after the first unlock stay open", "RefusalTests", "values after the first unlock are there while it is locked"),
            ("a group that the program lacks is `missingEntitlement`", "RefusalTests", "a group that the program lacks is a missing entitlement"),
            ("the status behind it", "AdditionTests", "the status behind an error can be asked for"),
            ("a diagnosis of a program without groups", "RefusalTests", "a program without any group is told so"),
            ("a diagnosis leaves nothing", "RefusalTests", "what a diagnosis that was killed left is removed by the next"),
        ]),
        Self("Valet: values that the user is asked for", in: "KeychainValetTests", [
            ("each read asks once; writing, removing, looking and `canAccessKeychain` ask nobody", "EnclaveTests", "each read asks once, and nothing else asks"),
            ("an empty value leaves the old one (in Valet it is deleted)", "EnclaveTests", "an empty value leaves the old one"),
            ("cancelled, wrong, nobody there", "EnclaveTests", "who does not prove to be there reads nothing"),
            ("the canary is in the plain valet's service", "EnclaveTests", "the canary is in the vanilla valet's service"),
            ("without a passcode nothing is kept", "EnclaveTests", "without a passcode nothing can be kept"),
            ("an overwrite that fails leaves the old value", "EnclaveTests", "an overwrite that fails leaves the old value"),
            ("one prompt, then none", "SinglePromptTests", "only the first read asks"),
            ("listing keys asks like a read (in Valet 5.0 it asks again)", "SinglePromptTests", "listing keys is what asks, and reading after it does not"),
            ("`requirePromptOnNextAccess`", "SinglePromptTests", "a prompt can be required anew"),
            ("it cancels a prompt that is open", "OpenPromptTests", "requiring a prompt takes the dialog from the screen"),
            ("dropping the object drops what was proved", "SinglePromptTests", "what was proved goes with the object"),
            ("looking and removing use nothing of what was proved", "OpenPromptTests", "looking and removing do not use what was proved"),
            ("a cancelled prompt proves nothing", "SinglePromptTests", "a cancelled prompt proves nothing"),
            ("an open prompt holds up reads of its valet alone (in Valet the process)", "OpenPromptTests", "everything but a read of the same valet goes on"),
            ("threads that read at once ask once", "SinglePromptTests", "threads that read at once have the person asked once"),
        ]),
        Self("Valet: migrations", in: "KeychainValetTests", [
            ("the checks of the query", "MigrationCheckTests", "a query that cannot be one of a migration is refused"),
            ("a query that says what is asked anyway", "MigrationCheckTests", "a query may say what a migration asks for anyway"),
            ("a destination that cannot be reached comes before the query", "RefusalTests", "a group that the program lacks is a missing entitlement"),
            ("nothing there: `itemNotFound`", "MigrationCheckTests", "nothing to migrate is not found"),
            ("items without a value, and the canary, are skipped", "MigrationCheckTests", "items without a value and the canary are left"),
            ("an empty value: `dataToMigrateInvalid`", "MigrationCheckTests", "an empty value is refused"),
            ("no account: `keyToMigrateInvalid`", "MigrationCheckTests", "an item without an account is refused"),
            ("an account of bytes: the same, unless a function takes it", "MigrationCheckTests", "an account of bytes is refused, and reaches a function"),
            ("a function leaves out by `nil`; what it throws ends everything", "MigrationCheckTests", "a function may leave items out, and its error ends everything"),
            ("an empty new key or value", "MigrationCheckTests", "a function that answers nothing usable is refused"),
            ("two of one key: `duplicateKeyToMigrate`, before an empty value", "MigrationCheckTests", "two items of one key are refused, before an empty value"),
            ("a key that is there: `keyToMigrateAlreadyExistsInValet`", "MigrationCheckTests", "a key that is there already is refused, and nothing changes"),
            ("even as bytes", "MigrationCheckTests", "a key that the destination has as bytes is taken"),
            ("and where the destination cannot tell", "RefusalTests", "a locked keychain is left as it is by a migration"),
            ("into itself", "MigrationCheckTests", "a valet cannot be migrated into itself"),
            ("keys are compared by their bytes (in Valet as texts)", "MigrationCheckTests", "keys that look alike are different"),
            ("a write that fails: everything is as before", "RefusalTests", "a copy that cannot be written undoes those before it"),
            ("a removal that fails: `removalFailed`, everything is as before", "RefusalTests", "a copy that cannot be removed where it came from is undone"),
            ("only what was copied is removed (in Valet what matches)", "MigrationTests", "what is copied is removed if that is asked for, and nothing else"),
            ("a function leaves the source", "MigrationTests", "what a function copies stays where it is"),
            ("account and value are all that is carried over", "MigrationTests", "a copy has nothing of its source but account and value"),
            ("any kind into any other, canaries on both sides", "MigrationTests", "any kind can be migrated into any other"),
            ("the recipe for another accessibility works (in Valet it cannot)", "MigrationTests", "the accessibility of explicitly set identifiers changes in its place"),
            ("the always accessible ones, of every kind (in Valet not of those explicitly set)", "AlwaysAccessibleTests", "each kind finds what it has written"),
            ("from the single-prompt kind with one prompt", "EnclaveTests", "a single-prompt valet is migrated with one prompt"),
            ("into the enclave kinds without one", "EnclaveTests", "values are migrated into it, and nobody is asked"),
            ("a process that is killed has migrated everything or nothing", "KilledMigrationTests", "a migration that is killed has happened or has not"),
            ("a progress counts and cancels", "CancelledMigrationTests", "nothing is moved by a migration that is cancelled in between"),
            ("what observes it may call the keychain", "KilledMigrationTests", "what observes a migration may call the keychain"),
        ]),
    ]

    // swift-format-ignore
    private static let fxKeychain: [Self] = [
        Self("FXKeychain", in: "KeychainFXKeychainTests", [
            ("numbers of `FXKeychainAccess`", "BehaviourTests", "the raw values of the accessibility are those of the original"),
            ("the initializers' defaults", "BehaviourTests", "the initializers have the original's defaults"),
            ("`default()` is one object with a service (the original's is a wildcard without a bundle)", "BehaviourTests", "the shared one names a service, whatever the program is"),
            ("an accessibility is that of later writes, and changes what is overwritten", "BehaviourTests", "an item gets the accessibility with the value"),
            ("subscripts", "BehaviourTests", "it is used as a dictionary is"),
            ("`nil` removes; what is not there is removed too", "BehaviourTests", "nil removes, and so it does what is not there"),
            ("a key is its description, and may be empty", "BehaviourTests", "any key is its description, an empty one too"),
            ("the description is that of Foundation's object", "KeyTests", "a key is what Foundation's object says of itself"),
            ("a value without a form is refused, and leaves the old one (the original deletes)", "BehaviourTests", "a value that has no form is refused and leaves the old one"),
            ("`NSNull` is left out", "BehaviourTests", "NSNull is left out at any depth, and none at all is no value"),
            ("service, account, class and value", "LayoutTests", "a text is its UTF-8 under service and account"),
            ("the group, if one is named", "LockedTests", "an item belongs to the group that is named"),
            ("binary property lists for all but texts", "LayoutTests", "any property list is stored as a binary one"),
            ("those of another writer", "LayoutTests", "a binary property list of another writer is read"),
            ("a text that is a property list is wrapped", "LayoutTests", "a password that is a property list stays a text"),
            ("texts like `bplistfoo` are read in both forms", "LayoutTests", "a text is read as it is, in both forms"),
            ("zero bytes, and no value, are an empty text", "LayoutTests", "an item without a secret is an empty text"),
            ("what cannot be decoded is `nil`, and can be removed (in the original it cannot)", "BehaviourTests", "what cannot be decoded is nil, and can be removed or replaced"),
            ("archives are refused by default", "ArchiveTests", "a property list that says it is an archive and is none is not read"),
            ("with archives on: under `root`, where a property list does not do", "ArchiveTests", "what is no property list becomes an archive under root"),
            ("property lists stay so", "ArchiveTests", "property lists stay what they are"),
            ("classes of the list alone", "ArchiveTests", "only classes of the list are read, and written"),
            ("no service is a wildcard, as is an empty one", "WildcardTests", "no service and an empty one are the same"),
            ("it changes and removes all that match", "WildcardTests", "all that have the key are changed and removed, as in the original"),
            ("or adds one with an empty service", "WildcardTests", "where none has it, the new item has an empty service"),
            ("ambiguous writes can be refused", "WildcardTests", "a key of several items is refused, if that was asked for"),
            ("items that synchronize are not seen", "BehaviourTests", "items that synchronize are not seen"),
            ("layouts of 1.0 and 1.1", "LayoutTests", "what FXKeychain 1_0 and 1_1 wrote is read as earlier objects"),
            ("that of 1.2", "LayoutTests", "what FXKeychain 1_2 wrote has no protection class of its own, and may be an archive"),
            ("threads (the original allows one at a time)", "LockedTests", "threads that write one key lose nothing"),
            ("locked: `nil` or false, with the status, and nothing lost", "LockedTests", "while the keychain is locked, nothing is read or written, and nothing lost"),
            ("`removeObject`, and `nil`, delete while locked, as `SecItemDelete` does", "LockedTests", "a removal while the keychain is locked removes the value"),
            ("collections that contain themselves or are nested more than 64 levels deep are refused, and the old value stays (the original ends the process, and so does Foundation's archiver here over an object of one's own class that holds such a collection)", "NestingTests", "an endless collection is refused and leaves the old value"),
            ("such a collection cannot be a key", "NestingTests", "an endless collection cannot be a key"),
        ])
    ]

    // swift-format-ignore
    private static let lockbox: [Self] = [
        Self("Lockbox", in: "KeychainLockboxTests", [
            ("the class has what an instance has", "ClassTests", "the class has the same as an instance"),
            ("it has the program's prefix", "ArchiveTests", "the class has the same for the program's prefix"),
            ("prefix and key may be empty", "ArchiveTests", "prefix and key may be empty"),
            ("an archive under the caller's key, in a service of prefix and key, without an account", "ArchiveTests", "a value is an archive under the caller's key"),
            ("archives of the original", "ArchiveTests", "an archive of the original is read"),
            ("`nil` is archived", "ArchiveTests", "nil is archived, and the item stays"),
            ("removing what is not there is false", "ArchiveTests", "removing what is not there is false"),
            ("a rewrite sets the protection class, and never deletes first", "ArchiveTests", "a rewrite gives the item its protection class, in place"),
            ("an item of any account is read", "ArchiveTests", "the item without an account goes before others, which a write leaves alone"),
            ("what is no archive, or another key's, is `nil`", "ArchiveTests", "what is no archive of the key is nil"),
            ("what cannot be decoded can be replaced and removed", "ArchiveTests", "what is undecodable can be replaced and removed"),
            ("a class of one's own, if it is named (in the original any)", "ArchiveTests", "a class of one's own is read if it is named"),
            ("Strongbox's form of a `Codable` value", "ArchiveTests", "a Codable value is archived data of JSON, as Strongbox does"),
            ("keys that meet with their prefixes", "ArchiveTests", "keys of two prefixes that meet do not overwrite each other's archives"),
            ("version 2: strings", "LegacyTests", "a string is its UTF-8"),
            ("arrays", "LegacyTests", "an array is its elements and what stands between them"),
            ("elements with the separator, or that are no texts", "LegacyTests", "an element with the separator comes back as two, one that is no text as its description"),
            ("sets", "LegacyTests", "a set is as an array in some order"),
            ("dictionaries", "LegacyTests", "a dictionary is all keys, then all values"),
            ("dates", "LegacyTests", "a date is the shortest text of its seconds"),
            ("dates with other text around", "LegacyTests", "a date is the number at the beginning of a text"),
            ("`nil` and what is empty remove", "LegacyTests", "nil and what is empty remove, and say whether there was something"),
            ("what is missing, or no UTF-8", "LegacyTests", "what is missing, or no UTF-8, is nil"),
            ("zero bytes of before 1.4.7", "LegacyTests", "what was empty before 1_4_7 is one empty text"),
            ("bare keys of before 1.0.2", "LegacyTests", "the key was the service before 1_0_2"),
            ("text and archive do not read each other", "LegacyTests", "a text is no archive, and an archive no text"),
            ("`upgradeToArchive`", "LegacyTests", "texts are archived in place, with their protection class"),
            ("all or none", "LegacyTests", "where one text is not of its kind, none is archived"),
            ("threads (the original allows one at a time)", "LockedTests", "threads that write one key lose nothing"),
            ("locked: `nil` or false, with the status, and nothing lost", "LockedTests", "while the keychain is locked, nothing is read or written, and nothing lost"),
            ("`removeObject` deletes while locked, as `SecItemDelete` does", "LockedTests", "a removal while the keychain is locked removes the value"),
            ("collections that contain themselves or are nested more than 64 levels deep are refused, and the old value stays (the original ends the process, and so does Foundation's archiver here over an object of one's own class that holds such a collection)", "NestingTests", "archiving an endless collection is refused and leaves the old value"),
            ("version 2: the same for an element", "NestingTests", "an endless element is refused, and the old string stays"),
        ])
    ]
}
