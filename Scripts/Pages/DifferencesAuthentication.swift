// SPDX-License-Identifier: Apache-2.0

/// Authentication of the user.
extension Difference {
    // swift-format-ignore
    static let authentication: [Self] = [
        .init(
            .attempts,
            at: "wrong answers of the user",
            ["LAContext"],
            apple: "up to 20 prompts, then `errSecAuthFailed`",
            ours: "up to three prompts in one call, then `errSecAuthFailed`",
            why: "each wrong answer counts as a passcode guess, and guesses are limited",
            Proof("AuthenticationTests", "reading an item returns the status for each user response", row: "three wrong")
        ),
        .init(
            .keyUsage,
            at: "a private key whose `SecAccessControl` has `privateKeyUsage`",
            ["SecAccessControlCreateWithFlags"],
            apple: "reading the key is free, using it requires the user",
            ours: "reading the key requires the user; using the returned object does not",
            why: "the program uses the key in its own memory; no other process could use it on its behalf",
            Proof("AuthenticationTests", "access control flags combine as documented")
        ),
        .init(
            .biometricReuse,
            at: "`touchIDAuthenticationAllowableReuseDuration` of `LAContext`",
            ["touchIDAuthenticationAllowableReuseDuration"],
            apple: "a recent unlock of the device by a biometric is reused",
            ours: "a finger that another context of the process has recently recognized is reused",
            why: "no service here reports how the machine was unlocked",
            Proof("KeychainFingerprintTests", "a recognized finger satisfies other contexts within their reuse duration")
        ),
        .init(
            .domainState,
            at: "`evaluatedPolicyDomainState` of `LAContext`",
            ["evaluatedPolicyDomainState"],
            apple: "changes with every change of the enrolled biometrics",
            ours: "a digest of the sensor, the user and the names of the fingers",
            why: "fprintd reports no more, so the digest stays the same if a finger is replaced under the same name",
            Proof("KeychainFingerprintTests", "the domain state changes with the enrolled fingers")
        ),
    ]
}
