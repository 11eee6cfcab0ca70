// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices
import KeychainTesting
import Testing

@Suite(.temporaryKeychain(passcode: "1234")) struct PromptTests {
    /// What the user does, what the call answers then, and how often the person is asked.
    private static let rows: [(answers: [TemporaryKeychain.Answer], status: OSStatus, prompts: Int)] = [
        ([.passcode], errSecSuccess, 1), ([.text("1234")], errSecSuccess, 1),
        ([.wrongPasscode, .passcode], errSecSuccess, 2), ([.wrongPasscode], errSecAuthFailed, 3),
        ([.text("4321"), .cancel], errSecUserCanceled, 2), ([.cancel], errSecUserCanceled, 1),
        ([.nobody], errSecInteractionNotAllowed, 0),
    ]

    private func addGuarded(_ account: String) throws {
        let control = try #require(
            SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleWhenUnlocked, .userPresence, nil)
        )
        #expect(Items.add(account, [kSecAttrAccessControl: control]) == errSecSuccess)
    }

    @Test(arguments: rows.indices)
    func `an answer makes the status, and every question is counted`(index: Int) throws {
        let row = Self.rows[index]
        let keychain = try TemporaryKeychain.current
        try addGuarded("alice")
        keychain.answerPrompts(with: row.answers[0], row.answers.dropFirst().last ?? row.answers[0])
        #expect(Items.status(of: "alice") == row.status)
        #expect(keychain.prompts.count == row.prompts)
    }

    @Test func `before anything is said, nobody is there`() throws {
        try addGuarded("alice")
        #expect(Items.status(of: "alice") == errSecInteractionNotAllowed)
        #expect(try TemporaryKeychain.current.prompts.isEmpty)
    }

    @Test func `what is not guarded asks nobody`() throws {
        try TemporaryKeychain.current.answerPrompts(with: .passcode)
        #expect(Items.add("alice") == errSecSuccess)
        #expect(Items.secret(of: "alice") == .success("secret"))
        #expect(try TemporaryKeychain.current.prompts.isEmpty)
    }

    @Test func `a prompt has the program's reason and, after a wrong answer, a complaint`() throws {
        let keychain = try TemporaryKeychain.current
        try addGuarded("alice")
        keychain.answerPrompts(with: .wrongPasscode, .passcode)
        let context = LAContext()
        context.localizedReason = "To open the mailbox."
        context.localizedCancelTitle = "Not now"
        #expect(Items.status(of: "alice", [kSecUseAuthenticationContext: context]) == errSecSuccess)
        let prompts = keychain.prompts
        try #require(prompts.count == 2)
        #expect(prompts.map { $0.text.contains("To open the mailbox.") } == [true, true])
        #expect(prompts.map { $0.complaint == nil } == [true, false])
        #expect(prompts.map(\.cancelTitle) == ["Not now", "Not now"])
        keychain.removePrompts()
        #expect(keychain.prompts.isEmpty)
        // The context has proved it, so nobody is asked again.
        #expect(Items.status(of: "alice", [kSecUseAuthenticationContext: context]) == errSecSuccess)
        #expect(keychain.prompts.isEmpty)
    }

    @Test func `a context that evaluates a policy asks the same person`() async throws {
        let keychain = try TemporaryKeychain.current
        keychain.answerPrompts(with: .cancel, .passcode)
        let context = LAContext()
        await #expect(throws: LAError.self) {
            try await context.evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "First.")
        }
        #expect(try await context.evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "Second."))
        #expect(keychain.prompts.count == 2)
    }

    @Test func `the right answer follows a change of the passcode`() throws {
        let keychain = try TemporaryKeychain.current
        try addGuarded("alice")
        try keychain.setPasscode("5678")
        keychain.answerPrompts(with: .passcode)
        #expect(Items.status(of: "alice") == errSecSuccess)
    }
}
