// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices
import KeychainTesting
import Testing

@Suite(.temporaryKeychain(passcode: "1234")) struct PromptTests {
    /// The user's answers to the prompts, the resulting status and the number of prompts.
    private static let rows: [(answers: [TemporaryKeychain.Answer], status: OSStatus, prompts: Int)] = [
        ([.passcode], errSecSuccess, 1), ([.string("1234")], errSecSuccess, 1),
        ([.wrongPasscode, .passcode], errSecSuccess, 2), ([.wrongPasscode], errSecAuthFailed, 3),
        ([.string("4321"), .cancel], errSecUserCanceled, 2), ([.cancel], errSecUserCanceled, 1),
        ([.unavailable], errSecInteractionNotAllowed, 0),
    ]

    private func addGuarded(_ account: String) throws {
        let control = try #require(
            SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleWhenUnlocked, .userPresence, nil)
        )
        #expect(Items.add(account, [kSecAttrAccessControl: control]) == errSecSuccess)
    }

    @Test(arguments: rows.indices)
    func `the answer determines the status, and prompts are counted`(index: Int) throws {
        let row = Self.rows[index]
        let keychain = try TemporaryKeychain.current
        try addGuarded("alice")
        keychain.answerPrompts(with: row.answers[0], row.answers.dropFirst().last ?? row.answers[0])
        #expect(Items.status(of: "alice") == row.status)
        #expect(keychain.prompts.count == row.prompts)
    }

    @Test func `calls are non-interactive before answers are set`() throws {
        try addGuarded("alice")
        #expect(Items.status(of: "alice") == errSecInteractionNotAllowed)
        #expect(try TemporaryKeychain.current.prompts.isEmpty)
    }

    @Test func `an item without an access control causes no prompt`() throws {
        try TemporaryKeychain.current.answerPrompts(with: .passcode)
        #expect(Items.add("alice") == errSecSuccess)
        #expect(Items.secret(of: "alice") == .success("secret"))
        #expect(try TemporaryKeychain.current.prompts.isEmpty)
    }

    @Test func `a prompt has the program's reason and an error message after a wrong answer`() throws {
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
        #expect(prompts.map { $0.errorMessage == nil } == [true, false])
        #expect(prompts.map(\.cancelTitle) == ["Not now", "Not now"])
        keychain.removePrompts()
        #expect(keychain.prompts.isEmpty)
        // The context is authenticated, so the next call does not prompt.
        #expect(Items.status(of: "alice", [kSecUseAuthenticationContext: context]) == errSecSuccess)
        #expect(keychain.prompts.isEmpty)
    }

    @Test func `evaluating a policy prompts the simulated user`() async throws {
        let keychain = try TemporaryKeychain.current
        keychain.answerPrompts(with: .cancel, .passcode)
        let context = LAContext()
        await #expect(throws: LAError.self) {
            try await context.evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "First.")
        }
        #expect(try await context.evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "Second."))
        #expect(keychain.prompts.count == 2)
    }

    @Test func `after a passcode change, the simulated user types the new passcode`() throws {
        let keychain = try TemporaryKeychain.current
        try addGuarded("alice")
        try keychain.setPasscode("5678")
        keychain.answerPrompts(with: .passcode)
        #expect(Items.status(of: "alice") == errSecSuccess)
    }
}
