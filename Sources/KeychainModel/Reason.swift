// SPDX-License-Identifier: Apache-2.0

/// Why a call failed: closed, so that it can hold nothing of the caller's.
package enum Reason: String, CaseIterable, Codable, Sendable {
    // The dictionary.
    case wrongValueType, notAnInteger, unknownKey, tooManyKeys, tooManyMembers, missingClass, unknownClass
    case classMismatch, conflictingKeys, notAllowedHere, foreignAttribute, malformedReference,
        restrictedAttribute
    // The caller.
    case noAccessGroups, foreignAccessGroup, malformedEntitlements
    // The protection.
    case classKeyAbsent, passcodeNotSet, authenticationNeeded, applicationPasswordWrong, promptUnavailable,
        promptCanceled
    case constraintUnsatisfiable, fingerSuffices, fingerKeyAbsent, enrolledSetChanged
    case passcodeWrong, passcodeMalformed, passcodeExists, noPasscode, tooManyGuesses, passcodeCostUnknown,
        keyCacheUnavailable
    // The store's files.
    case noHomeDirectory, directoryMissing, directoryNotPrivate, directoryNotOwned, directoryIsLink,
        directoryClosed, notADirectory, pathTooLong, pathNotText
    case fileNotPrivate, fileNotOwned, fileIsLink, notARegularFile
    case deviceKeyMissing, deviceKeyDamaged, deviceKeyForeign
    case databaseMissing, databaseDamaged, databaseForeign, databaseNewer, databaseRolledBack,
        databaseReplaced, journalPresent
    case headerDamaged, keybagDamaged, setHashMismatch, recordDamaged, indexDamaged
    case writerBusy, settingRefused, readOnlyStore, logUnavailable
    case noSpace, transferFailed, notPermitted
    // What the system or SQLite said; the code is beside it.
    case systemCall, database
    case changesCanceled
    case storeExists, storeMissing, backendUnavailable, outsideOfTest
    case traitDisabled, malformedCertificate, rootsUnreadable, malformedArchive, wrongPassphrase, tooMuchWork
}

