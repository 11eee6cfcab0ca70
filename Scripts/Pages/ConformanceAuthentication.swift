// SPDX-License-Identifier: Apache-2.0

/// Access control and authentication.
extension ConformanceSection {
    // swift-format-ignore
    static let authentication: [Self] = [
        Self("17 SecAccessControlCreateWithFlags", rows: 10, [
            .shown("what is no class of protection: `nil` and `errSecParam`", "AccessControlTests", "what is no protection class makes nothing"),
            .shown("`or` and `and`: `nil` and `errSecParam`", "AccessControlTests", "flags that exclude each other make nothing"),
            .shown("`biometryAny` and `biometryCurrentSet`: `nil` and `errSecParam`", "AccessControlTests", "flags that exclude each other make nothing"),
            .shown("`userPresence` with other flags than `applicationPassword` and `privateKeyUsage`: `nil` and `errSecParam`", "AccessControlTests", "flags that exclude each other make nothing"),
            .shown("no flags: the class alone, and no authentication", "AccessControlTests", "one without constraints gives the item its class and is returned"),
            .matrix("yet not beside a class of protection or synchronization", "access and sync", rows: 0),
            .shown("one constraint is demanded", "AuthenticationTests", "constraints combine as the flags say"),
            .shown("with a finger, too", "KeychainFingerprintTests", "constraints combine as the flags say, where a finger is enrolled", rows: 0),
            .differs("a biometric", .constraints, rows: 0),
            .shown("of several one with `or`, otherwise all", "AuthenticationTests", "constraints combine as the flags say"),
            .shown("an application password is demanded besides", "ContextTests", "an application password comes with the context"),
            .differs("`privateKeyUsage`", .keyUsage),
            .shown("making and deleting an item is free of constraints", "PromptCountTests", "each call asks as often as it says", row: "delete"),
            .shown("an attribute query returns one for every item, of a plain item the class alone", "AccessControlTests", "a returned one can be set again", rows: 0),
            .shown("an item with constraints returns what it was made with", "PromptCountTests", "the secret comes back and so does the access control", rows: 0),
            .shown("they are equal by what they say", "AccessControlTests", "they are equal by what they say", rows: 0),
        ]),
        Self("17 An item with constraints", rows: 9, [
            .shown("a search of any kind needs authentication, be it for existence", "PromptCountTests", "each call asks as often as it says", row: "existence"),
            .shown("the user is asked; one who cancels is `errSecUserCanceled`, wrong answers are `errSecAuthFailed`", "AuthenticationTests", "what the user answers decides", row: "cancelled"),
            .differs("how often", .attempts, rows: 0),
            .shown("asking is forbidden by the call: `errSecInteractionNotAllowed`", "PromptCountTests", "each call asks as often as it says", row: "no interface"),
            .shown("asking is forbidden by the context: the same", "ContextTests", "a context can forbid asking", rows: 0),
            .shown("skipping: not among the results, `errSecItemNotFound` if none is left", "PromptCountTests", "each call asks as often as it says", row: "skip"),
            .shown("a context that has authenticated opens without asking", "ContextTests", "a context that has authenticated opens items until it is invalidated"),
            .shown("one that has recognized a finger does", "KeychainFingerprintTests", "a context that has recognized a finger opens what a finger opens", rows: 0),
            .shown("Update is as reading, and cannot skip", "PromptCountTests", "each call asks as often as it says", row: "update, skip"),
            .shown("Delete needs no authentication", "PromptCountTests", "each call asks as often as it says", row: "delete, fail"),
            .shown("Add needs none, and with an application password the context that has it", "ContextTests", "an application password comes with the context"),
            .shown("an application password that no context has is asked for", "ApplicationPasswordTests", "adding asks twice and reading asks once", rows: 0),
            .shown("nobody who could be asked: `errSecInteractionNotAllowed`", "AuthenticationTests", "nobody can be asked without a program"),
        ]),
    ]
}
