// SPDX-License-Identifier: Apache-2.0

extension ConformanceSection {
    // swift-format-ignore
    static let authentication: [Self] = [
        Self("17 SecAccessControlCreateWithFlags", rows: 10, [
            .shown("an unknown protection class: `nil` and `errSecParam`", "AccessControlTests", "an unknown protection class returns nil with errSecParam"),
            .shown("`or` together with `and`: `nil` and `errSecParam`", "AccessControlTests", "flags that exclude each other return nil with errSecParam"),
            .shown("`biometryAny` together with `biometryCurrentSet`: `nil` and `errSecParam`", "AccessControlTests", "flags that exclude each other return nil with errSecParam"),
            .shown("`userPresence` together with flags other than `applicationPassword` and `privateKeyUsage`: `nil` and `errSecParam`", "AccessControlTests", "flags that exclude each other return nil with errSecParam"),
            .shown("without flags, an access control sets only the protection class and requires no authentication", "AccessControlTests", "an access control without flags sets the item's protection class and is returned"),
            .matrix("an access control cannot be combined with a protection class or with `kSecAttrSynchronizable`", "access control and sync", rows: 0),
            .shown("an access control with one constraint, such as `devicePasscode`, opens when that constraint is satisfied", "AuthenticationTests", "access control flags combine as documented"),
            .shown("a biometric constraint is satisfied by an enrolled finger", "KeychainFingerprintTests", "access control flags combine as documented while a finger is enrolled", rows: 0),
            .differs("an item with a biometric constraint opens for the enrolled user", .constraints, rows: 0),
            .shown("of several constraints, one is enough with `or`; otherwise all are required", "AuthenticationTests", "access control flags combine as documented"),
            .shown("`applicationPassword` is required in addition to the other constraints", "ContextTests", "an application password from the context is used"),
            .differs("`privateKeyUsage`: reading the key requires no authentication, using it does", .keyUsage),
            .shown("adding and deleting an item require no authentication", "PromptCountTests", "each call prompts as often as documented", row: "delete"),
            .shown("a query for attributes returns an access control for every item", "AccessControlTests", "a returned access control can be stored again", rows: 0),
            .shown("an item with constraints returns the access control it was added with", "PromptCountTests", "reading returns the secret and the access control after a prompt", rows: 0),
            .shown("access controls with equal contents are equal", "AccessControlTests", "access controls with the same protection class and flags are equal", rows: 0),
        ]),
        Self("17 Calls on an item whose access control requires authentication", rows: 9, [
            .shown("any search requires authentication, even one that only tests whether the item exists", "PromptCountTests", "each call prompts as often as documented", row: "existence"),
            .shown("a cancelled prompt is `errSecUserCanceled`, wrong answers are `errSecAuthFailed`", "AuthenticationTests", "reading an item returns the status for each user response", row: "cancelled"),
            .differs("the user has up to 20 attempts", .attempts, rows: 0),
            .shown("a call that forbids prompts: `errSecInteractionNotAllowed`", "PromptCountTests", "each call prompts as often as documented", row: "no interface"),
            .shown("an `LAContext` that forbids prompts: `errSecInteractionNotAllowed`", "ContextTests", "interactionNotAllowed makes calls non-interactive", rows: 0),
            .shown("`kSecUseAuthenticationUISkip`: the item is left out of the result; `errSecItemNotFound` if no other item matches", "PromptCountTests", "each call prompts as often as documented", row: "skip"),
            .shown("an authenticated `LAContext` opens the item without a prompt", "ContextTests", "an authenticated context opens items until it is invalidated"),
            .shown("an `LAContext` that has recognized a finger opens the item without a prompt", "KeychainFingerprintTests", "a context with a recognized finger opens items that accept a finger", rows: 0),
            .shown("`SecItemUpdate` requires authentication; `kSecUseAuthenticationUISkip` is `errSecParam`", "PromptCountTests", "each call prompts as often as documented", row: "update, skip"),
            .shown("`SecItemDelete` requires no authentication", "PromptCountTests", "each call prompts as often as documented", row: "delete, fail"),
            .shown("`SecItemAdd` requires no authentication; an application password is taken from the `LAContext`", "ContextTests", "an application password from the context is used"),
            .shown("without a context that has the application password, the user is asked for it", "ApplicationPasswordTests", "adding prompts twice for the password and reading prompts once", rows: 0),
            .shown("no `pinentry` program is installed that could ask the user: `errSecInteractionNotAllowed`", "AuthenticationTests", "prompting fails without a pinentry program"),
        ]),
    ]
}
