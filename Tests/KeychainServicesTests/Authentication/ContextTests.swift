// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices
import KeychainTestSupport
import Testing

@Suite(.searchedKeychain) struct ContextTests {
    private let items = [StoredPassword(), StoredPassword()]
    private static let right = ScriptedPinentry.Answer.passcode(SearchedKeychain.passcode)

    private func addItems(_ flags: SecAccessControlCreateFlags = .userPresence) {
        for item in items { #expect(item.add([kSecAttrAccessControl: PromptCountTests.control(flags)]) == 0) }
    }

    private func status(_ item: StoredPassword, _ context: LAContext) -> OSStatus {
        find(item.query.adding([kSecUseAuthenticationContext: context, kSecReturnData: true])).status
    }

    @Test func `an authenticated context opens items until it is invalidated`() async throws {
        try SearchedKeychain.setPasscode()
        addItems()
        let pinentry = try ScriptedPinentry([Self.right])
        try await pinentry.answering {
            let context = LAContext()
            let isProved = try await context.evaluatePolicy(
                .deviceOwnerAuthentication,
                localizedReason: "to test"
            )
            #expect(isProved)
            let isStillProved = try await context.evaluatePolicy(
                .deviceOwnerAuthentication,
                localizedReason: "again"
            )
            #expect(isStillProved)
            for item in items { #expect(status(item, context) == errSecSuccess) }
            let update = items[0].query.adding([kSecUseAuthenticationContext: context])
            #expect(SecItemUpdate(update as CFDictionary, [kSecAttrLabel: "canary"] as CFDictionary) == 0)
            #expect(pinentry.prompts == 1)
            #expect(pinentry.commands.contains { $0.hasPrefix("SETDESC ") && $0.hasSuffix("to test") })
            context.invalidate()
            for item in items { #expect(status(item, context) == errSecAuthFailed) }
            await #expect(throws: LAError(.invalidContext)) {
                try await context.evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "x")
            }
            #expect(pinentry.prompts == 1)
        }
    }

    @Test func `a context keeps the authentication of an earlier call`() throws {
        try SearchedKeychain.setPasscode()
        addItems()
        let pinentry = try ScriptedPinentry([Self.right])
        pinentry.answering {
            let context = LAContext()
            context.localizedReason = "the reason of the context"
            context.localizedCancelTitle = "Not now"
            for item in items { #expect(status(item, context) == errSecSuccess) }
            #expect(pinentry.prompts == 1)
            #expect(pinentry.commands.contains { $0.hasSuffix("the reason of the context") })
            #expect(pinentry.commands.contains("SETCANCEL Not now"))
            // A new context has no authentication result of the first one.
            #expect(status(items[0], LAContext()) == errSecUserCanceled)
        }
    }

    @Test func `the settings for biometry are kept without a sensor`() throws {
        try SearchedKeychain.setPasscode()
        addItems()
        let pinentry = try ScriptedPinentry([Self.right, Self.right])
        pinentry.answering {
            for _ in 0..<2 {
                let context = LAContext()
                #expect(context.localizedFallbackTitle == nil)
                #expect(context.touchIDAuthenticationAllowableReuseDuration == 0)
                context.localizedFallbackTitle = "another way"
                context.touchIDAuthenticationAllowableReuseDuration =
                    LATouchIDAuthenticationMaximumAllowableReuseDuration
                #expect(status(items[0], context) == errSecSuccess)
                #expect(context.localizedFallbackTitle == "another way")
                #expect(context.touchIDAuthenticationAllowableReuseDuration == 300)
            }
            // Two contexts were used, and each prompted the user once.
            #expect(pinentry.prompts == 2)
            #expect(!pinentry.commands.contains { $0.contains("another way") })
        }
    }

    @Test func `interactionNotAllowed makes calls non-interactive`() async throws {
        try SearchedKeychain.setPasscode()
        addItems()
        let pinentry = try ScriptedPinentry([Self.right])
        await pinentry.answering {
            let context = LAContext()
            context.interactionNotAllowed = true
            #expect(status(items[0], context) == errSecInteractionNotAllowed)
            await #expect(throws: LAError(.notInteractive)) {
                try await context.evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "x")
            }
            #expect(pinentry.commands.isEmpty)
        }
    }

    @Test func `evaluating an access control opens its items`() async throws {
        try SearchedKeychain.setPasscode()
        addItems()
        let pinentry = try ScriptedPinentry([Self.right])
        try await pinentry.answering {
            let context = LAContext()
            let presence = try #require(PromptCountTests.control(.userPresence) as? SecAccessControl)
            let biometry = try #require(PromptCountTests.control(.biometryAny) as? SecAccessControl)
            let mayCreate = try await context.evaluateAccessControl(
                presence,
                operation: .createItem,
                localizedReason: "x"
            )
            #expect(mayCreate)
            #expect(pinentry.prompts == 0)
            await #expect(throws: LAError(.biometryNotAvailable)) {
                try await context.evaluateAccessControl(biometry, operation: .useItem, localizedReason: "x")
            }
            let mayUse = try await context.evaluateAccessControl(
                presence,
                operation: .useItem,
                localizedReason: "x"
            )
            #expect(mayUse)
            for item in items { #expect(status(item, context) == errSecSuccess) }
            #expect(pinentry.prompts == 1)
        }
    }

