// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import KeychainStore
import KeychainTestSupport
import Testing

@Suite struct FingerGoldenStoreTests {
    private typealias Contents = FingerGoldenContents
    private static let caller = Caller(applicationIdentifier: "golden", accessGroups: [Caller.everyGroup])

    @Test(arguments: GoldenStore.fingers)
    func `a golden store is readable with a finger and the passcode`(name: String) throws {
        let expected = try GoldenStore.contents(of: name)
        #expect(expected.items.count { $0.constraints != nil } == Contents.controls.count + 1)
        try GoldenStore.withCopy(of: name) { location in
            let keychain = try EmbeddedKeychain(at: location)
            try keychain.unlock(with: SecretBytes(Contents.passcode))
            let dump = try StoreDump(keychain, with: Contents.credential(of: keychain))
            // After unlocking with the passcode, the store identifier and the items are those in the JSON file.
            #expect(dump.store == expected.store)
            #expect(dump.items == expected.items)
            try keychain.lock()
        }
    }

    @Test(arguments: GoldenStore.fingers)
    func `each item of a golden store opens as its access control specifies`(name: String) throws {
        let items = try GoldenStore.contents(of: name).items.filter { $0.constraints != nil }
        try GoldenStore.withCopy(of: name) { location in
            let keychain = try EmbeddedKeychain(at: location)
            try keychain.unlock(with: SecretBytes(Contents.passcode))
            let proof = try Contents.credential(of: keychain)
            var finger = Credential(applicationPassword: proof.applicationPassword, finger: proof.finger)
            var passcode = proof
            passcode.finger = .none
            for item in items {
                let control = AccessControl(protection: .always, flags: item.constraints ?? 0)
                for (credential, isEnough) in [
                    (finger, control.isSatisfied(by: .everyFinger)),
                    (passcode, control.isSatisfied(by: .passcode)), (proof, true),
                ] {
                    if isEnough {
                        #expect(
                            try item.read(in: keychain, for: Self.caller, with: credential).map { .init($0) }
                                == [item]
                        )
                    } else {
                        expect(.authenticationNeeded) {
                            try item.read(in: keychain, for: Self.caller, with: credential)
                        }
                    }
                }
            }
            finger.finger = FingerEvidence(isExamined: true, enrolled: .zero, recognized: .zero)
            for item in items where item.constraints == 1 << 3 {
                expect(.itemNotFound) { try item.read(in: keychain, for: Self.caller, with: finger) }
            }
            try keychain.lock()
        }
    }
}

/// The contents of a golden store (a fixture) with items that open with a finger.
///
/// Some items were added before a change of the passcode, and some after it.
enum FingerGoldenContents {
    static let passcode = ConstrainedGoldenContents.passcode
    private static let firstPasscode = "golden passcode"
    private static let enrolled = Bytes32(fingers: ["right-index-finger"], of: 1_000, at: "golden sensor")

    // swift-format-ignore
    static let controls: [(account: String, control: AccessControl)] = [
        ("any finger",           AccessControl(protection: .whenUnlocked,                  flags: 1 << 1)),
        ("those enrolled",       AccessControl(protection: .whenPasscodeSetThisDeviceOnly, flags: 1 << 3)),
        ("presence",             AccessControl(protection: .afterFirstUnlock,              flags: 1)),
        ("finger or passcode",   AccessControl(protection: .always,                        flags: 1 << 14 | 1 << 4 | 1 << 1)),
        ("enrolled or passcode", AccessControl(protection: .alwaysThisDeviceOnly,          flags: 1 << 14 | 1 << 4 | 1 << 3)),
        ("finger and passcode",  AccessControl(protection: .whenUnlockedThisDeviceOnly,    flags: 1 << 15 | 1 << 4 | 1 << 1)),
        ("finger and password",  AccessControl(protection: .whenUnlocked,                  flags: 1 << 31 | 1 << 1)),
        ("passcode",             AccessControl(protection: .whenUnlocked,                  flags: 1 << 4)),
    ]

    /// Returns a credential that opens every item: passcode, application password and a recognized finger.
    static func credential(of keychain: EmbeddedKeychain, _ passcode: String = passcode) throws -> Credential
    {
        var credential = try ConstrainedGoldenContents.credential(of: keychain, passcode)
        credential.finger = FingerEvidence(isExamined: true, enrolled: enrolled, recognized: enrolled)
        return credential
    }

    static let files = Result {
        let store = try SampleStore(filling: SampleStore.samples)
        let keychain = try store.open()
        try keychain.setPasscode(SecretBytes(firstPasscode), cost: PasscodeCost(doublings: 10))
        let credential = try Self.credential(of: keychain, firstPasscode)
        for (account, control) in controls {
            let item = ConstrainedGoldenContents.item(account, control)
            _ = try keychain.perform(.add(item), for: SampleStore.caller, with: credential)
        }
        try keychain.changePasscode(
            from: SecretBytes(firstPasscode),
            to: SecretBytes(passcode),
            cost: PasscodeCost(doublings: 10)
        )
        let later = AccessControl(protection: .whenUnlocked, flags: 1 << 1)
        let item = ConstrainedGoldenContents.item("after the change", later, SecretBuffer())
        _ = try keychain.perform(.add(item), for: SampleStore.caller)
        try keychain.lock()
        return try store.contents()
    }
}
