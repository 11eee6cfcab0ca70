// SPDX-License-Identifier: Apache-2.0

/// An explanation of a failure for the user: the problem and the remedy.
package struct Explanation: Hashable, Sendable {
    package let problem: String
    package let remedy: String?

    package init(_ problem: String, _ remedy: String? = nil) {
        self.problem = problem
        self.remedy = remedy
    }

    /// The problem and the remedy, without a final newline.
    package var sentence: String { remedy.map { "\(problem); \($0)" } ?? problem }
}

extension Reason {
    /// Returns the explanation of this reason.
    ///
    /// Some explanations name the file at fault; if `storeFile` is `nil`, they name "a file of the store".
    package func explanation(of storeFile: StoreFile?) -> Explanation {
        let file = storeFile?.rawValue ?? "a file of the store"
        return switch self {
        case .wrongValueType: .init("the value is of a type that the attribute does not take")
        case .notAnInteger: .init("the number is not an integer")
        case .unknownKey: .init("the dictionary has an unknown key")
        case .tooManyKeys: .init("the dictionary has more than 128 keys")
        case .tooManyMembers:
            .init("a value under an ignored key has more than 10,000 members, or contains itself")
        case .missingClass: .init("the dictionary names no class")
        case .unknownClass: .init("the class is not one of the five item classes")
        case .classMismatch: .init("the class contradicts the persistent reference")
        case .conflictingKeys: .init("two keys of the dictionary are mutually exclusive")
        case .notAllowedHere: .init("the dictionary has a key that this call does not take")
        case .foreignAttribute: .init("the attribute does not belong to the class")
        case .malformedReference: .init("the persistent reference is malformed")
        case .restrictedAttribute: .init("the attribute needs a private entitlement")
        case .noAccessGroups:
            .init(
                "the program has no access group",
                "list one under keychain-access-groups in its entitlements"
            )
        case .foreignAccessGroup:
            .init(
                "the access group is not one of the program's groups",
                "add it to keychain-access-groups in the program's entitlements"
            )
        case .malformedEntitlements:
            .init(
                "the entitlements file cannot be read as a property list of entitlements",
                "correct or remove it"
            )
        case .entitlementsTooLate:
            .init(
                "the keychain was used before the program stated its entitlements",
                "call useEntitlements before the first other call"
            )
        case .classKeyAbsent:
            .init(
                "the keychain is locked for items of this protection class",
                "unlock it, as security unlock-keychain does"
            )
        case .passcodeNotSet:
            .init(
                "items of this protection class need a passcode, and none is set",
                "set one, as security set-keychain-password does"
            )
        case .authenticationNeeded:
            .init(
                "the item's access control requires the user, and the call forbids interaction",
                "repeat the call with interaction allowed, or with an evaluated LAContext"
            )
        case .applicationPasswordWrong:
            .init(
                "the application password is missing or wrong",
                "supply it with LAContext.setCredential, or --application-password"
            )
        case .promptForbidden:
            .init("the user must be asked, and an empty KEYCHAIN_PINENTRY forbids it", "unset it")
        case .promptWithoutTerminal:
            .init(
                "the user must be asked, and there is neither a terminal nor a display",
                "run the program where there is one, or set KEYCHAIN_PINENTRY"
            )
        case .promptWithoutPinentry:
            .init(
                "the user must be asked, and the pinentry program cannot be started",
                "install pinentry, or set KEYCHAIN_PINENTRY to the path of a pinentry program"
            )
        case .promptFailed:
            .init(
                "the user must be asked, and the pinentry program failed",
                "check the program that KEYCHAIN_PINENTRY names, or the default, pinentry"
            )
        case .changesCanceled: .init("the program cancelled the operation before it was complete")
        case .promptCanceled: .init("the request for the passcode was cancelled or timed out")
        case .constraintUnsatisfiable:
            .init(
                "the item's access control requires a fingerprint, and no sensor has an enrolled finger of this user",
                Self.sensorRemedy
            )
        case .fingersLockedOut:
            .init("too many fingerprints in a row were not recognized", "have the user enter the passcode")
        case .fingerSuffices:
            .init(
                "the item's access control requires a fingerprint, and the call forbids interaction",
                "repeat the call with interaction allowed, or with an evaluated LAContext"
            )
        case .enrolledSetChanged:
            .init(
                "the enrolled fingers have changed since the item was added"
            )
        case .passcodeWrong: .init("the passcode is wrong")
        case .passcodeMalformed: .init("a passcode must have 1 to 1024 bytes")
        case .passcodeExists:
            .init(
                "a passcode is set already",
                "change it instead"
            )
        case .noPasscode:
            .init(
                "no passcode is set",
                "set one, as security set-keychain-password does"
            )
        case .tooManyGuesses:
            .init(
                "too many wrong passcodes were tried",
                "wait the number of seconds that the code gives"
            )
        case .passcodeCostUnknown:
            .init(
                "the keybag requires a more expensive key derivation than this version allows",
                "no passcode was tried"
            )
        case .keyCacheUnavailable:
            .init(
                "no other program can use the unlocked keys",
                "free space in the user's kernel keyring, or set XDG_RUNTIME_DIR to a private directory in memory"
            )
        case .noHomeDirectory: .init("there is no home directory", "set KEYCHAIN_HOME to a private directory")
        case .directoryMissing:
            .init(
                "the store's directory is missing and cannot be made",
                "make it with mkdir -m 700, or set KEYCHAIN_HOME to another directory"
            )
        case .directoryNotPrivate:
            .init(
                "the store's directory is open to other users",
                "run chmod 700 on it"
            )
        case .directoryNotOwned:
            .init(
                "the store's directory belongs to another user, and nothing was read from it",
                "set KEYCHAIN_HOME to a directory of your own"
            )
        case .directoryIsLink:
            .init(
                "the store's directory is a symbolic link",
                "name the directory itself"
            )
        case .directoryClosed:
            .init(
                "this user may not access the store's directory or one above it",
                "set KEYCHAIN_HOME to a directory of your own"
            )
        case .notADirectory:
            .init(
                "the path of the store's directory does not name a directory",
                "set KEYCHAIN_HOME to a directory"
            )
        case .pathTooLong:
            .init(
                "the path of the store's directory is too long for the system",
                "set KEYCHAIN_HOME to a shorter path"
            )
        case .pathNotUTF8:
            .init(
                "the path of the store's directory is not UTF-8",
                "set KEYCHAIN_HOME to a path that is"
            )
        case .pathNotAbsolute:
            .init(
                "KEYCHAIN_HOME is a relative path, which would select a different store in each working directory",
                "set it to an absolute path"
            )
        case .fileNotPrivate: .init("\(file) is open to other users", "run chmod 600 on it")
        case .fileNotOwned:
            .init(
                "\(file) belongs to another user, and nothing was read from it",
                "restore a file of your own, or set KEYCHAIN_HOME to another directory"
            )
        case .fileIsLink: .init("\(file) is a symbolic link", "replace it with the file itself")
        case .notARegularFile:
            .init(
                "\(file) is not a regular file",
                "remove it"
                    + (storeFile?.isRecreated == true
                        ? "" : ", and restore the whole directory from one backup")
            )
        case .deviceKeyMissing:
            .init(
                "device.key is missing and the database cannot be opened without it",
                "restore it from a backup"
            )
        case .deviceKeyDamaged: .init("device.key is damaged", "restore it from a backup")
        case .deviceKeyForeign:
            .init(
                "device.key belongs to another keychain.db",
                "restore both files from one backup"
            )
        case .databaseMissing:
            .init(
                "keychain.db is missing",
                "restore the whole directory from one backup, or remove the directory to start with an empty keychain"
            )
        case .databaseDamaged:
            .init(
                "keychain.db is damaged or not a database",
                "restore it from a backup together with device.key"
            )
        case .databaseForeign:
            .init(
                "keychain.db is not a keychain",
                "move it away or set KEYCHAIN_HOME to another directory"
            )
        case .earlierFormat:
            .init(
                "the store has the format of an earlier development version, which this version does not read",
                "move its directory away, or set KEYCHAIN_HOME to another directory"
            )
        case .databaseNewer: .init("keychain.db was written by a newer version", "update this program")
        case .databaseRolledBack:
            .init(
                "keychain.db is older than its last acknowledged write: keychain.db-wal was damaged or an old copy was restored",
                "restore the whole directory from one backup, or delete writer.lock to accept the older state"
            )
        case .databaseReplaced:
            .init(
                "keychain.db, or a file that belongs to it, was replaced while it was open",
                "repeat the call"
            )
        case .journalPresent:
            .init(
                "there is a rollback journal keychain.db-journal that no keychain creates and SQLite would apply",
                "move it away"
            )
        case .headerDamaged:
            .init(
                "the header of keychain.db fails authentication",
                "restore keychain.db from a backup"
            )
        case .keybagDamaged:
            .init(
                "the keybag of keychain.db fails authentication",
                "restore keychain.db from a backup"
            )
        case .multisetHashMismatch:
            .init(
                "items of keychain.db were removed, added or restored by something other than the keychain",
                "restore keychain.db from a backup"
            )
        case .recordDamaged:
            .init(
                "an item of keychain.db fails authentication and was left as it is",
                "restore keychain.db and device.key from one backup"
            )
        case .indexDamaged:
            .init(
                "the index of keychain.db disagrees with its items",
                "restore keychain.db from a backup"
            )
        case .writerBusy:
            .init(
                "another process has held \(file) for too long",
                "repeat the call, or end that process"
            )
        case .settingRefused:
            .init(
                "SQLite refused a setting of keychain.db that durability depends on",
                "set KEYCHAIN_HOME to a directory on another file system"
            )
        case .readOnlyStore:
            .init(
                "the store can be read but not written",
                "mount its file system for writing, or run chmod u+w on its files"
            )
        case .logUnavailable:
            .init(
                "keychain.db cannot be opened, or keychain.db-shm cannot be made beside it",
                "check that the directory and its files can be written"
            )
        case .noSpace:
            .init("there is no space left to write \(file)", "free some space, and repeat the call")
        case .transferFailed:
            .init(
                "\(file) cannot be read or written",
                "check the disk that the store is on"
            )
        case .notPermitted:
            .init(
                "the system does not let this user open or change \(file)",
                "check the owners and modes of the file and of the store's directory"
            )
        case .systemCall:
            .init(
                "the system refused a call that concerns \(file)",
                "look up the code in the manual page errno(3)"
            )
        case .database:
            .init(
                "SQLite refused a call that concerns keychain.db",
                "look up the code among the result codes of SQLite"
            )
        case .storeExists: .init("a keychain already exists")
        case .storeMissing:
            .init(
                "there is no keychain",
                "create one with security create-keychain, or add the first item"
            )
        case .objectsTraitDisabled:
            .init(
                "keys, certificates and identities need the package trait Objects, which this program was built without",
                "build it with the trait Objects, which is on by default"
            )
        case .trustTraitDisabled:
            .init(
                "the call needs the package trait Trust, which this program was built without",
                "build it with the trait Trust"
            )
        case .pkcs12TraitDisabled:
            .init(
                "the call needs the package trait PKCS12, which this program was built without",
                "build it with the trait PKCS12"
            )
        case .malformedCertificate: .init("the data is not an X.509 certificate")
        case .rootsUnreadable:
            .init(
                "the system's root certificates cannot be read",
                "install the package ca-certificates"
            )
        case .malformedArchive:
            .init("the data is not a PKCS #12 file or encrypted key, or uses unknown algorithms")
        case .wrongPassphrase: .init("the passphrase does not open the file, or the file was changed")
        case .malformedBackup:
            .init(
                "the file is not a complete backup of a keychain, or was changed",
                "take another copy of it; nothing was restored"
            )
        case .tooMuchWork:
            .init(
                "the file or the call would take too much time or memory",
                "create the file with fewer iterations, or process fewer items in one call"
            )
        case .backendUnavailable:
            .init(
                "the keychain service that KEYCHAIN_BACKEND asks for is not available",
                "set it to embedded, or unset it"
            )
        case .malformedMessage, .daemonUnreachable, .daemonNotTrusted, .daemonTimeout, .outcomeUnknown,
            .callerRefused, .overloaded, .notThroughDaemon, .daemonIsRunning, .callerLevelTooLow,
            .auditUnavailable, .migrationRefused, .storeFull, .diskNearlyFull, .agentMissing, .promptEnded,
            .teamNotTrusted, .teamOfAdministrator:
            explanationOfDaemon
        case .outsideOfTest:
            .init(
                "this program is linked with KeychainTesting, and the call comes from outside a temporary keychain",
                "give the test wholeProcess: true, or set KEYCHAIN_HOME"
            )
        }
    }

    #if Fingerprint
    private static let sensorRemedy = "enroll a finger with fprintd-enroll"
    #else
    private static let sensorRemedy =
        "build the program with the package trait Fingerprint, and enroll a finger"
    #endif
}