extension Reason {
    /// What went wrong and what to do about it, in one or two sentences without a final newline.
    ///
    /// Where a file is at fault, it is named.
    package func explanation(of storeFile: StoreFile?) -> String {
        let file = storeFile?.rawValue ?? "a file of the store"
        return switch self {
        case .wrongValueType: "the value is of a type that the attribute does not take"
        case .notAnInteger: "a number must be integral"
        case .unknownKey: "the dictionary has a key that means nothing"
        case .tooManyKeys: "the dictionary has more than 128 keys"
        case .tooManyMembers: "a value that is ignored has more than 10,000 members, or holds itself"
        case .missingClass: "the dictionary names no class"
        case .unknownClass: "the class is not one of the five"
        case .classMismatch: "the class contradicts the persistent reference"
        case .conflictingKeys: "two keys of the dictionary exclude each other"
        case .notAllowedHere: "the dictionary has a key that this call does not take"
        case .foreignAttribute: "the attribute does not belong to the class"
        case .malformedReference: "the persistent reference is malformed"
        case .restrictedAttribute: "the attribute needs a private entitlement"
        case .noAccessGroups: "the program has no access group"
        case .foreignAccessGroup: "the access group is not among the program's"
        case .malformedEntitlements:
            "the entitlements file cannot be read as a property list of entitlements; correct or remove it"
        case .classKeyAbsent: "the keychain is locked for items of this protection class"
        case .passcodeNotSet: "items of this protection class need a passcode, and none is set"
        case .authenticationNeeded:
            "the item's access control needs an authentication, and asking was forbidden"
        case .applicationPasswordWrong: "the application password is wrong"
        case .promptUnavailable:
            "the passcode cannot be asked for: there is no terminal and no display, or pinentry is missing or fails"
        case .changesCanceled: "the program called off the changes, and none was made"
        case .promptCanceled: "the request for the passcode was cancelled, or nobody answered it"
        case .constraintUnsatisfiable: "the item's access control needs what this machine does not have"
        case .fingerSuffices: "the item's access control needs a finger, and asking was forbidden"
        case .fingerKeyAbsent: "the keychain is locked for items that a finger opens"
        case .enrolledSetChanged:
            "the item opens for the fingers that were enrolled when it was made, and others are"
        case .passcodeWrong: "the passcode is wrong"
        case .passcodeMalformed: "a passcode has 1 to 1024 bytes"
        case .passcodeExists: "a passcode is set already; change it instead"
        case .noPasscode: "no passcode is set, so there is nothing to lock or unlock"
        case .tooManyGuesses:
            "the passcode was wrong too often; the next attempt is allowed after as many seconds as the code says"
        case .passcodeCostUnknown:
            "the keybag asks for more work to derive the passcode's key than this version does; nothing was tried"
        case .keyCacheUnavailable:
            "no other program can use the unlocked keys: the kernel's keyring refuses them or is full, and XDG_RUNTIME_DIR names no"
                + " private directory in memory that has room for them"
        case .noHomeDirectory: "there is no home directory; set KEYCHAIN_HOME to a private directory"
        case .directoryMissing:
            "the store's directory is missing and cannot be made; make it with mkdir -m 700, or set KEYCHAIN_HOME to another"
        case .directoryNotPrivate: "the store's directory is open to other users; run chmod 700 on it"
        case .directoryNotOwned:
            "the store's directory belongs to another user, and nothing was read from it; set KEYCHAIN_HOME to one of your own"
        case .directoryIsLink:
            "a symbolic link stands in the place of the store's directory; name the directory itself"
        case .directoryClosed:
            "the store's directory, or one above it, is closed to this user; set KEYCHAIN_HOME to one of your own"
        case .notADirectory:
            "the path of the store's directory leads to something else; set KEYCHAIN_HOME to a directory"
        case .pathTooLong:
            "the path of the store's directory is too long for the system; set KEYCHAIN_HOME to a shorter one"
        case .pathNotText:
            "the path of the store's directory is not UTF-8; set KEYCHAIN_HOME to one that is"
        case .fileNotPrivate: "\(file) is open to other users; run chmod 600 on it"
        case .fileNotOwned:
            "\(file) belongs to another user, and nothing was read from it; restore a file of your own, or set KEYCHAIN_HOME to another directory"
        case .fileIsLink:
            "a symbolic link stands in the place of \(file); put the file itself there"
        case .notARegularFile:
            "\(file) is not a regular file; remove what stands in its place"
                + (storeFile?.isMadeAnew == true ? "" : ", and restore the whole directory from one backup")
        case .deviceKeyMissing:
            "device.key is missing and the database cannot be opened without it; restore it from a backup"
        case .deviceKeyDamaged: "device.key is damaged; restore it from a backup"
        case .deviceKeyForeign: "device.key belongs to another keychain.db; restore the pair from one backup"
        case .databaseMissing:
            "keychain.db is missing; restore the whole directory from one backup, or remove all of it to begin anew"
        case .databaseDamaged:
            "keychain.db is damaged or is no database at all; restore it from a backup together with device.key"
        case .databaseForeign:
            "keychain.db is not a keychain; move it away or set KEYCHAIN_HOME to another directory"
        case .databaseNewer: "keychain.db was written by a newer version; update this program"
        case .databaseRolledBack:
            "keychain.db is older than its last acknowledged write: keychain.db-wal was damaged or an old copy was put back;"
                + " restore the whole directory from one backup, or delete writer.lock to accept the older state"
        case .databaseReplaced:
            "keychain.db, or a file that belongs to it, was replaced while it was open; repeat the call"
        case .journalPresent:
            "keychain.db-journal stands beside keychain.db, which no keychain makes, and SQLite would follow it; move it away"
        case .headerDamaged:
            "the header of keychain.db fails authentication; restore keychain.db from a backup"
        case .keybagDamaged:
            "the keybag of keychain.db fails authentication; restore keychain.db from a backup"
        case .setHashMismatch:
            "items of keychain.db were removed, added or put back outside the keychain; restore keychain.db from a backup"
        case .recordDamaged:
            "an item of keychain.db fails authentication and was left as it is; restore keychain.db and device.key from one backup"
        case .indexDamaged:
            "the index of keychain.db disagrees with its items; restore keychain.db from a backup"
        case .writerBusy:
            "another process has held \(file) for too long; repeat the call, or end that process"
        case .settingRefused:
            "SQLite refused a setting of keychain.db that durability rests on; set KEYCHAIN_HOME to a directory on another file system"
        case .readOnlyStore:
            "the store can be read but not written; mount its file system for writing, or run chmod u+w on its files"
        case .logUnavailable:
            "keychain.db cannot be opened, or keychain.db-shm cannot be made beside it; check that the directory and its files can be written"
        case .noSpace: "there is no room left to write \(file); free some, and repeat the call"
        case .transferFailed: "\(file) cannot be read or written; check the disk that the store is on"
        case .notPermitted:
            "the system does not let this user open or change \(file); check the owners and modes of the file and of the store's directory"
        case .systemCall:
            "the system refused a call that concerns \(file); look up its code in the manual page errno(3)"
        case .database:
            "SQLite refused a call that concerns keychain.db; look up its code among the result codes of SQLite"
        case .storeExists: "a keychain is there already"
        case .storeMissing: "there is no keychain"
        case .traitDisabled:
            "the package trait that the call needs was not enabled when this program was built"
        case .malformedCertificate: "the bytes are no X.509 certificate"
        case .rootsUnreadable:
            "the system's root certificates cannot be read; install the package ca-certificates"
        case .malformedArchive: "the bytes are no PKCS #12 file, or its algorithms are unknown"
        case .wrongPassphrase: "the passphrase does not open the file, or the file was changed"
        case .tooMuchWork: "opening the file would take too long; write it anew with fewer iterations"
        case .backendUnavailable: "the keychain service asked for in KEYCHAIN_BACKEND is not available"
        case .outsideOfTest:
            "temporary keychains are in use in this process, and the call comes from outside of them: give the test wholeProcess: true, or set KEYCHAIN_HOME"
        }
    }
}
