// SPDX-License-Identifier: Apache-2.0

/// How the user is asked, and what for.
extension Difference {
    static let authentication: [Self] = [
        .init(
            .attempts,
            at: "the user whose answers are wrong",
            ["LAContext"],
            apple: "is asked up to 20 times, then `errSecAuthFailed`",
            ours: "is asked up to three times in one call, then `errSecAuthFailed`",
            why: "each wrong answer is a guess, and guesses are counted",
            Proof("AuthenticationTests", "what the user answers decides", row: "three wrong")
        ),
        .init(
            .keyUsage,
            at: "a private key whose `SecAccessControl` has `privateKeyUsage`",
            ["SecAccessControlCreateWithFlags"],
            apple: "reading it is free, its use demands the user",
            ours: "reading it demands the user, and the object that was read can be used",
            why: "a key is used by reading it: there is no place that would use it for the program",
            Proof("AuthenticationTests", "constraints combine as the flags say")
        ),
        .init(
            .biometricReuse,
            at: "`touchIDAuthenticationAllowableReuseDuration` of `LAContext`",
            ["touchIDAuthenticationAllowableReuseDuration"],
            apple: "an unlock of the device by a biometric counts for so many seconds",
            ours: "a finger that another context of the process was proved by counts for so many seconds",
            why: "nothing here unlocks the machine by a biometric and tells us",
            Proof("KeychainFingerprintTests", "a finger counts for other contexts as long as they allow")
        ),
        .init(
            .domainState,
            at: "`evaluatedPolicyDomainState` of `LAContext`",
            ["evaluatedPolicyDomainState"],
            apple: "changes with every change of those enrolled",
            ours: "a digest of the sensor, the user and the names of the fingers",
            why: "fprintd tells no more: a finger enrolled in the place of another does not show",
            Proof("KeychainFingerprintTests", "the domain state changes with the fingers")
        ),
    ]
}
