// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices
import KeychainTestSupport
import KeychainUserPresence
import Testing

/// Opening items with an `LAContext` that a finger authenticated, also after a lock or a change of the enrolled
/// fingers.
extension KeychainFingerprintTests {
    @Suite(.searchedKeychain) struct ItemContextTests {
        private static let passcode = ScriptedPinentry.Answer.passcode(SearchedKeychain.passcode)

        @Test(arguments: [Flow.biometrics, Flow.owner])
        func `a context with a recognized finger opens items that accept a finger`(
            policy: LAPolicy
        ) async throws {
            try await Flow.run { flow in
                let items: [(FingerItem, SecAccessControlCreateFlags)] = [
                    (FingerItem(), .biometryAny), (FingerItem(), .biometryCurrentSet),
                    (FingerItem(), .userPresence), (FingerItem(), [.biometryAny, .or, .devicePasscode]),
                ]
                for (item, flags) in items { #expect(try item.add(flags) == 0) }
                let context = LAContext()
                try flow.machine.sensor.expect(Flow.finger)
                #expect(await Flow.evaluate(policy, context) == nil)
                context.interactionNotAllowed = true
                for (item, _) in items { #expect(item.read(context) == 0) }
                #expect(flow.pinentry.fingerDialogs == 1)
                let strict = FingerItem()
                #expect(try strict.add(.devicePasscode) == 0)
                #expect(strict.read(context) == errSecInteractionNotAllowed)
                context.invalidate()
                for (item, _) in items { #expect(item.read(context) == errSecAuthFailed) }
                #expect(flow.pinentry.commands.count { $0 == "GETPIN" } == 0)
            }
        }

        @Test func `a finger recognized during a call is stored in the call's context`() async throws {
            try await Flow.run { flow in
                let (item, other) = (FingerItem(), FingerItem())
                #expect(try item.add(.biometryAny) == 0)
                #expect(try other.add(.userPresence) == 0)
                let context = LAContext()
                try flow.machine.sensor.expect(Flow.finger)
                #expect(item.read(context) == 0)
                #expect(other.read(context) == 0)
                #expect(flow.pinentry.fingerDialogs == 1)
            }
        }

        @Test func `evaluating an access control with a finger opens its items`() async throws {
            try await Flow.run(answers: [Self.passcode]) { flow in
                let both: SecAccessControlCreateFlags = [.biometryAny, .devicePasscode]
                for (flags, fingers, prompts) in [
                    (.biometryAny, 1, 0), (.biometryCurrentSet, 2, 0), (.userPresence, 3, 0), (both, 4, 1),
                ] as [(SecAccessControlCreateFlags, Int, Int)] {
                    let item = FingerItem()
                    #expect(try item.add(flags) == 0)
                    let context = LAContext()
                    let control = try #require(
                        SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleWhenUnlocked, flags, nil)
                    )
                    try flow.machine.sensor.expect(Flow.finger)
                    let isRight = try await context.evaluateAccessControl(
                        control,
                        operation: .useItem,
                        localizedReason: "to test a finger"
                    )
                    #expect(isRight)
                    context.interactionNotAllowed = true
                    #expect(item.read(context) == 0)
                    #expect(flow.pinentry.fingerDialogs == fingers)
                    #expect(flow.pinentry.prompts == prompts)
                }
            }
        }

        @Test func `a recognized finger is reused by other contexts within their reuse duration`()
            async throws
        {
            let clock = SteppedClock()
            try await Flow.run(history: FingerprintHistory(by: { clock.now })) { flow in
                let item = FingerItem()
                #expect(try item.add(.biometryAny) == 0)
                try flow.machine.sensor.expect(Flow.finger)
                #expect(await Flow.evaluate(Flow.biometrics) == nil)
                func read(allowing seconds: Double) -> OSStatus {
                    let context = LAContext()
                    context.interactionNotAllowed = true
                    context.touchIDAuthenticationAllowableReuseDuration = seconds
                    return item.read(context)
                }
                #expect(read(allowing: 0) == errSecInteractionNotAllowed)
                #expect(read(allowing: 10) == 0)
                clock.advance(by: 11)
                #expect(read(allowing: 10) == errSecInteractionNotAllowed)
                #expect(flow.pinentry.fingerDialogs == 1)
            }
        }

        @Test func `a biometryCurrentSet item is not found while other fingers are enrolled`() async throws {
            try await Flow.run(answers: [Self.passcode]) { flow in
                let (item, either, any) = (FingerItem(), FingerItem(), FingerItem())
                #expect(try item.add(.biometryCurrentSet) == 0)
                #expect(try either.add([.biometryCurrentSet, .or, .devicePasscode]) == 0)
                #expect(try any.add(.biometryAny) == 0)
                try flow.machine.enroll("left-thumb")
                #expect(item.read() == errSecItemNotFound)
                #expect(item.read(nil, FingerItem.forbidding) == errSecItemNotFound)
                #expect(item.update() == errSecItemNotFound)
                #expect(try item.add(.biometryCurrentSet) == errSecDuplicateItem)
                #expect(flow.pinentry.commands.isEmpty)
                #expect(either.read() == 0)
                #expect(flow.pinentry.prompts == 1)
                #expect(flow.pinentry.fingerDialogs == 0)
                try flow.machine.sensor.expect(flow.machine.recognizedFinger())
                #expect(any.read() == 0)
                try flow.machine.remove("left-thumb")
                try flow.machine.sensor.expect(Flow.finger)
                #expect(item.read() == 0)
                try flow.machine.enroll("left-thumb")
                #expect(item.delete() == 0)
                #expect(try item.add(.biometryCurrentSet) == 0)
                try flow.machine.sensor.expect(flow.machine.recognizedFinger())
                #expect(item.read() == 0)
            }
        }

        @Test func `a reused finger does not open an item of another finger set`() async throws {
            try await Flow.run { flow in
                let item = FingerItem()
                #expect(try item.add(.biometryCurrentSet) == 0)
                try flow.machine.sensor.expect(Flow.finger)
                #expect(await Flow.evaluate(Flow.biometrics) == nil)
                try flow.machine.enroll("left-thumb")
                let context = LAContext()
                context.touchIDAuthenticationAllowableReuseDuration = 300
                #expect(item.read(context) == errSecItemNotFound)
                #expect(flow.pinentry.fingerDialogs == 1)
            }
        }

        @Test func `a verified passcode is not asked for again when a finger is required too`() async throws {
            try await Flow.run(answers: [Self.passcode]) { flow in
                let (one, both) = (FingerItem(), FingerItem())
                #expect(try one.add(.devicePasscode) == 0)
                #expect(try both.add([.biometryAny, .and, .devicePasscode]) == 0)
                let context = LAContext()
                #expect(one.read(context) == 0)
                try flow.machine.sensor.expect(Flow.finger)
                #expect(both.read(context) == 0)
                #expect(flow.pinentry.prompts == 1)
                #expect(flow.pinentry.fingerDialogs == 1)
            }
        }

        @Test(arguments: [true, false])
        func `adding a biometryCurrentSet item fails if no finger is enrolled`(hasSensor: Bool) async throws {
            try await Flow.run(answers: [Self.passcode], hasSensor: hasSensor, enrolled: []) { flow in
                let (item, either, any) = (FingerItem(), FingerItem(), FingerItem())
                #expect(try item.add(.biometryCurrentSet) == errSecAuthFailed)
                #expect(item.read() == errSecItemNotFound)
                #expect(try either.add([.biometryCurrentSet, .or, .devicePasscode]) == 0)
                #expect(try any.add(.biometryAny) == 0)
                #expect(any.read() == errSecAuthFailed)
                #expect(flow.pinentry.commands.isEmpty)
                #expect(either.read() == 0)
                #expect(flow.pinentry.prompts == 1)
                guard hasSensor else { return }
                try flow.machine.enroll(Flow.finger)
                try flow.machine.sensor.expect(Flow.finger)
                #expect(any.read() == 0)
            }
        }

        @Test func `a userPresence item added without enrolled fingers requires the passcode`() async throws {
            try await Flow.run(answers: [Self.passcode], enrolled: []) { flow in
                let item = FingerItem()
                #expect(try item.add(.userPresence) == 0)
                try flow.machine.enroll(Flow.finger)
                #expect(item.read() == 0)
                #expect(flow.pinentry.prompts == 1)
                #expect(flow.pinentry.fingerDialogs == 0)
            }
        }

        @Test func `locking applies to items that a finger opens according to their protection class`()
            async throws
        {
            try await Flow.run(answers: [Self.passcode]) { flow in
                let (open, closed) = (FingerItem(), FingerItem())
                #expect(try open.add(.biometryAny, kSecAttrAccessibleAlways) == 0)
                #expect(try closed.add(.biometryAny, kSecAttrAccessibleWhenUnlocked) == 0)
                let context = LAContext()
                try flow.machine.sensor.expect(Flow.finger)
                #expect(await Flow.evaluate(Flow.biometrics, context) == nil)
                #expect(open.read(context) == 0)
                #expect(closed.read(context) == 0)
                try SearchedKeychain.lock()
                #expect(open.read(context) == 0)
                #expect(closed.read(context) == errSecInteractionNotAllowed)
                #expect(closed.read() == errSecInteractionNotAllowed)
                #expect(open.read(nil, FingerItem.skipping) == errSecItemNotFound)
                #expect(flow.pinentry.fingerDialogs == 1)
                #expect(flow.pinentry.prompts == 0)
            }
        }
    }
}
