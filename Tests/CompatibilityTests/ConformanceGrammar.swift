// SPDX-License-Identifier: Apache-2.0

/// Constants, statuses, the grammar of dictionaries and what each call answers to mistakes.
extension ConformanceSection {
    // swift-format-ignore
    static let constants: [Self] = [
        Self("2.1 Classes", rows: 7, [
            .shown("five classes have Apple's names", "ConstantTests", "each class has the name that the model knows", rows: 6),
            .differs("`kSecClassAppleSharePassword` is no class of this keychain", .appleShare),
        ]),
        Self("2.2 Attributes", rows: 36, [
            .shown("each attribute has its constant with Apple's value", "ConstantTests", "each attribute has its constant", rows: 36),
            .shown("each attribute has its kind in every class", "AttributeTableTests", "a schema finds each of its rows by the attribute and no other", rows: 0),
            .shown("constants of older keychains have Apple's values too", "ConstantTests", "every other constant has Apple's value", rows: 0),
        ]),
        Self("2.3 Match, return, value and use keys", rows: 27, [
            .shown("each has its constant with Apple's value", "ConstantTests", "every other constant has Apple's value", rows: 27),
        ]),
        Self("2.4 Enumerated values", rows: 7, [
            .shown("the classes of protection", "ConstantTests", "each protection class has its constant"),
            .shown("protocols, kinds of authentication, classes and types of keys, tokens, functions", "ConstantTests", "every other constant has Apple's value", rows: 6),
        ]),
        Self("2.5 Flags of access control", rows: 0, [
            .shown("the bits are Apple's", "AccessControlTests", "the bits are Apple's", rows: 0),
        ]),
        Self("3 Statuses", rows: 29, [
            .shown("each status has its number, its constant and its sentence", "StatusTests", "each status has its constant and its sentence", rows: 29),
            .shown("fifteen names are `errSecParam`, one is `errSecUnimplemented`", "StatusTests", "other names have the same number", rows: 0),
            .matrix("a fraction is `errSecDecode`", "a fraction", rows: 0),
            .shown("what could not be in a property list is `errSecParam` wherever it stands", "HostileDictionaryTests", "an ignored key may hold a collection but no object", rows: 0),
        ]),
    ]

