// SPDX-License-Identifier: Apache-2.0

import KeychainServices
import KeychainTestSupport
import Testing
import Valet

/// Values of Secure Enclave valets that a finger opens.
extension KeychainFingerprintTests {
    @Suite(.searchedKeychain) struct ValetTests {
        @Test(arguments: [SecureEnclaveAccessControl.userPresence, .biometricAny, .biometricCurrentSet])
        func `a finger opens Valet values`(control: SecureEnclaveAccessControl) async throws {
            try await Flow.run { flow in
                let identifier = try #require(Identifier(nonEmpty: "canary"))
                let valet = SecureEnclaveValet.valet(with: identifier, accessControl: control)
                try valet.setString("canary value", forKey: "canary key")
                #expect(flow.pinentry.commands.isEmpty)
                #expect(try valet.containsObject(forKey: "canary key"))
                #expect(flow.pinentry.commands.isEmpty)
                try flow.machine.sensor.expect(Flow.finger)
                let value = try valet.string(forKey: "canary key", withPrompt: "to test a finger")
                #expect(value == "canary value")
                #expect(flow.pinentry.fingerDialogs == 1)
                #expect(flow.pinentry.prompts == 0)
                let description = try #require(flow.pinentry.descriptions.first)
                #expect(description.contains("to test a finger"))
            }
        }

        @Test func `a biometricCurrentSet Valet value is not found while other fingers are enrolled`()
            async throws
        {
            try await Flow.run { flow in
                let identifier = try #require(Identifier(nonEmpty: "canary"))
                let valet = SecureEnclaveValet.valet(with: identifier, accessControl: .biometricCurrentSet)
                try valet.setString("canary value", forKey: "canary key")
                try flow.machine.enroll("left-thumb")
                #expect(throws: KeychainError.itemNotFound) { try valet.string(forKey: "canary key") }
            }
        }
    }
}
