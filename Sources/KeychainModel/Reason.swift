// SPDX-License-Identifier: Apache-2.0

/// The cause of a failed call.
///
/// It has no associated values, so it cannot contain the caller's data.
package enum Reason: String, CaseIterable, Sendable {
    case wrongValueType, notAnInteger, unknownKey, tooManyKeys, tooManyMembers, missingClass, unknownClass
    case classMismatch, conflictingKeys, notAllowedHere, foreignAttribute, malformedReference,
        restrictedAttribute
    case noAccessGroups, foreignAccessGroup, malformedEntitlements, entitlementsTooLate
    case classKeyAbsent, passcodeNotSet, authenticationNeeded, applicationPasswordWrong
    case promptForbidden, promptWithoutTerminal, promptWithoutPinentry, promptFailed, promptCanceled
    case constraintUnsatisfiable, fingersLockedOut, fingerSuffices, enrolledSetChanged
    case passcodeWrong, passcodeMalformed, passcodeExists, noPasscode, tooManyGuesses, passcodeCostUnknown,
        keyCacheUnavailable
    case noHomeDirectory, directoryMissing, directoryNotPrivate, directoryNotOwned, directoryIsLink,
        directoryClosed, notADirectory, pathTooLong, pathNotUTF8, pathNotAbsolute
    case fileNotPrivate, fileNotOwned, fileIsLink, notARegularFile
    case deviceKeyMissing, deviceKeyDamaged, deviceKeyForeign
    case databaseMissing, databaseDamaged, databaseForeign, earlierFormat, databaseNewer, databaseRolledBack,
        databaseReplaced, journalPresent
    case headerDamaged, keybagDamaged, multisetHashMismatch, recordDamaged, indexDamaged
    case writerBusy, settingRefused, readOnlyStore, logUnavailable
    case noSpace, transferFailed, notPermitted
    // For `systemCall`, `StatusError.code` contains the `errno`, and for `database` the result code of SQLite.
    case systemCall, database
    case changesCanceled
    case storeExists, storeMissing, backendUnavailable, outsideOfTest
    case malformedMessage, daemonUnreachable, daemonNotTrusted, daemonTimeout, outcomeUnknown, callerRefused,
        overloaded, notThroughDaemon, daemonIsRunning, callerLevelTooLow, auditUnavailable,
        migrationRefused, storeFull, diskNearlyFull, agentMissing, promptEnded, teamNotTrusted,
        teamOfAdministrator
    case objectsTraitDisabled, trustTraitDisabled, pkcs12TraitDisabled
    case malformedCertificate, rootsUnreadable, malformedArchive, wrongPassphrase, tooMuchWork
    case malformedBackup
}

extension Reason {
    /// Whether the cause is the store's files, directory, passcode or lock state.
    package var concernsStore: Bool {
        switch self {
        case .noHomeDirectory, .directoryMissing, .directoryNotPrivate, .directoryNotOwned, .directoryIsLink,
            .directoryClosed, .notADirectory, .pathTooLong, .pathNotUTF8, .pathNotAbsolute,
            .fileNotPrivate, .fileNotOwned,
            .fileIsLink, .notARegularFile, .deviceKeyMissing, .deviceKeyDamaged, .deviceKeyForeign,
            .databaseMissing, .databaseDamaged, .databaseForeign, .earlierFormat, .databaseNewer,
            .databaseRolledBack,
            .databaseReplaced, .journalPresent, .headerDamaged, .keybagDamaged, .multisetHashMismatch,
            .recordDamaged, .indexDamaged, .writerBusy, .settingRefused, .readOnlyStore, .logUnavailable,
            .noSpace, .transferFailed, .notPermitted, .systemCall, .database, .storeExists, .storeMissing,
            .passcodeNotSet, .passcodeWrong, .passcodeExists, .noPasscode, .tooManyGuesses,
            .passcodeCostUnknown, .keyCacheUnavailable, .classKeyAbsent:
            true
        default: false
        }
    }
}