    @Test func `without a sensor, only the passcode can satisfy a policy`() throws {
        let context = LAContext()
        var error: NSError?
        #expect(!context.canEvaluatePolicy(.deviceOwnerAuthentication, error: &error))
        #expect(error?.domain == "com.apple.LocalAuthentication")
        #expect(error?.code == LAError.Code.passcodeNotSet.rawValue)
        try SearchedKeychain.setPasscode()
        #expect(context.canEvaluatePolicy(.deviceOwnerAuthentication, error: nil))
        #expect(!context.canEvaluatePolicy(.deviceOwnerAuthenticationWithBiometrics, error: &error))
        #expect(error?.code == LAError.Code.biometryNotAvailable.rawValue)
        #expect(context.biometryType == .none)
        #expect(context.evaluatedPolicyDomainState == nil)
        context.invalidate()
        #expect(!context.canEvaluatePolicy(.deviceOwnerAuthentication, error: &error))
        #expect(error?.code == LAError.Code.invalidContext.rawValue)
    }

    @Test func `policies with a companion fail, because companions are not supported`() async throws {
        try SearchedKeychain.setPasscode()
        let context = LAContext()
        for (policy, code) in [
            (LAPolicy.deviceOwnerAuthenticationWithCompanion, LAError.Code.companionNotAvailable),
            (.deviceOwnerAuthenticationWithBiometricsOrCompanion, .biometryNotAvailable),
        ] {
            var error: NSError?
            #expect(!context.canEvaluatePolicy(policy, error: &error))
            #expect((error as? LAError)?.code == code)
        }
        await #expect(throws: LAError(.companionNotAvailable)) {
            try await context.evaluatePolicy(.deviceOwnerAuthenticationWithCompanion, localizedReason: "x")
        }
    }

    @Test func `cancelling throws LAError.userCancel`() async throws {
        try SearchedKeychain.setPasscode()
        let pinentry = try ScriptedPinentry([.cancel])
        await pinentry.answering {
            do {
                _ = try await LAContext().evaluatePolicy(.deviceOwnerAuthentication, localizedReason: "x")
                Issue.record("the evaluation succeeded")
            } catch LAError.userCancel {
                #expect(pinentry.prompts == 1)
            } catch {
                Issue.record("another error")
            }
        }
    }

    struct PasswordRow: Sendable {
        let name: String
        let flags: SecAccessControlCreateFlags
        let password: String?
        let status: OSStatus
        let prompts: Int
    }

    // swift-format-ignore
    @Test(arguments: [
        PasswordRow(name: "right",   flags: .applicationPassword, password: "canary password", status: 0, prompts: 0),
        PasswordRow(name: "wrong",   flags: .applicationPassword, password: "canary wrong", status: -25293, prompts: 0),
        PasswordRow(name: "none",    flags: .applicationPassword, password: nil, status: -25293, prompts: 1),
        PasswordRow(name: "both",    flags: [.applicationPassword, .userPresence], password: "canary password", status: 0, prompts: 1),
        PasswordRow(name: "wrong, and the user", flags: [.applicationPassword, .userPresence], password: "canary wrong", status: -25293, prompts: 1),
    ])
    func `an application password from the context is used`(row: PasswordRow) throws {
        try SearchedKeychain.setPasscode()
        let pinentry = try ScriptedPinentry([Self.right])
        pinentry.answering {
            let maker = LAContext()
            let item: Entries = [kSecAttrAccessControl: PromptCountTests.control(row.flags)]
            let silent: Entries = [kSecUseAuthenticationUI: kSecUseAuthenticationUIFail]
            #expect(items[0].add(item.adding(silent)) == errSecInteractionNotAllowed)
            #expect(maker.setCredential(Data("canary password".utf8), type: .applicationPassword))
            #expect(maker.isCredentialSet(.applicationPassword))
            #expect(items[0].add(item.adding([kSecUseAuthenticationContext: maker])) == errSecSuccess)
            let context = LAContext()
            #expect(context.setCredential(row.password.map { Data($0.utf8) }, type: .applicationPassword))
            #expect(status(items[0], context) == row.status, "\(row.name)")
            #expect(pinentry.prompts == row.prompts, "\(row.name)")
            #expect(!context.setCredential(Data("1234".utf8), type: .smartCardPIN))
            context.invalidate()
            #expect(!context.isCredentialSet(.applicationPassword))
            #expect(!context.setCredential(Data("canary password".utf8), type: .applicationPassword))
        }
    }

    @Test func `raw values are Apple's`() {
        #expect(LAPolicy.deviceOwnerAuthenticationWithBiometrics.rawValue == 1)
        #expect(LAPolicy.deviceOwnerAuthentication.rawValue == 2)
        #expect(LAPolicy.deviceOwnerAuthenticationWithCompanion.rawValue == 3)
        #expect(LAPolicy.deviceOwnerAuthenticationWithBiometricsOrCompanion.rawValue == 4)
        let codes: [(LAError.Code, Int)] = [
            (.authenticationFailed, -1), (.userCancel, -2), (.userFallback, -3), (.systemCancel, -4),
            (.passcodeNotSet, -5), (.biometryNotAvailable, -6), (.biometryNotEnrolled, -7),
            (.biometryLockout, -8), (.appCancel, -9), (.invalidContext, -10),
            (.companionNotAvailable, -11), (.biometryNotPaired, -12), (.biometryDisconnected, -13),
            (.invalidDimensions, -14), (.notInteractive, -1004),
        ]
        for (code, number) in codes {
            #expect(code.rawValue == number)
            #expect((LAError(code) as NSError).code == number)
            #expect((LAError(code) as NSError).domain == LAErrorDomain)
        }
    }
}
