// SPDX-License-Identifier: Apache-2.0

extension Difference {
    // swift-format-ignore
    static let authentication: [Self] = [
        .init(
            .attempts,
            at: "wrong answers of the user",
            ["LAContext"],
            apple: "up to 20 prompts, then `errSecAuthFailed`",
            ours: "up to three prompts in one call, then `errSecAuthFailed`",
            why: "each wrong answer counts as a guess of the passcode, and delays later guesses",
            Proof("AuthenticationTests", "reading an item returns the status for each user response", row: "three wrong")
        ),
        .init(
            .keyUsage,
            at: "a private key whose `SecAccessControl` has `privateKeyUsage`",
            ["SecAccessControlCreateWithFlags"],
            apple: "reading the key does not require authentication, using it does",
            ours: "reading the key requires authentication; using the returned `SecKey` does not, except keys that the daemon keeps",
            why: "a `SecKey` is in the program's own memory; no other process uses the key on behalf of the program",
            Proof("AuthenticationTests", "access control flags combine as documented")
        ),
        .init(
            .biometricReuse,
            at: "`touchIDAuthenticationAllowableReuseDuration` of `LAContext`",
            ["touchIDAuthenticationAllowableReuseDuration"],
            apple: "a recent unlock of the device by a biometric satisfies a context without a prompt",
            ours: "a finger that another context of the process has recently recognized satisfies a context without a prompt",
            why: "no service on Linux reports how the machine was unlocked",
            Proof("KeychainFingerprintTests", "a recognized finger satisfies other contexts within their reuse duration")
        ),
        .init(
            .domainState,
            at: "`evaluatedPolicyDomainState` of `LAContext`",
            ["evaluatedPolicyDomainState"],
            apple: "changes with every change of the enrolled biometrics",
            ours: "a digest of the sensor, the user and the names of the fingers",
            why: "fprintd reports nothing else, so replacing a finger under the same name does not change the digest",
            Proof("KeychainFingerprintTests", "the domain state changes with the enrolled fingers")
        ),
    ]
}
