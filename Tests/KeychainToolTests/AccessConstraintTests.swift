// SPDX-License-Identifier: Apache-2.0

import KeychainModel
import KeychainServices
import KeychainTool
import Testing

/// The command refuses access controls that this build can never satisfy.
@Suite struct AccessConstraintTests {
    struct Row: Sendable {
        let flags: SecAccessControlCreateFlags
        /// Whether the command accepts the flags: without the trait `Fingerprint`, and with it.
        let isAccepted: [Bool]
    }

    // swift-format-ignore
    @Test(arguments: [
        Row(flags: [],                                            isAccepted: [true,  true]),
        Row(flags: .userPresence,                                 isAccepted: [true,  true]),
        Row(flags: .devicePasscode,                               isAccepted: [true,  true]),
        Row(flags: .applicationPassword,                          isAccepted: [true,  true]),
        Row(flags: .privateKeyUsage,                              isAccepted: [true,  true]),
        Row(flags: [.biometryAny, .or, .devicePasscode],          isAccepted: [true,  true]),
        Row(flags: [.watch, .or, .devicePasscode],                isAccepted: [true,  true]),
        Row(flags: .biometryAny,                                  isAccepted: [false, true]),
        Row(flags: .biometryCurrentSet,                           isAccepted: [false, true]),
        Row(flags: [.biometryAny, .and, .devicePasscode],         isAccepted: [false, true]),
        Row(flags: [.biometryAny, .applicationPassword],          isAccepted: [false, true]),
        Row(flags: .watch,                                        isAccepted: [false, false]),
        Row(flags: [.watch, .and, .devicePasscode],               isAccepted: [false, false]),
    ])
    func `adding an item that this build can never open is refused with the reason`(row: Row) throws {
        let control = AccessControl(protection: .whenUnlocked, flags: UInt64(row.flags.rawValue))
        #expect(control.isConsistent)
        for (isBuiltIn, isAccepted) in zip([false, true], row.isAccepted) {
            do throws(Failure) {
                try AccessConstraints.check(control, withFingerprints: isBuiltIn)
                #expect(isAccepted)
            } catch {
                guard case .message(let text, result: errSecUnimplemented) = error else {
                    Issue.record("another failure")
                    continue
                }
                #expect(!isAccepted)
                #expect(text.contains("without the trait Fingerprint") == row.isAccepted[1])
            }
        }
    }
}