    // swift-format-ignore
    static let grammar: [Self] = [
        Self("4 Grammar of dictionaries: keys", rows: 10, [
            .matrix("neither string nor number: `errSecParam`", "data for a key"),
            .matrix("a number: `errSecNoSuchAttr`", "a number for a key"),
            .matrix("four letters are an attribute; one that the class lacks is `errSecNoSuchAttr`", "four letters with m"),
            .matrix("of the rest with `c` only `class`", "a key like class"),
            .matrix("with `m` a match key; unknown ones are ignored by a search", "an unknown match key"),
            .matrix("with `r` a return key, whose value is a real Boolean", "return key 1"),
            .matrix("with `u` a use key; unknown ones are `errSecParam`", "an unknown use key"),
            .matrix("with `v` a value key; unknown ones are `errSecParam`", "an unknown value key"),
            .matrix("with `f` ignored", "an ignored key"),
            .matrix("anything else, and a single letter: `errSecParam`", "a key of one letter"),
            .matrix("`nleg` has no effect", "the keychain's choice", rows: 0),
            .matrix("computed columns are `errSecParam`", "a computed column", rows: 0),
            .matrix("private attributes need an entitlement that nobody has", "a private attribute", rows: 0),
            .matrix("`tomb` and `musr` are filters", "no tombstone", rows: 0),
        ]),
        Self("4 Grammar of dictionaries: structure", rows: 18, [
            .shown("more than 128 keys: `errSecParam`", "HostileDictionaryTests", "128 keys are enough"),
            .shown("no class and no persistent reference: `errSecParam`", "ErrorMatrixTests", "without a class there is no query"),
            .matrix("a class that is none of the five: `errSecNoSuchClass`", "an unknown class"),
            .matrix("a class beside a reference of another: `errSecNoSuchClass`", "another class's reference"),
            .shown("an empty dictionary: `errSecParam`", "ErrorMatrixTests", "an empty dictionary names no class"),
            .impossible("no dictionary at all", because: "the parameter is not optional"),
            .matrix("a value that is no data: `errSecParam`", "a secret of text"),
            .matrix("an object under `kSecValueRef` that stands for nothing: `errSecParam`", "an object as reference"),
            .shown("a class that contradicts the object: `errSecNoSuchAttr`", "ReferenceKindTests", "a class that contradicts the object is refused"),
            .matrix("a persistent reference of wrong type, length or form: `errSecParam`", "text as reference"),
            .matrix("an access control that is none: `errSecParam`", "text as access control"),
            .matrix("an unknown class of protection: `errSecParam`", "an unknown accessibility"),
            .matrix("class of protection and access control, unless equal: `errSecParam`", "both kinds of access"),
            .matrix("`kSecUseAuthenticationUI` that is no string: `errSecParam`", "a number for asking"),
            .matrix("skipping in any call but a search: `errSecParam`", "skipping"),
            .matrix("a context together with a credential: `errSecParam`", "context and credential"),
            .matrix("a limit that is none: `errSecParam`", "a Boolean limit"),
            .matrix("`kSecUseTombstones` of another type: `errSecParam`", "data for tombstones"),
            .matrix("a prompt is accepted by every call", "a prompt", rows: 0),
            .matrix("a context is accepted by every call", "a context", rows: 0),
            .matrix("an access control filters nothing", "an access control", rows: 0),
        ]),
        Self("4.1 What each call answers", rows: 28, [
            .shown("nothing in the dictionary", "ErrorMatrixTests", "an empty dictionary names no class"),
            .shown("no class and no reference", "ErrorMatrixTests", "without a class there is no query"),
            .matrix("an unknown class", "an unknown class"),
            .shown("an attribute that the class lacks", "ClassMatrixTests", "an attribute that the class lacks is refused by every call"),
            .matrix("another unknown key", "the persistref column"),
            .matrix("an unknown match key", "an unknown match key"),
            .matrix("a match key", "a match key for macOS"),
            .matrix("a bad limit", "an unknown limit"),
            .matrix("a value of the wrong type", "null for a value"),
            .matrix("a return flag that is no Boolean", "return key 1"),
            .matrix("a return flag that is true", "return key true"),
            .matrix("a value", "a secret"),
            .matrix("a value that is no data", "null for a secret"),
            .matrix("a bad class of protection", "an unknown accessibility"),
            .matrix("class of protection and access control", "both kinds of access"),
            .matrix("access control and synchronization", "access and sync"),
            .matrix("skipping", "skipping"),
            .matrix("a list of items", "a list of items"),
            .shown("a persistent reference is alone in a search", "ObjectReferenceTests", "a reference finds its object alone"),
            .shown("a key, a certificate or an identity stands for its attributes, and is no new value", "ReferenceKindTests", "a reference is no new value"),
            .shown("another object", "ReferenceKindTests", "what is no reference is refused everywhere"),
            .matrix("a group that the program lacks", "a foreign group"),
            .shown("a program without groups", "ErrorMatrixTests", "a program without a writable group may not write"),
            .shown("a program with the group of tokens alone", "ClassMatrixTests", "a program without a writable group may not write"),
            .shown("nothing matches", "ErrorMatrixTests", "what is not there is not found"),
            .shown("an item that is not unique", "ErrorMatrixTests", "the same identity twice is a duplicate"),
            .later("a locked item", with: "locking"),
            .later("an item that needs authentication", with: "access control"),
            .shown("all of this for certificates, keys and identities too", "ClassMatrixTests", "each call answers as the matrix says", rows: 0),
            .shown("what the caller names wins over what follows from the object", "KeyReferenceTests", "what the caller names wins over what follows from the key", rows: 0),
            .shown("flags of a key and its bytes filter nothing", "KeyReferenceTests", "a key is found after what it may do was changed", rows: 0),
        ]),
    ]
}
