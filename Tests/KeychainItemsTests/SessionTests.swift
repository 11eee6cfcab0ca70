// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import KeychainItems
import KeychainTestSupport
import KeychainTesting
import KeychainUserPresence
import Testing

/// Items with an access control, and sessions that authenticate the user once.
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
    func `a session prompts once for all its calls and shows its reason`(backend: Backend) throws {
        var vault = try vault(backend)
        vault.session = AuthenticationSession(prompt: "Show the canary")
        try answer(.passcode)
        #expect(try vault.get("canary") == "canary")
        #expect(try vault.get("canary") == "canary")
        let prompts = try TemporaryKeychain.current.prompts
        #expect(prompts.count == 1)
        #expect(prompts.first?.text.contains("Show the canary") == true)
    }

    @Test(arguments: Backend.allCases)
    func `checking whether an item exists does not prompt`(backend: Backend) throws {
        let vault = try vault(backend)
        #expect(try vault.contains("canary"))
        #expect(try !vault.contains("canary absent"))
        #expect(try TemporaryKeychain.current.prompts.isEmpty)
    }

    @Test(arguments: Backend.allCases)
    func `listing items prompts unless items with an access control are excluded`(backend: Backend) throws {
        var vault = try vault(backend)
        vault.accessControl = nil
        try vault.set("canary plain", for: "canary plain")
        var query = ItemQuery.genericPasswords()
        query.includesConstrained = false
        #expect(try vault.items(matching: query).map(\.account) == ["canary plain"])
        // `removeAll` refuses a query that excludes the items with an access control.
        #expect(throws: VaultError(.invalidArgument, .remove)) { try vault.removeAll(matching: query) }
        #expect(try TemporaryKeychain.current.prompts.isEmpty)
        try answer(.passcode)
        #expect(try vault.keys() == ["canary", "canary plain"])
        #expect(try TemporaryKeychain.current.prompts.count == 1)
    }

    @Test(arguments: Backend.allCases)
    func `a cancelled prompt throws cancelled`(backend: Backend) throws {
        let vault = try vault(backend)
        try answer(.cancel)
        let error = #expect(throws: VaultError.self) { try vault.get("canary") }
        #expect(error?.reason == .cancelled)
        #expect(error?.status == -128)
    }

    @Test(.timeLimit(.minutes(10)), arguments: Backend.allCases)
    func `cancelling a task closes its prompt and throws an error`(backend: Backend) async throws {
        let vault = try vault(backend)
        // The first prompt stays open until the cancelled call closes pinentry's standard input.
        let pinentry = try ScriptedPinentry([.shell("read -r line"), .passcode("canary passcode")])
        try await pinentry.answering {
            let reading = Task { try await vault.get("canary") }
            while pinentry.prompts == 0 { try await Task.sleep(for: .milliseconds(5)) }
            reading.cancel()
            let error = await #expect(throws: VaultError.self) { try await reading.value }
            #expect(error?.reason == .cancelled)
            #expect(try await vault.get("canary") == "canary")
            #expect(pinentry.prompts == 2)
        }
    }

    @Test func `a session has the reuse duration for fingerprint matches that it was created with`() {
        #expect(AuthenticationSession().state.reuseDuration == 0)
        #expect(AuthenticationSession(reuse: .milliseconds(1_500)).state.reuseDuration == 1.5)
    }

    @Test(arguments: Backend.allCases)
    func `wrong passcodes throw authenticationFailed`(backend: Backend) throws {
        let vault = try vault(backend)
        try answer(.wrongPasscode)
        let error = #expect(throws: VaultError.self) { try vault.get("canary") }
        #expect([.authenticationFailed, .tooManyAttempts].contains(error?.reason))
    }

    @Test func `a session that must not prompt throws interactionRequired`() throws {
        var vault = try vault(.client)
        vault.session = AuthenticationSession(mayAsk: false)
        let error = #expect(throws: VaultError.self) { try vault.get("canary") }
        #expect(error?.reason == .interactionRequired)
        #expect(try TemporaryKeychain.current.prompts.isEmpty)
    }

    @Test(arguments: Backend.allCases)
    func `a call in an invalidated session throws cancelled`(backend: Backend) throws {
        var vault = try vault(backend)
        let session = AuthenticationSession()
        vault.session = session
        session.invalidate()
        #expect(session.isInvalidated)
        let error = #expect(throws: VaultError.self) { try vault.get("canary") }
        #expect(error?.reason == .cancelled)
    }

    @Test(arguments: Backend.allCases)
    func `an item opens only with the application password it was stored with`(backend: Backend) throws {
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

    @Test func `a listed item has its access control`() throws {
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

/// The results of `Vault.diagnose()`.
@Suite struct DiagnosisTests {
    @Test(.temporaryKeychain(accessGroups: ["TEAM.app"], passcode: "canary passcode"))
    func `the diagnosis distinguishes usable, locked and a missing entitlement`() throws {
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
    func `the diagnosis reports that no passcode is set if new items need one`() throws {
        let vault = Vault(service: "canary", accessibility: .whenPasscodeSetThisDeviceOnly)
        #expect(vault.diagnose().verdict == .passcodeNotSet)
        #expect(vault.diagnose().advice.first?.contains("passcode") == true)
    }

    @Test(.temporaryKeychain, arguments: Backend.allCases)
    func `the diagnosis of an unreadable keychain is unavailable`(backend: Backend) throws {
        let vault = backend.vault()
        #expect(vault.diagnose().verdict == .usable)
        try TemporaryKeychain.current.failNext(-36)
        let diagnosis = vault.diagnose()
        #expect(diagnosis.verdict == .unavailable)
        #expect(diagnosis.status == -36)
    }
}
