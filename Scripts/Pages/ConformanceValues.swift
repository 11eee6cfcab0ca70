// SPDX-License-Identifier: Apache-2.0

/// The conversion of values, what each class has, and the defaults.
extension ConformanceSection {
    // swift-format-ignore
    static let values: [Self] = [
        Self("5 Conversion of values", rows: 7, [
            .shown("strings, data and numbers stay what they are where the attribute takes each of them", "ClassConversionTests", "a value comes back as the kind says, and finds its item"),
            .shown("data; strings and numbers become data", "ConversionTests", "a supplied value is stored or refused as its kind says"),
            .shown("numbers; Booleans and a number's own digits become numbers, other strings stay", "ValueConversionTests", "a value comes back as the kind says"),
            .shown("dates and nothing else", "ClassConversionTests", "a value comes back as the kind says, and finds its item"),
            .shown("strings; data that is one, and a UUID, become strings", "ConversionTests", "a supplied value is stored or refused as its kind says"),
            .shown("a digest has 20 bytes", "ConversionTests", "a supplied value is stored or refused as its kind says"),
            .shown("a UUID has 16 bytes or none", "ConversionTests", "a supplied value is stored or refused as its kind says"),
            .shown("a string and its bytes match and collide, a number and its digits do not", "ClassConversionTests", "values that are one to a query are one to uniqueness", rows: 0),
            .shown("comparison is by bytes: case, width and Unicode's forms count", "KeychainStoreTests.IdentityTests", "text that only looks the same is another account", rows: 0),
            .shown("numbers and strings stay apart where bytes are not compared", "KeychainStoreTests.IdentityTests", "the number 443 and the text of another protocol stay apart", rows: 0),
            .shown("Booleans come back as numbers", "ClassConversionTests", "a value comes back as the kind says, and finds its item", rows: 0),
            .shown("`NSNull` clears nothing", "ValueConversionTests", "an update converts like an addition", rows: 0),
        ]),
        Self("6.1 Attributes of every class", rows: 14, [
            .shown("the group: unique, the caller's first by default", "DefaultAttributeTests", "what is left out has the value of the table, at adding and in a search"),
            .shown("synchronization: unique, a number, 0 by default", "DefaultAttributeTests", "what is left out has the value of the table, at adding and in a search"),
            .shown("the user: empty, returned by a search and not at adding", "DefaultAttributeTests", "what is left out has the value of the table, at adding and in a search"),
            .shown("view hint, token, sharing group: unique", "KeychainStoreTests.IdentityTests", "each unique attribute makes another item"),
            .shown("the dates are those of the clock, whatever is said at adding", "AddTests", "the dates are those of the clock, whatever the caller says"),
            .shown("the label: returned if it is set", "ClassConversionTests", "a value comes back as the kind says, and finds its item"),
            .shown("the alias: returned if it is set", "ClassConversionTests", "a value comes back as the kind says, and finds its item"),
            .shown("protection: while unlocked, for certificates always", "DefaultAttributeTests", "what is left out has the value of the table, at adding and in a search"),
            .shown("access control: at adding if it was given, by a search always", "AccessControlTests", "one without constraints gives the item its class and is returned"),
            .differs("the digest of the item", .changeDigest),
            .shown("the tombstone's mark: 0, returned by a search and not at adding", "DefaultAttributeTests", "what is left out has the value of the table, at adding and in a search"),
            .shown("UUID, reference and row are never among the attributes", "DefaultAttributeTests", "what is left out has the value of the table, at adding and in a search"),
            .matrix("what needs a private entitlement is refused", "a private attribute"),
            .shown("the value comes for `kSecReturnData` alone", "ResultShapeTests", "a search for one returns one object"),
            .shown("the class comes with `kSecReturnRef` alone", "ResultShapeTests", "a search for one returns one object", rows: 0),
        ]),
        Self("6.2 Attributes of each class", rows: 5, [
            .shown("generic passwords: what is unique, and the defaults", "AttributeTableTests", "the identity of a class is made of its primary key"),
            .shown("internet passwords", "ResultShapeTests", "an internet password has its defaults"),
            .shown("certificates", "DefaultAttributeTests", "what is left out has the value of the table, at adding and in a search"),
            .shown("keys", "DefaultAttributeTests", "what is left out has the value of the table, at adding and in a search"),
            .shown("identities take the attributes of both", "ClassMatrixTests", "an attribute that the class lacks is refused by every call"),
            .shown("each unique attribute makes another item", "KeychainStoreTests.IdentityTests", "each unique attribute makes another item", rows: 0),
            .shown("no other does", "KeychainStoreTests.IdentityTests", "no other attribute makes another item", rows: 0),
            .shown("a default is found by its value", "DefaultAttributeTests", "a default is found by its value, and collides", rows: 0),
        ]),
    ]
}
