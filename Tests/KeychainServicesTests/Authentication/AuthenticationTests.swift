// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices
import KeychainTestSupport
import KeychainUserPresence
import Testing

/// Items that require authentication of the user, with various answers and combinations of constraints.
@Suite(.searchedKeychain) struct AuthenticationTests {
    private let stored = StoredPassword()
    private static let right = ScriptedPinentry.Answer.passcode(SearchedKeychain.passcode)
    private static let wrong = ScriptedPinentry.Answer.passcode("wrong")

    struct Conversation: Sendable {
        let name: String
        let answers: [ScriptedPinentry.Answer]
        let status: OSStatus
        let prompts: Int
    }

    // swift-format-ignore
    static let conversations: [Conversation] = [
        .init(name: "right",              answers: [right],                        status: 0,      prompts: 1),
        .init(name: "wrong, then right",  answers: [wrong, right],                 status: 0,      prompts: 2),
        .init(name: "empty, then right",  answers: [.shell("echo OK"), right],     status: 0,      prompts: 2),
        .init(name: "three wrong",        answers: [wrong, wrong, wrong, right],   status: -25293, prompts: 3),
        .init(name: "cancelled",          answers: [.cancel, right],               status: -128,   prompts: 1),
        .init(name: "wrong, cancelled",   answers: [wrong, .cancel, right],        status: -128,   prompts: 2),
        .init(name: "crashes",            answers: [.shell("kill -9 $$"), right],  status: -25308, prompts: 1),
        .init(name: "times out",          answers: [.shell("echo 'ERR 83886142 Timeout'")], status: -128, prompts: 1),
    ]

    @Test(arguments: conversations)
    func `reading an item returns the status for each user response`(conversation: Conversation) throws {
        try SearchedKeychain.setPasscode()
        let pinentry = try ScriptedPinentry(conversation.answers)
        pinentry.answering {
            #expect(stored.add([kSecAttrAccessControl: PromptCountTests.control(.userPresence)]) == 0)
            let found = find(stored.query.adding([kSecReturnData: true]))
            #expect(found.status == conversation.status, "\(conversation.name)")
            #expect(found.result as? Data == (conversation.status == 0 ? stored.secret : nil))
            #expect(pinentry.prompts == conversation.prompts, "\(conversation.name)")
        }
    }

    @Test func `wrong answers count as attempts, and too many end the dialog`() throws {
        try SearchedKeychain.setPasscode()
        let pinentry = try ScriptedPinentry(Array(repeating: Self.wrong, count: 10))
        pinentry.answering {
            #expect(stored.add([kSecAttrAccessControl: PromptCountTests.control(.userPresence)]) == 0)
            #expect(find(stored.query).status == errSecAuthFailed)
            #expect(pinentry.commands.count { $0.hasPrefix("SETERROR ") } == 2)
            // The fourth passcode is verified at once. After four wrong passcodes there is a delay, in which the
            // fifth is refused without being verified, so the dialog ends.
            #expect(find(stored.query).status == errSecAuthFailed)
            #expect(pinentry.prompts == 5)
        }
    }

    @Test func `prompting fails without a pinentry program`() throws {
        try SearchedKeychain.setPasscode()
        #expect(stored.add([kSecAttrAccessControl: PromptCountTests.control(.userPresence)]) == 0)
        for program in [nil, "/nonexistent/pinentry", "/bin/true"] {
            PinentrySettings.$override.withValue(PinentrySettings(program: program, display: ":1")) {
                #expect(find(stored.query).status == errSecInteractionNotAllowed)
            }
        }
    }

    @Test func `adding an item that requires authentication fails without a passcode`() throws {
        #expect(
            stored.add([kSecAttrAccessControl: PromptCountTests.control(.userPresence)]) == errSecAuthFailed
        )
        #expect(find(stored.query).status == errSecItemNotFound)
    }

    struct Constraint: Sendable {
        let flags: SecAccessControlCreateFlags
        var added: OSStatus = 0
        let status: OSStatus
        let prompts: Int
    }

    // swift-format-ignore
    /// The expected status and number of prompts for each set of access control flags, without a fingerprint
    /// sensor.
    static let constraints: [Constraint] = [
        .init(flags: [],                                         status: 0,      prompts: 0),
        .init(flags: .userPresence,                              status: 0,      prompts: 1),
        .init(flags: .devicePasscode,                            status: 0,      prompts: 1),
        .init(flags: [.userPresence, .privateKeyUsage],          status: 0,      prompts: 1),
        .init(flags: .privateKeyUsage,                           status: 0,      prompts: 0),
        .init(flags: .biometryAny,                               status: -25293, prompts: 0),
        .init(flags: .biometryCurrentSet,         added: -25293, status: -25300, prompts: 0),
        .init(flags: .watch,                                     status: -25293, prompts: 0),
        .init(flags: [.biometryAny, .devicePasscode],            status: -25293, prompts: 0),
        .init(flags: [.biometryAny, .and, .devicePasscode],      status: -25293, prompts: 0),
        .init(flags: [.biometryAny, .or, .devicePasscode],       status: 0,      prompts: 1),
        .init(flags: [.biometryCurrentSet, .or, .devicePasscode], status: 0,     prompts: 1),
        .init(flags: [.biometryAny, .or, .watch],                status: -25293, prompts: 0),
    ]

    @Test(arguments: constraints)
    func `access control flags combine as documented`(constraint: Constraint) throws {
        try SearchedKeychain.setPasscode()
        let pinentry = try ScriptedPinentry([Self.right])
        pinentry.answering {
            let control: Entries = [kSecAttrAccessControl: PromptCountTests.control(constraint.flags)]
            #expect(stored.add(control) == constraint.added)
            guard constraint.added == 0 else {
                #expect(find(stored.query).status == constraint.status)
                return #expect(pinentry.commands.isEmpty)
            }
            let fail: Entries = [kSecUseAuthenticationUI: kSecUseAuthenticationUIFail]
            let isFree = constraint.status == 0 && constraint.prompts == 0
            #expect(find(stored.query.adding(fail)).status == (isFree ? 0 : errSecInteractionNotAllowed))
            #expect(find(stored.query).status == constraint.status)
            #expect(pinentry.prompts == constraint.prompts)
            #expect(SecItemDelete(stored.query as CFDictionary) == 0)
        }
    }
}
