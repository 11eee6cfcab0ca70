// SPDX-License-Identifier: Apache-2.0

import KeychainItems
import Testing

@Suite struct ReasonTests {
    static let reasons: [(reason: VaultError.Reason, isTransient: Bool)] = [
        (.notFound, false), (.duplicate, false), (.locked(until: .unlock), true),
        (.locked(until: .firstUnlock), true), (.passcodeNotSet, false), (.authenticationFailed, false),
        (.biometryUnavailable, false), (.tooManyAttempts, true), (.cancelled, false),
        (.interactionRequired, false), (.missingEntitlement, false), (.emptyKey, false),
        (.invalidArgument, false), (.valueTooLarge, false), (.unencodable, false), (.undecodable, false),
        (.ambiguous, false), (.conflict, true), (.busy, true), (.readOnly, false), (.diskFull, true),
        (.damaged, false), (.unavailable, false), (.unsupported, false), (.other, false),
    ]

    @Test(arguments: reasons)
    func `an error says what failed, why, and whether a later call can succeed`(
        row: (reason: VaultError.Reason, isTransient: Bool)
    ) {
        let error = VaultError(row.reason, .set, status: -1)
        let message = error.errorDescription ?? ""
        #expect(error.reason == row.reason && error.operation == .set && error.status == -1)
        #expect(error.isTransient == row.isTransient)
        #expect(!error.problem.isEmpty && error.advice?.isEmpty != true)
        #expect(message.hasPrefix(error.problem))
        #expect(message.hasSuffix(error.advice ?? error.problem))
        #expect("\(error)" == "set failed: \(row.reason) (-1): \(message)")
    }
}
