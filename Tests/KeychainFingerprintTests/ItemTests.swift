// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices
import KeychainTestSupport
import KeychainUserPresence
import Testing

/// Reading items that a finger opens.
extension KeychainFingerprintTests {
    @Suite(.searchedKeychain) struct ItemTests {
        private static let passcode = ScriptedPinentry.Answer.passcode(SearchedKeychain.passcode)

        struct Combination: Sendable, CustomTestStringConvertible {
            let flags: SecAccessControlCreateFlags
            var password: String?
            let status: OSStatus
            /// The expected numbers of fingerprint dialogs, and of dialogs for the passcode or an application
            /// password.
            let fingers: Int
            let prompts: Int

            var testDescription: String { "\(flags.rawValue) \(password ?? "")" }
        }

        // swift-format-ignore
        /// Access control flags, and the result if the user touches the sensor or types the passcode as
        /// requested.
        static let combinations: [Combination] = [
            .init(flags: .userPresence,                                  status: 0,      fingers: 1, prompts: 0),
            .init(flags: .biometryAny,                                   status: 0,      fingers: 1, prompts: 0),
            .init(flags: .biometryCurrentSet,                            status: 0,      fingers: 1, prompts: 0),
            .init(flags: .devicePasscode,                                status: 0,      fingers: 0, prompts: 1),
            .init(flags: .watch,                                         status: -25293, fingers: 0, prompts: 0),
            .init(flags: [.userPresence, .privateKeyUsage],              status: 0,      fingers: 1, prompts: 0),
            .init(flags: [.biometryAny, .privateKeyUsage],               status: 0,      fingers: 1, prompts: 0),
            .init(flags: [.biometryAny, .or, .devicePasscode],           status: 0,      fingers: 1, prompts: 0),
            .init(flags: [.biometryCurrentSet, .or, .devicePasscode],    status: 0,      fingers: 1, prompts: 0),
            .init(flags: [.biometryAny, .devicePasscode],                status: 0,      fingers: 1, prompts: 1),
            .init(flags: [.biometryAny, .and, .devicePasscode],          status: 0,      fingers: 1, prompts: 1),
            .init(flags: [.biometryCurrentSet, .and, .devicePasscode],   status: 0,      fingers: 1, prompts: 1),
            .init(flags: [.biometryAny, .or, .watch],                    status: 0,      fingers: 1, prompts: 0),
            .init(flags: [.biometryCurrentSet, .or, .watch],             status: 0,      fingers: 1, prompts: 0),
            .init(flags: [.biometryAny, .and, .watch],                   status: -25293, fingers: 0, prompts: 0),
            .init(flags: [.biometryAny, .or, .watch, .devicePasscode],   status: 0,      fingers: 1, prompts: 0),
            .init(flags: [.watch, .or, .devicePasscode],                 status: 0,      fingers: 0, prompts: 1),
            .init(flags: [.applicationPassword, .userPresence],          password: "canary password", status: 0, fingers: 1, prompts: 0),
            .init(flags: [.applicationPassword, .biometryAny],           password: "canary password", status: 0, fingers: 1, prompts: 0),
            .init(flags: [.applicationPassword, .biometryCurrentSet],    password: "canary password", status: 0, fingers: 1, prompts: 0),
            .init(flags: [.applicationPassword, .devicePasscode],        password: "canary password", status: 0, fingers: 0, prompts: 1),
            .init(flags: [.applicationPassword, .biometryAny, .or, .devicePasscode], password: "canary password", status: 0, fingers: 1, prompts: 0),
            .init(flags: [.applicationPassword, .biometryAny, .devicePasscode], password: "canary password", status: 0, fingers: 1, prompts: 1),
            .init(flags: [.applicationPassword, .biometryAny],           password: "canary wrong", status: -25293, fingers: 1, prompts: 0),
            .init(flags: [.applicationPassword, .biometryAny],           password: "",   status: -25293, fingers: 1, prompts: 1),
        ]

        @Test(arguments: combinations)
        func `access control flags combine as documented while a finger is enrolled`(
            combination: Combination
        ) async throws {
            try await Flow.run(answers: [Self.passcode]) { flow in
                let item = FingerItem()
                func context(_ password: String?) -> LAContext? {
                    guard let password else { return nil }
                    let context = LAContext()
                    context.setCredential(Data(password.utf8), type: .applicationPassword)
                    return password.isEmpty ? LAContext() : context
                }
                let maker = combination.password.flatMap { _ in context("canary password") }
                #expect(try item.add(combination.flags, kSecAttrAccessibleWhenUnlocked, maker) == 0)
                #expect(item.read(context(combination.password), FingerItem.forbidding) == -25308)
                #expect(item.read(context(combination.password), FingerItem.skipping) == -25300)
                #expect(flow.pinentry.commands.isEmpty)
                if combination.fingers > 0 { try flow.machine.sensor.expect(Flow.finger) }
                #expect(item.read(context(combination.password)) == combination.status)
                #expect(flow.pinentry.fingerDialogs == combination.fingers)
                #expect(flow.pinentry.prompts == combination.prompts)
                #expect(item.delete() == 0)
            }
        }

