// SPDX-License-Identifier: Apache-2.0

/// Why a call failed: closed, so that it can hold nothing of the caller's.
package enum Reason: String, CaseIterable, Sendable {
    // The dictionary.
    case wrongValueType, notAnInteger, unknownKey, tooManyKeys, tooManyMembers, missingClass, unknownClass
    case classMismatch, conflictingKeys, notAllowedHere, foreignAttribute, malformedReference,
        restrictedAttribute
    // The caller.
    case noAccessGroups, foreignAccessGroup, malformedEntitlements, entitlementsTooLate
    // The protection.
    case classKeyAbsent, passcodeNotSet, authenticationNeeded, applicationPasswordWrong
    case promptForbidden, promptWithoutTerminal, promptWithoutPinentry, promptFailed, promptCanceled
    case constraintUnsatisfiable, fingersLockedOut, fingerSuffices, enrolledSetChanged
    case passcodeWrong, passcodeMalformed, passcodeExists, noPasscode, tooManyGuesses, passcodeCostUnknown,
        keyCacheUnavailable
    // The store's files.
    case noHomeDirectory, directoryMissing, directoryNotPrivate, directoryNotOwned, directoryIsLink,
        directoryClosed, notADirectory, pathTooLong, pathNotText, pathNotAbsolute
    case fileNotPrivate, fileNotOwned, fileIsLink, notARegularFile
    case deviceKeyMissing, deviceKeyDamaged, deviceKeyForeign
    case databaseMissing, databaseDamaged, databaseForeign, earlierFormat, databaseNewer, databaseRolledBack,
        databaseReplaced, journalPresent
    case headerDamaged, keybagDamaged, setHashMismatch, recordDamaged, indexDamaged
    case writerBusy, settingRefused, readOnlyStore, logUnavailable
    case noSpace, transferFailed, notPermitted
    // What the system or SQLite said; the code is beside it.
    case systemCall, database
    case changesCanceled
    case storeExists, storeMissing, backendUnavailable, outsideOfTest
    case objectsTraitDisabled, trustTraitDisabled, pkcs12TraitDisabled
    case malformedCertificate, rootsUnreadable, malformedArchive, wrongPassphrase, tooMuchWork
}

extension Reason {
    /// Whether the store's files, directory, passcode or lock are at fault.
    package var concernsStore: Bool {
        switch self {
        case .noHomeDirectory, .directoryMissing, .directoryNotPrivate, .directoryNotOwned, .directoryIsLink,
            .directoryClosed, .notADirectory, .pathTooLong, .pathNotText, .pathNotAbsolute,
            .fileNotPrivate, .fileNotOwned,
            .fileIsLink, .notARegularFile, .deviceKeyMissing, .deviceKeyDamaged, .deviceKeyForeign,
            .databaseMissing, .databaseDamaged, .databaseForeign, .earlierFormat, .databaseNewer,
            .databaseRolledBack,
            .databaseReplaced, .journalPresent, .headerDamaged, .keybagDamaged, .setHashMismatch,
            .recordDamaged, .indexDamaged, .writerBusy, .settingRefused, .readOnlyStore, .logUnavailable,
            .noSpace, .transferFailed, .notPermitted, .systemCall, .database, .storeExists, .storeMissing,
            .passcodeNotSet, .passcodeWrong, .passcodeExists, .noPasscode, .tooManyGuesses,
            .passcodeCostUnknown, .keyCacheUnavailable, .classKeyAbsent:
            true
        default: false
        }
    }
}
