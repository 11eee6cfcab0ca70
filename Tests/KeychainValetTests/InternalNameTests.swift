// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices
import Testing

@testable import Valet

/// Internal names of Valet that the original's tests use.
@Suite(.ownKeychain) struct InternalNameTests {
    @Test func `a configuration has its legacy class name and a description`() {
        for accessibility in Accessibility.allCases {
            #expect(Configuration.valet(accessibility).description == "VALValet")
            #expect(Configuration.valet(accessibility).accessibility == accessibility)
            #expect(Configuration.valet(accessibility).prettyDescription == "\(accessibility) (Valet)")
        }
        for accessibility in CloudAccessibility.allCases {
            #expect(Configuration.iCloud(accessibility).description == "VALSynchronizableValet")
            #expect(Configuration.iCloud(accessibility).prettyDescription == "\(accessibility) (iCloud)")
        }
        for control in SecureEnclaveAccessControl.allValues() {
            let (each, once) = (
                Configuration.secureEnclave(control), Configuration.singlePromptSecureEnclave(control)
            )
            #expect(each.description == "VALSecureEnclaveValet")
            #expect(once.description == "VALSinglePromptSecureEnclaveValet")
            #expect(
                each.accessibility == .whenPasscodeSetThisDeviceOnly
                    && once.accessibility == each.accessibility
            )
            #expect(each.prettyDescription == "AccessibleWhenPasscodeSetThisDeviceOnly (Secure Enclave)")
            #expect(once.prettyDescription == "AccessibleWhenPasscodeSetThisDeviceOnly (Single Prompt)")
        }
    }

    @Test func `a status becomes an error`() {
        #expect(KeychainError(status: errSecItemNotFound) == .itemNotFound)
        #expect(KeychainError(status: errSecUserCanceled) == .userCancelled)
        #expect(KeychainError(status: errSecAuthFailed) == .userCancelled)
        #expect(KeychainError(status: errSecMissingEntitlement) == .missingEntitlement)
        #expect(KeychainError(status: errSecNotAvailable) == .couldNotAccessKeychain)
    }

    @Test func `the service of a valet is computed from its parameters`() throws {
        let (name, group) = (try Identifier.named("canary"), try SharedGroupIdentifier.team())
        for accessibility in Accessibility.allCases {
            let kind = Configuration.valet(accessibility)
            #expect(Valet.valet(with: name, accessibility: accessibility).service == .standard(name, kind))
            let shared = Valet.sharedGroupValet(with: group, accessibility: accessibility)
            #expect(shared.service == Service.sharedGroup(group, nil, kind))
            let named = Valet.sharedGroupValet(with: group, identifier: name, accessibility: accessibility)
            #expect(named.service == Service.sharedGroup(group, name, kind))
            #expect(named.configuration == kind)
        }
        for accessibility in CloudAccessibility.allCases {
            let valet = Valet.iCloudValet(with: name, accessibility: accessibility)
            #expect(valet.service == Service.standard(name, .iCloud(accessibility)))
        }
        for control in SecureEnclaveAccessControl.allValues() {
            let each = SecureEnclaveValet.valet(with: name, accessControl: control)
            #expect(each.service == Service.standard(name, .secureEnclave(control)))
            let once = SinglePromptSecureEnclaveValet.sharedGroupValet(with: group, accessControl: control)
            #expect(once.service == Service.sharedGroup(group, nil, .singlePromptSecureEnclave(control)))
            #expect(each.baseKeychainQuery[kSecAttrAccessControl as String] != nil)
            #expect(each.baseKeychainQuery[kSecAttrAccessible as String] == nil)
            #expect(once.baseKeychainQuery[kSecAttrAccessGroup as String] == AnyHashable("TEAM.shared"))
        }
        #expect(group.asIdentifier.description == "TEAM.shared")
    }

    @Test func `an explicitly set identifier is the service`() throws {
        let (name, group) = (try Identifier.named("canary"), try SharedGroupIdentifier.team())
        let valets =
            Valet.permutations(withExplictlySet: name, shared: false)
            + Valet.iCloudPermutations(withExplictlySet: name, shared: false)
        #expect(valets.count == 7)
        for valet in valets {
            #expect(valet.baseKeychainQuery[kSecAttrService as String] == AnyHashable("canary"))
        }
        let shared =
            Valet.permutations(withExplictlySet: group) + Valet.iCloudPermutations(withExplictlySet: group)
        #expect(shared.count == 7)
        for valet in shared {
            #expect(valet.baseKeychainQuery[kSecAttrService as String] == AnyHashable("shared"))
        }
        let others =
            Valet.permutations(with: name) + Valet.permutations(with: group)
            + Valet.iCloudPermutations(with: name) + Valet.iCloudPermutations(with: group)
        #expect(Set(others).count == 14)
    }

    @Test func `reverting a migration restores the previous state`() throws {
        let source = Valet.valet(with: try .fresh(), accessibility: .afterFirstUnlock)
        let valet = Valet.valet(with: try .fresh(), accessibility: .whenUnlocked)
        try source.setString("canary", forKey: "new")
        try valet.setString("canary old", forKey: "old")
        #expect(valet.canAccessKeychain())
        try valet.migrateObjects(from: source, removeOnCompletion: false)
        SandboxCalls.revertMigration(into: valet.baseKeychainQuery, keysInKeychainPreMigration: ["old"])
        #expect(try valet.allKeys() == ["old"])
        for valet in [source, valet] { try valet.removeAllObjects() }
    }
}
