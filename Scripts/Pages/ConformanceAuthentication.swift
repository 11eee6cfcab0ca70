// SPDX-License-Identifier: Apache-2.0

/// Access control and authentication.
extension ConformanceSection {
    // swift-format-ignore
    static let authentication: [Self] = [
        Self("17 SecAccessControlCreateWithFlags", rows: 10, [
            .shown("an unknown protection class: `nil` and `errSecParam`", "AccessControlTests", "an unknown protection class returns nil with errSecParam"),
            .shown("`or` and `and`: `nil` and `errSecParam`", "AccessControlTests", "flags that exclude each other return nil with errSecParam"),
            .shown("`biometryAny` and `biometryCurrentSet`: `nil` and `errSecParam`", "AccessControlTests", "flags that exclude each other return nil with errSecParam"),
            .shown("`userPresence` beside flags other than `applicationPassword`, `privateKeyUsage`: `nil` and `errSecParam`", "AccessControlTests", "flags that exclude each other return nil with errSecParam"),
            .shown("no flags: the protection class only, and no authentication", "AccessControlTests", "an access control without flags sets the item's protection class and is returned"),
            .matrix("cannot be combined with a protection class or synchronizable", "access and sync", rows: 0),
            .shown("one constraint must be satisfied", "AuthenticationTests", "access control flags combine as documented"),
            .shown("with a finger", "KeychainFingerprintTests", "access control flags combine as documented while a finger is enrolled", rows: 0),
            .differs("a biometric constraint", .constraints, rows: 0),
            .shown("several constraints: one is enough with `or`, otherwise all are required", "AuthenticationTests", "access control flags combine as documented"),
            .shown("an application password is required in addition", "ContextTests", "an application password from the context is used"),
            .differs("`privateKeyUsage`", .keyUsage),
            .shown("adding and deleting an item require no authentication", "PromptCountTests", "each call prompts as often as documented", row: "delete"),
            .shown("a query for attributes returns an access control for every item", "AccessControlTests", "a returned access control can be stored again", rows: 0),
            .shown("an item with constraints returns the access control it was added with", "PromptCountTests", "reading returns the secret and the access control after a prompt", rows: 0),
            .shown("access controls with equal contents are equal", "AccessControlTests", "access controls are equal if their class and flags are", rows: 0),
        ]),
        Self("17 An item with constraints", rows: 9, [
            .shown("any search requires authentication, even for existence", "PromptCountTests", "each call prompts as often as documented", row: "existence"),
            .shown("a cancelled prompt is `errSecUserCanceled`, wrong answers are `errSecAuthFailed`", "AuthenticationTests", "reading an item returns the status for each user response", row: "cancelled"),
            .differs("how often the user is asked", .attempts, rows: 0),
            .shown("the call forbids prompts: `errSecInteractionNotAllowed`", "PromptCountTests", "each call prompts as often as documented", row: "no interface"),
            .shown("the context forbids prompts: `errSecInteractionNotAllowed`", "ContextTests", "interactionNotAllowed makes calls non-interactive", rows: 0),
            .shown("skipping: the item is omitted; `errSecItemNotFound` if none is left", "PromptCountTests", "each call prompts as often as documented", row: "skip"),
            .shown("an authenticated context opens the item without a prompt", "ContextTests", "an authenticated context opens items until it is invalidated"),
            .shown("a context with a recognized finger does, too", "KeychainFingerprintTests", "a context with a recognized finger opens items that accept a finger", rows: 0),
            .shown("Update requires authentication, and cannot skip", "PromptCountTests", "each call prompts as often as documented", row: "update, skip"),
            .shown("Delete requires no authentication", "PromptCountTests", "each call prompts as often as documented", row: "delete, fail"),
            .shown("Add requires none, but for an application password the context that has it", "ContextTests", "an application password from the context is used"),
            .shown("the user is asked for an application password that no context has", "ApplicationPasswordTests", "adding prompts twice for the password and reading prompts once", rows: 0),
            .shown("no program to ask the user: `errSecInteractionNotAllowed`", "AuthenticationTests", "prompting fails without a pinentry program"),
        ]),
    ]
}
