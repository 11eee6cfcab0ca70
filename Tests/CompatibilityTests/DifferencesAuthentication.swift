// SPDX-License-Identifier: Apache-2.0

/// How a person is asked, and what for.
extension Difference {
    static let authentication: [Self] = [
        .init(
            .attempts,
            at: "a person whose answers are wrong",
            ["LAContext"],
            apple: "is asked up to 20 times, then `errSecAuthFailed`",
            ours: "is asked up to three times in one call, then `errSecAuthFailed`",
            why: "each wrong answer is a guess, and guesses are counted",
            Proof("AuthenticationTests", "what a person answers decides", row: "three wrong")
        ),
        .init(
            .keyUsage,
            at: "a private key whose `SecAccessControl` has `privateKeyUsage`",
            ["SecAccessControlCreateWithFlags"],
            apple: "reading it is free, its use demands a person",
            ours: "reading it demands a person, and the object that was read can be used",
            why: "a key is used by reading it: there is no place that would use it for the program",
            Proof("AuthenticationTests", "constraints combine as the flags say")
        ),
        .init(
            .fallbackTitle,
            at: "`localizedFallbackTitle` of `LAContext`",
            ["localizedFallbackTitle"],
            apple: "the title of the button that leads from the biometric to the passcode",
            ours: "kept, and never shown",
            why: "the passcode is asked for at once, so there is no such button",
            Proof("ContextTests", "what has no effect is kept and nothing more")
        ),
        .init(
            .biometricReuse,
            at: "`touchIDAuthenticationAllowableReuseDuration` of `LAContext`",
            ["touchIDAuthenticationAllowableReuseDuration"],
            apple: "an unlock of the device by a biometric counts for so many seconds",
            ours: "kept, and without effect: each context asks for itself",
            why: "nothing here unlocks the machine by a biometric and tells us",
            Proof("ContextTests", "what has no effect is kept and nothing more")
        ),
    ]
}
