// SPDX-License-Identifier: Apache-2.0

/// Access control and authentication.
extension ConformanceSection {
    // swift-format-ignore
    static let authentication: [Self] = [
        Self("17 SecAccessControlCreateWithFlags", rows: 10, [
            .shown("an unknown protection class: `nil` and `errSecParam`", "AccessControlTests", "what is no protection class makes nothing"),
            .shown("`or` and `and`: `nil` and `errSecParam`", "AccessControlTests", "flags that exclude each other make nothing"),
            .shown("`biometryAny` and `biometryCurrentSet`: `nil` and `errSecParam`", "AccessControlTests", "flags that exclude each other make nothing"),
            .shown("`userPresence` beside flags other than `applicationPassword`, `privateKeyUsage`: `nil` and `errSecParam`", "AccessControlTests", "flags that exclude each other make nothing"),
            .shown("no flags: the protection class only, and no authentication", "AccessControlTests", "one without constraints gives the item its class and is returned"),
            .matrix("cannot be combined with a protection class or synchronizable", "access and sync", rows: 0),
            .shown("one constraint must be satisfied", "AuthenticationTests", "constraints combine as the flags say"),
            .shown("with a finger", "KeychainFingerprintTests", "constraints combine as the flags say, where a finger is enrolled", rows: 0),
            .differs("a biometric constraint", .constraints, rows: 0),
            .shown("several constraints: one is enough with `or`, otherwise all are required", "AuthenticationTests", "constraints combine as the flags say"),
            .shown("an application password is required in addition", "ContextTests", "an application password comes with the context"),
            .differs("`privateKeyUsage`", .keyUsage),
            .shown("adding and deleting an item require no authentication", "PromptCountTests", "each call asks as often as it says", row: "delete"),
            .shown("a query for attributes returns an access control for every item", "AccessControlTests", "a returned one can be set again", rows: 0),
            .shown("an item with constraints returns the access control it was added with", "PromptCountTests", "the secret comes back and so does the access control", rows: 0),
            .shown("access controls with equal contents are equal", "AccessControlTests", "they are equal by what they say", rows: 0),
        ]),
        Self("17 An item with constraints", rows: 9, [
            .shown("any search requires authentication, even for existence", "PromptCountTests", "each call asks as often as it says", row: "existence"),
            .shown("a cancelled prompt is `errSecUserCanceled`, wrong answers are `errSecAuthFailed`", "AuthenticationTests", "what the user answers decides", row: "cancelled"),
            .differs("how often the user is asked", .attempts, rows: 0),
            .shown("the call forbids prompts: `errSecInteractionNotAllowed`", "PromptCountTests", "each call asks as often as it says", row: "no interface"),
            .shown("the context forbids prompts: `errSecInteractionNotAllowed`", "ContextTests", "a context can forbid asking", rows: 0),
            .shown("skipping: the item is omitted; `errSecItemNotFound` if none is left", "PromptCountTests", "each call asks as often as it says", row: "skip"),
            .shown("an authenticated context opens the item without a prompt", "ContextTests", "a context that has authenticated opens items until it is invalidated"),
            .shown("a context with a recognized finger does, too", "KeychainFingerprintTests", "a context that has recognized a finger opens what a finger opens", rows: 0),
            .shown("Update requires authentication, and cannot skip", "PromptCountTests", "each call asks as often as it says", row: "update, skip"),
            .shown("Delete requires no authentication", "PromptCountTests", "each call asks as often as it says", row: "delete, fail"),
            .shown("Add requires none, but for an application password the context that has it", "ContextTests", "an application password comes with the context"),
            .shown("the user is asked for an application password that no context has", "ApplicationPasswordTests", "adding asks twice and reading asks once", rows: 0),
            .shown("no program to ask the user: `errSecInteractionNotAllowed`", "AuthenticationTests", "nobody can be asked without a program"),
        ]),
    ]
}
