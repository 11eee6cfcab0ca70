// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices
import Testing
import Valet

@Suite struct ValueTypeTests {
    @Test func `an identifier must not be empty`() {
        #expect(Identifier(nonEmpty: nil) == nil)
        #expect(Identifier(nonEmpty: "") == nil)
        #expect(Identifier(nonEmpty: "Druidia")?.description == "Druidia")
    }

    @Test func `a shared group has a prefix and a name`() {
        #expect(SharedGroupIdentifier(appIDPrefix: "", nonEmptyGroup: "x")?.description == nil)
        #expect(SharedGroupIdentifier(appIDPrefix: "TEAM", nonEmptyGroup: "")?.description == nil)
        #expect(SharedGroupIdentifier(appIDPrefix: "TEAM", nonEmptyGroup: nil)?.description == nil)
        #expect(SharedGroupIdentifier(appIDPrefix: "TEAM", nonEmptyGroup: "x.y")?.description == "TEAM.x.y")
        #expect(SharedGroupIdentifier(groupPrefix: "", nonEmptyGroup: "x")?.description == nil)
        #expect(SharedGroupIdentifier(groupPrefix: "group", nonEmptyGroup: "")?.description == nil)
        #expect(SharedGroupIdentifier(groupPrefix: "group", nonEmptyGroup: "x")?.description == "group.x")
    }

    #if !canImport(Darwin) || os(macOS)
    @Test func `an application group may have the team prefix`() {
        #expect(SharedGroupIdentifier(groupPrefix: "TEAM", nonEmptyGroup: "x")?.description == "TEAM.x")
    }
    #endif

    @Test(arguments: [
        (Accessibility.whenUnlocked, 1, "AccessibleWhenUnlocked", "ak"),
        (.afterFirstUnlock, 2, "AccessibleAfterFirstUnlock", "ck"),
        (.whenPasscodeSetThisDeviceOnly, 4, "AccessibleWhenPasscodeSetThisDeviceOnly", "akpu"),
        (.whenUnlockedThisDeviceOnly, 5, "AccessibleWhenUnlockedThisDeviceOnly", "aku"),
        (.afterFirstUnlockThisDeviceOnly, 6, "AccessibleAfterFirstUnlockThisDeviceOnly", "cku"),
    ])
    func `each accessibility has its raw value, description and attribute`(
        accessibility: Accessibility,
        number: Int,
        name: String,
        attribute: String
    ) {
        #expect(accessibility.rawValue == number)
        #expect(accessibility.description == name)
        #expect(accessibility.secAccessibilityAttribute == attribute)
        #expect(Accessibility.allCases.contains(accessibility))
        #expect(Accessibility.allCases.count == 5)
    }

    @Test func `cloud accessibilities are those that are not restricted to this device`() {
        #expect(CloudAccessibility.allCases.map(\.rawValue) == [1, 2])
        for cloud in CloudAccessibility.allCases {
            #expect(cloud.accessibility.rawValue == cloud.rawValue)
            #expect(cloud.description == cloud.accessibility.description)
            #expect(cloud.secAccessibilityAttribute == cloud.accessibility.secAccessibilityAttribute)
        }
    }

    @Test(arguments: [
        (SecureEnclaveAccessControl.userPresence, 1, ""),
        (.biometricAny, 2, "_AccessControlTouchIDAnyFingerprint"),
        (.biometricCurrentSet, 3, "_AccessControlTouchIDCurrentFingerprintSet"),
        (.devicePasscode, 4, "_AccessControlDevicePasscode"),
    ])
    func `each access control has its raw value and suffix`(
        control: SecureEnclaveAccessControl,
        number: Int,
        suffix: String
    ) {
        #expect(control.rawValue == number)
        #expect(control.description == suffix)
        #expect(SecureEnclaveAccessControl(rawValue: 5) == nil)
    }

    @Test(arguments: [
        (KeychainError.couldNotAccessKeychain, "couldNotAccessKeychain"), (.userCancelled, "userCancelled"),
        (.itemNotFound, "itemNotFound"), (.missingEntitlement, "missingEntitlement"),
        (.emptyKey, "emptyKey"), (.emptyValue, "emptyValue"),
    ])
    func `a keychain error has its raw value and description`(error: KeychainError, name: String) {
        #expect(error.description == "KeychainError.\(name)")
        #expect(KeychainError.allCases.map(\.rawValue) == Array(0...5))
        #expect(KeychainError.allCases[error.rawValue] == error)
    }

    @Test(arguments: [
        (MigrationError.invalidQuery, "invalidQuery"), (.keyToMigrateInvalid, "keyToMigrateInvalid"),
        (.dataToMigrateInvalid, "dataToMigrateInvalid"), (.duplicateKeyToMigrate, "duplicateKeyToMigrate"),
        (.keyToMigrateAlreadyExistsInValet, "keyToMigrateAlreadyExistsInValet"),
        (.removalFailed, "removalFailed"),
    ])
    func `a migration error has its raw value and description`(error: MigrationError, name: String) {
        #expect(error.description == "MigrationError.\(name)")
        #expect(MigrationError.allCases.map(\.rawValue) == Array(0...5))
        #expect(MigrationError.allCases[error.rawValue] == error)
    }

    @Test func `a migration pair takes data or a string`() {
        let pair = MigratableKeyValuePair(key: "k", value: "v")
        #expect(pair == MigratableKeyValuePair(key: "k", value: Data("v".utf8)))
        #expect(pair.key == "k" && pair.value == Data("v".utf8))
        #expect(Set([pair, pair]).count == 1)
        #expect(MigratableKeyValuePair<AnyHashable>(key: 1, value: "v").key == AnyHashable(1))
    }
}
