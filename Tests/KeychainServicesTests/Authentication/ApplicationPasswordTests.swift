// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices
import KeychainTestSupport
import Testing

/// Prompts for an application password that the program does not supply through an `LAContext`.
@Suite(.searchedKeychain) struct ApplicationPasswordTests {
    private let item = StoredPassword()
    private static let password = ScriptedPinentry.Answer.passcode("canary password")
    private static let other = ScriptedPinentry.Answer.passcode("canary other")

    private func add(_ flags: SecAccessControlCreateFlags = .applicationPassword) -> OSStatus {
        item.add([kSecAttrAccessControl: PromptCountTests.control(flags)])
    }

    private func status(_ context: LAContext = LAContext()) -> OSStatus {
        find(item.query.adding([kSecUseAuthenticationContext: context, kSecReturnData: true])).status
    }

    /// Returns the labels of the input fields (`SETPROMPT`) of the pinentry dialogs, in order.
    private func prompts(_ pinentry: ScriptedPinentry) -> [String] {
        pinentry.commands.filter { $0.hasPrefix("SETPROMPT ") }.map { String($0.dropFirst(10)) }
    }

    @Test func `adding prompts twice for the password and reading prompts once`() throws {
        let pinentry = try ScriptedPinentry(Array(repeating: Self.password, count: 3))
        pinentry.answering {
            #expect(add() == errSecSuccess)
            #expect(pinentry.prompts == 2)
            #expect(status() == errSecSuccess)
        }
        #expect(
            prompts(pinentry) == [
                "New application password:", "Repeat the password:", "Application password:",
            ]
        )
        #expect(pinentry.descriptions.allSatisfy { $0.contains("the application password of an item") })
    }

    @Test func `after three mismatched passwords nothing is added`() throws {
        let differing = Array(repeating: [Self.password, Self.other], count: 3).flatMap(\.self)
        let pinentry = try ScriptedPinentry(differing + [Self.password, Self.other, Self.other, Self.other])
        pinentry.answering {
            #expect(add() == errSecUserCanceled)
            #expect(pinentry.prompts == 6)
            #expect(status() == errSecItemNotFound)
            #expect(add() == errSecSuccess)
            #expect(pinentry.prompts == 10)
        }
        let complaints = pinentry.commands.filter { $0 == "SETERROR The passwords are not the same." }
        #expect(complaints.count == 3)
    }

    @Test func `a wrong password returns errSecAuthFailed, and the next call asks again`() throws {
        let pinentry = try ScriptedPinentry([Self.password, Self.password, Self.other, Self.password])
        pinentry.answering {
            #expect(add() == errSecSuccess)
            let context = LAContext()
            #expect(status(context) == errSecAuthFailed)
            #expect(!context.isCredentialSet(.applicationPassword))
            #expect(status(context) == errSecSuccess)
            #expect(status(context) == errSecSuccess)
            #expect(pinentry.prompts == 4)
        }
    }

    @Test func `the passcode is requested after the application password if both are required`() throws {
        try SearchedKeychain.setPasscode()
        let passcode = ScriptedPinentry.Answer.passcode(SearchedKeychain.passcode)
        let pinentry = try ScriptedPinentry([Self.password, Self.password, Self.password, passcode])
        pinentry.answering {
            #expect(add([.userPresence, .applicationPassword]) == errSecSuccess)
            #expect(status() == errSecSuccess)
            #expect(pinentry.prompts == 4)
        }
    }

    @Test func `nothing is added if the user cancels or cannot be prompted`() throws {
        let pinentry = try ScriptedPinentry([.cancel, .shell("exit 1")])
        pinentry.answering {
            #expect(add() == errSecUserCanceled)
            #expect(add() == errSecInteractionNotAllowed)
            #expect(pinentry.prompts == 2)
            let context = LAContext()
            context.interactionNotAllowed = true
            let control = PromptCountTests.control(.applicationPassword)
            let silent: Entries = [kSecAttrAccessControl: control, kSecUseAuthenticationContext: context]
            #expect(item.add(silent) == errSecInteractionNotAllowed)
            #expect(pinentry.prompts == 2)
        }
    }
}