        struct Conversation: Sendable, CustomTestStringConvertible {
            let name: String
            let flags: SecAccessControlCreateFlags
            var fingers: [String] = []
            var presses: [ScriptedPinentry.Answer] = []
            let status: OSStatus
            var prompts = 0

            var testDescription: String { name }
        }

        private static let ok = ScriptedPinentry.Answer.shell("echo OK")
        private static let timeout = ScriptedPinentry.Answer.shell("echo 'ERR 83886142 Timeout'")
        private static let crash = ScriptedPinentry.Answer.shell("kill -9 $$")
        private static let either: SecAccessControlCreateFlags = [.biometryAny, .or, .devicePasscode]

        // swift-format-ignore
        static let conversations: [Conversation] = [
            .init(name: "wrong, then right",             flags: .biometryAny,  fingers: ["wrong", Flow.finger], status: 0),
            .init(name: "three wrong",                   flags: .biometryAny,  fingers: ["wrong", "other", "wrong"], status: -25293),
            .init(name: "cancelled",                     flags: .biometryAny,  presses: [.cancel], status: -128),
            .init(name: "no fallback",                   flags: .biometryAny,  presses: [ok], status: -128),
            .init(name: "timed out",                     flags: .biometryAny,  presses: [timeout], status: -128),
            .init(name: "crashed",                       flags: .biometryAny,  presses: [crash], status: -25308),
            .init(name: "presence: three wrong, passcode", flags: .userPresence, fingers: ["wrong", "other", "wrong"], status: 0, prompts: 1),
            .init(name: "presence: passcode instead",    flags: .userPresence, presses: [ok], status: 0, prompts: 1),
            .init(name: "presence: cancelled",           flags: .userPresence, presses: [.cancel], status: -128),
            .init(name: "presence: timed out",           flags: .userPresence, presses: [timeout], status: -128),
            .init(name: "either: three wrong, passcode", flags: either,        fingers: ["wrong", "other", "wrong"], status: 0, prompts: 1),
            .init(name: "either: passcode instead",      flags: either,        presses: [ok], status: 0, prompts: 1),
            .init(name: "both: cancelled",               flags: [.biometryAny, .devicePasscode], presses: [.cancel], status: -128),
        ]

        @Test(arguments: conversations)
        func `reading an item returns the status for each user response`(
            conversation: Conversation
        ) async throws {
            try await Flow.run(answers: [Self.passcode], presses: conversation.presses) { flow in
                let item = FingerItem()
                #expect(try item.add(conversation.flags) == 0)
                if !conversation.fingers.isEmpty { try flow.machine.sensor.expect(conversation.fingers) }
                #expect(item.read() == conversation.status)
                #expect(flow.pinentry.prompts == conversation.prompts)
            }
        }

        @Test func `each call prompts once, except adding and deleting`() async throws {
            try await Flow.run { flow in
                let item = FingerItem()
                #expect(try item.add(.biometryAny) == 0)
                #expect(try item.add(.biometryAny) == errSecDuplicateItem)
                #expect(flow.pinentry.fingerDialogs == 0)
                try flow.machine.sensor.expect(Flow.finger)
                #expect(item.update() == 0)
                #expect(flow.pinentry.fingerDialogs == 1)
                try flow.machine.sensor.expect(Flow.finger)
                #expect(item.read(nil, [kSecUseOperationPrompt: "to read 100% of it"]) == 0)
                #expect(flow.pinentry.fingerDialogs == 2)
                let description = try #require(flow.pinentry.descriptions.last)
                #expect(description.contains("asks for a fingerprint."))
                #expect(description.contains("to read 100%25 of it"))
                #expect(item.delete() == 0)
                #expect(flow.pinentry.fingerDialogs == 2)
            }
        }

        @Test func `a call that cannot show a prompt fails`() async throws {
            try await Flow.run { flow in
                let item = FingerItem()
                let added = try item.add(.biometryAny)
                #expect(added == 0)
                await flow.asking({ $0.display = nil }) {
                    #expect(item.read() == errSecInteractionNotAllowed)
                }
                #expect(flow.pinentry.commands.isEmpty)
            }
        }

        @Test func `five unrecognized fingers leave only the passcode, if the item accepts it`() async throws
        {
            try await Flow.run(answers: [Self.passcode]) { flow in
                let (strict, lax) = (FingerItem(), FingerItem())
                #expect(try strict.add(.biometryAny) == 0)
                #expect(try lax.add(.userPresence) == 0)
                try flow.machine.sensor.expect("wrong", "wrong", "wrong")
                #expect(strict.read() == errSecAuthFailed)
                try flow.machine.sensor.expect("wrong", "wrong")
                #expect(strict.read() == errSecAuthFailed)
                let dialogs = flow.pinentry.fingerDialogs
                #expect(strict.read() == errSecAuthFailed)
                #expect(lax.read() == 0)
                #expect(flow.pinentry.fingerDialogs == dialogs)
                #expect(flow.pinentry.prompts == 1)
                try flow.machine.sensor.expect(Flow.finger)
                #expect(strict.read() == 0)
            }
        }
    }
}
