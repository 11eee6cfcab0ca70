// SPDX-License-Identifier: Apache-2.0

import KeychainModel
import KeychainStore
import KeychainTestSupport
import Testing

/// Results of the fingerprint sensor that a client claims, and that the system service ignores.
@Suite(.enabled(if: SystemDaemon.isPossible, "needs root"))
struct FingerClaimTests {
    private static let fingers = Bytes32(digestOf: Array("canary fingers".utf8))

    /// A credential that claims that one of the enrolled fingers was recognized.
    private static let claim: CallCredential = {
        var claim = CallCredential()
        claim.fingersAreExamined = true
        (claim.enrolledFingers, claim.recognizedFinger) = (fingers, fingers)
        return claim
    }()

    private static func addition(_ account: String, _ flags: UInt64) -> DaemonCall {
        var attributes = Attributes()
        attributes[.account] = .string(account)
        attributes[.synchronizable] = .number(0)
        let item = NewItem(
            itemClass: .genericPassword,
            attributes: attributes,
            secret: SecretBuffer("canary value".utf8),
            accessControl: AccessControl(protection: .whenUnlocked, flags: flags)
        )
        return .perform(.add(item), claim)
    }

    private static func copy(_ account: String) -> DaemonCall {
        var attributes = Attributes()
        attributes[.account] = .string(account)
        let filter = ItemFilter(itemClass: .genericPassword, attributes: attributes)
        return .perform(.copy(CopyRequest(filter: filter, returning: .data)), claim)
    }

    private static func failure(_ reply: DaemonReply?) -> StatusError? {
        if case .failure(let error)? = reply { error } else { nil }
    }

    @Test func `a claimed fingerprint result opens no item of the system service`() throws {
        try SystemDaemon.with { daemon in
            let client = try RawClient.introduced(to: daemon.socketPath)
            let passcode = SentSecret(copying: SecretBytes(text: "canary passcode"))
            #expect(Self.failure(try client.call(.secret(.setPasscode, passcode))) == nil)
            #expect(
                Self.failure(try client.call(Self.addition("present", ConstraintBit.userPresence))) == nil
            )
            let refused = Self.failure(try client.call(Self.copy("present")))
            #expect(refused?.status == .authenticationNeeded)
            // The passcode opens the item.
            guard case .number(let key)? = try client.call(.secret(.authenticate, passcode)),
                case .perform(let request, _) = Self.copy("present")
            else { return #expect(Bool(false), "not authenticated") }
            var credential = CallCredential()
            credential.authentication = key
            guard case .response(.items(let items))? = try client.call(.perform(request, credential)) else {
                return #expect(Bool(false), "not found")
            }
            #expect(items.first?.secret == SecretBuffer("canary value".utf8))
        }
    }

    @Test(arguments: [ConstraintBit.biometryAny, ConstraintBit.biometryCurrentSet])
    func `an item that only a finger opens is refused by the system service`(flag: UInt64) throws {
        try SystemDaemon.with { daemon in
            let client = try RawClient.introduced(to: daemon.socketPath)
            let passcode = SentSecret(copying: SecretBytes(text: "canary passcode"))
            #expect(Self.failure(try client.call(.secret(.setPasscode, passcode))) == nil)
            let error = Self.failure(try client.call(Self.addition("finger", flag)))
            #expect(error?.status == .authenticationFailed && error?.reason == .constraintUnsatisfiable)
        }
    }
}
