// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import KeychainItems
import KeychainTestSupport
import KeychainTesting
import Testing

/// Items that demand something of the user.
@Suite(.temporaryKeychain(accessGroups: ["TEAM.app"], passcode: "canary passcode")) struct SessionTests {
    private func vault(_ backend: Backend) throws -> Vault {
        var vault = backend.vault()
        vault.accessControl = AccessControl(.whenUnlocked, [.devicePasscode])
        try vault.set("canary", for: "canary")
        return vault
    }

    private func answer(_ answer: TemporaryKeychain.Answer) throws {
        try TemporaryKeychain.current.answerPrompts(with: answer)
    }

    @Test(arguments: Backend.allCases)
    func `the user is asked once for the calls of a session, and reads why`(backend: Backend) throws {
        var vault = try vault(backend)
        vault.session = AuthenticationSession(prompt: "Show the canary")
        try answer(.passcode)
        #expect(try vault.get("canary") == "canary")
        #expect(try vault.get("canary") == "canary")
        let prompts = try TemporaryKeychain.current.prompts
        #expect(prompts.count == 1)
        #expect(prompts.first?.text.contains("Show the canary") == true)
    }

    @Test func `a question for existence does not ask the user`() throws {
        let vault = try vault(.client)
        #expect(try vault.contains("canary"))
        #expect(try !vault.contains("canary absent"))
        #expect(try TemporaryKeychain.current.prompts.isEmpty)
    }

    @Test(arguments: Backend.allCases)
    func `a list asks the user unless it leaves out what has an access control`(backend: Backend) throws {
        var vault = try vault(backend)
        vault.accessControl = nil
        try vault.set("canary plain", for: "canary plain")
        var query = ItemQuery.genericPasswords()
        query.includesConstrained = false
        #expect(try vault.items(matching: query).map(\.account) == ["canary plain"])
        #expect(try TemporaryKeychain.current.prompts.isEmpty)
        try answer(.passcode)
        #expect(try vault.keys() == ["canary", "canary plain"])
        #expect(try TemporaryKeychain.current.prompts.count == 1)
    }

    @Test(arguments: Backend.allCases)
    func `a cancelled prompt is an error and not nil`(backend: Backend) throws {
        let vault = try vault(backend)
        try answer(.cancel)
        let error = #expect(throws: VaultError.self) { try vault.get("canary") }
        #expect(error?.reason == .cancelled)
        #expect(error?.status == -128)
    }

    @Test(arguments: Backend.allCases)
    func `wrong passcodes are a failed authentication`(backend: Backend) throws {
        let vault = try vault(backend)
        try answer(.wrongPasscode)
        let error = #expect(throws: VaultError.self) { try vault.get("canary") }
        #expect([.authenticationFailed, .tooManyAttempts].contains(error?.reason))
    }

    @Test func `a session that may not ask says so`() throws {
        var vault = try vault(.client)
        vault.session = AuthenticationSession(mayAsk: false)
        let error = #expect(throws: VaultError.self) { try vault.get("canary") }
        #expect(error?.reason == .interactionRequired)
        #expect(try TemporaryKeychain.current.prompts.isEmpty)
    }

    @Test(arguments: Backend.allCases)
    func `an invalidated session is cancelled`(backend: Backend) throws {
        var vault = try vault(backend)
        let session = AuthenticationSession()
        vault.session = session
        session.invalidate()
        #expect(session.isInvalidated)
        let error = #expect(throws: VaultError.self) { try vault.get("canary") }
        #expect(error?.reason == .cancelled)
    }

    @Test(arguments: Backend.allCases)
    func `an application password opens what it sealed`(backend: Backend) throws {
        var vault = backend.vault()
        vault.accessControl = AccessControl(.whenUnlocked, [], applicationPassword: true)
        let session = AuthenticationSession(mayAsk: false)
        session.setApplicationPassword(SecretBytes("canary password"))
        vault.session = session
        try vault.set("canary", for: "canary")
        #expect(try vault.get("canary") == "canary")
        session.setApplicationPassword(SecretBytes("canary wrong"))
        #expect(throws: VaultError.self) { try vault.get("canary") }
        session.setApplicationPassword(nil)
        #expect(throws: VaultError.self) { try vault.get("canary") }
    }

    @Test func `the access control of an item is listed`() throws {
        var vault = Vault(service: "canary")
        vault.accessControl = AccessControl(
            .whenUnlockedThisDeviceOnly,
            [.devicePasscode, .biometryAny],
            combinedBy: .any
        )
        try vault.set("canary", for: "canary")
        try answer(.passcode)
        let item = try #require(try vault.items().first)
        #expect(item.accessControl == vault.accessControl)
        #expect(item.accessibility == .whenUnlockedThisDeviceOnly)
        vault.accessControl = nil
        try vault.set("canary plain", for: "canary plain")
        #expect(try vault.items().last?.accessControl == nil)
    }
}

/// What a vault says of itself.
@Suite struct DiagnosisTests {
    @Test(.temporaryKeychain(accessGroups: ["TEAM.app"], passcode: "canary passcode"))
    func `usable, locked, a missing passcode and a missing entitlement are told apart`() throws {
        var vault = Vault(service: "canary")
        try vault.set("canary", for: "canary")
        #expect(vault.diagnose().verdict == .usable)
        #expect(vault.diagnose().accessGroups == ["TEAM.app"])
        #expect(vault.diagnose().advice.isEmpty)
        #expect(vault.diagnose().directory == (try TemporaryKeychain.current.directory.path))
        try TemporaryKeychain.current.lock()
        #expect(vault.diagnose().verdict == .locked)
        #expect(vault.diagnose().advice.count == 1)
        vault.accessibility = .afterFirstUnlock
        #expect(vault.diagnose().verdict == .locked, "the secret that was set before is locked")
        try TemporaryKeychain.current.unlock()
        vault.accessGroup = "TEAM.foreign"
        #expect(vault.diagnose().verdict == .missingEntitlement)
        #expect(vault.diagnose().description.hasPrefix("missingEntitlement (-34018)"))
        try TemporaryKeychain.current.withApplication("canary", accessGroups: []) {
            #expect(vault.diagnose().verdict == .missingEntitlement)
        }
    }

    @Test(.temporaryKeychain)
    func `an item for a passcode needs one`() throws {
        let vault = Vault(service: "canary", accessibility: .whenPasscodeSetThisDeviceOnly)
        #expect(vault.diagnose().verdict == .passcodeNotSet)
        #expect(vault.diagnose().advice.first?.contains("passcode") == true)
    }

    @Test(.temporaryKeychain, arguments: Backend.allCases)
    func `a keychain that cannot be read is unavailable`(backend: Backend) throws {
        let vault = backend.vault()
        #expect(vault.diagnose().verdict == .usable)
        try TemporaryKeychain.current.failNext(-36)
        let diagnosis = vault.diagnose()
        #expect(diagnosis.verdict == .unavailable)
        #expect(diagnosis.status == -36)
    }
}
