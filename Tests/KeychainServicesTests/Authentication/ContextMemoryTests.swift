// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import KeychainServices
import KeychainStore
import KeychainTestSupport
import Testing

/// Secrets that an `LAContext` no longer needs do not remain in memory.
@Suite(.searchedKeychain, .serialized) struct ContextMemoryTests {
    private let passcode = Hidden(randomLetters: 40)
    private let password = Hidden(random: 40)
    private let item = StoredPassword()

    /// Gives the application password to the context and erases the test's own copy.
    private func supply(_ context: LAContext) {
        var data = password.exposed.withBytes { Data($0) }
        #expect(context.setCredential(data, type: .applicationPassword))
        _ = data.withUnsafeMutableBytes { $0.initializeMemory(as: UInt8.self, repeating: 0) }
    }

    private func status(_ context: LAContext) -> OSStatus {
        find(item.query.adding([kSecUseAuthenticationContext: context, kSecReturnAttributes: true])).status
    }

    /// Returns a simulated user who types the passcode `times` times.
    ///
    /// The passcode is in memory only where pinentry's answer is read.
    private func user(typing times: Int) throws -> ScriptedPinentry {
        let answer = "printf 'D '; \(passcode.shellThatPrintsLetters); printf '\\nOK\\n'"
        return try ScriptedPinentry(Array(repeating: .shell(answer), count: times))
    }

    private func addItem(_ flags: SecAccessControlCreateFlags, with context: LAContext) throws {
        try SearchedKeychain.setPasscode(passcode.exposed)
        let control = PromptCountTests.control(flags)
        let entries: Entries = [kSecAttrAccessControl: control, kSecUseAuthenticationContext: context]
        #expect(item.add(entries) == errSecSuccess)
    }

    @Test func `invalidating a context erases the passcode and the application password`() throws {
        let control = passcode.exposed
        #expect(passcode.count == 1)
        _ = consume control
        let pinentry = try user(typing: 1)
        try pinentry.answering {
            let context = LAContext()
            supply(context)
            #expect(password.count == 1)
            try addItem([.userPresence, .applicationPassword], with: context)
            #expect(status(context) == errSecSuccess)
            #expect(status(context) == errSecSuccess)
            #expect(pinentry.prompts == 1)
            // The context keeps the key that opens items with an access control, and the application password.
            // The passcode was erased when it had been verified.
            #expect(passcode.count == 0)
            #expect(password.count == 1)
            context.invalidate()
            #expect(passcode.count == 0)
            #expect(password.count == 0)
            #expect(status(context) == errSecAuthFailed)
        }
    }

    @Test func `deallocating a context erases the passcode and the application password`() async throws {
        let pinentry = try user(typing: 1)
        try await pinentry.answering {
            do {
                let context = LAContext()
                supply(context)
                let isProved = await prove(with: context)
                #expect(isProved == false)
                try addItem([.userPresence, .applicationPassword], with: context)
                let isProvedNow = await prove(with: context)
                #expect(isProvedNow)
                #expect(status(context) == errSecSuccess)
                #expect(password.count == 1)
            }
            #expect(passcode.count == 0)
            #expect(password.count == 0)
        }
        #expect(pinentry.prompts == 1)
    }

    private func prove(with context: LAContext) async -> Bool {
        (try? await context.evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "to test")) ?? false
    }

    @Test func `a wrong answer is erased`() throws {
        let wrong = Hidden(randomLetters: 40)
        let answer = "printf 'D '; \(wrong.shellThatPrintsLetters); printf '\\nOK\\n'"
        let pinentry = try ScriptedPinentry([.shell(answer), .cancel])
        try pinentry.answering {
            try addItem(.userPresence, with: LAContext())
            #expect(status(LAContext()) == errSecUserCanceled)
            #expect(pinentry.prompts == 2)
            #expect(wrong.count == 0)
        }
    }

    @Test func `a removed or replaced application password is erased`() {
        let context = LAContext()
        supply(context)
        #expect(password.count == 1)
        #expect(context.setCredential(Data("another".utf8), type: .applicationPassword))
        #expect(password.count == 0)
        supply(context)
        #expect(password.count == 1)
        #expect(context.setCredential(nil, type: .applicationPassword))
        #expect(password.count == 0)
    }
}
