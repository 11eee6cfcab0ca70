// SPDX-License-Identifier: Apache-2.0

/// Conversion of values, attributes of each class, and defaults.
extension ConformanceSection {
    // swift-format-ignore
    static let values: [Self] = [
        Self("5 Conversion of values", rows: 7, [
            .shown("attributes of several types keep strings, data and numbers as they are", "ClassConversionTests", "a value is returned converted and finds its item"),
            .shown("data attributes: strings and numbers become data", "ConversionTests", "a supplied value is converted or rejected according to the attribute type"),
            .shown("number attributes: Booleans and digits become numbers, other strings stay strings", "ValueConversionTests", "a value is returned converted"),
            .shown("date attributes: dates only", "ClassConversionTests", "a value is returned converted and finds its item"),
            .shown("string attributes: UTF-8 data and UUIDs become strings", "ConversionTests", "a supplied value is converted or rejected according to the attribute type"),
            .shown("a SHA-1 digest has 20 bytes", "ConversionTests", "a supplied value is converted or rejected according to the attribute type"),
            .shown("a UUID has 16 bytes or is empty", "ConversionTests", "a supplied value is converted or rejected according to the attribute type"),
            .shown("a string and data of the same bytes match and are duplicates; a number and its digits are not", "ClassConversionTests", "values that are equal for queries are equal for uniqueness", rows: 0),
            .shown("strings are compared byte for byte: case, width and normalization matter", "KeychainStoreTests.IdentityTests", "strings that only look the same are different accounts", rows: 0),
            .shown("a number and a string of a number attribute are different values", "KeychainStoreTests.IdentityTests", "the number 443 and a string for the protocol are different", rows: 0),
            .shown("Booleans are returned as numbers", "ClassConversionTests", "a value is returned converted and finds its item", rows: 0),
            .shown("`NSNull` does not clear an attribute", "ValueConversionTests", "an update converts values like an addition", rows: 0),
        ]),
        Self("6.1 Attributes of every class", rows: 14, [
            .shown("access group: unique; default: the caller's first", "DefaultAttributeTests", "missing attributes have the documented defaults"),
            .shown("synchronizable: unique, a number; default: 0", "DefaultAttributeTests", "missing attributes have the documented defaults"),
            .shown("user: empty; returned by a search, not by an add", "DefaultAttributeTests", "missing attributes have the documented defaults"),
            .shown("view hint, token, sharing group: unique", "KeychainStoreTests.IdentityTests", "each attribute of the primary key makes an item different"),
            .shown("dates: those of the clock, whatever an add supplies", "AddTests", "dates come from the clock regardless of the caller"),
            .shown("label: returned if set", "ClassConversionTests", "a value is returned converted and finds its item"),
            .shown("alias: returned if set", "ClassConversionTests", "a value is returned converted and finds its item"),
            .shown("protection class: default when unlocked, for certificates always", "DefaultAttributeTests", "missing attributes have the documented defaults"),
            .shown("access control: returned by an add if supplied, by a search always", "AccessControlTests", "an access control without flags sets the item's protection class and is returned"),
            .differs("digest of the item", .changeDigest),
            .shown("tombstone flag: 0; returned by a search, not by an add", "DefaultAttributeTests", "missing attributes have the documented defaults"),
            .shown("UUID, persistent reference and row number are never returned as attributes", "DefaultAttributeTests", "missing attributes have the documented defaults"),
            .matrix("attributes that require a private entitlement are refused", "a private attribute"),
            .shown("the value is returned for `kSecReturnData` only", "ResultShapeTests", "a search for one item returns one object"),
            .shown("the class is returned for `kSecReturnRef` only", "ResultShapeTests", "a search for one item returns one object", rows: 0),
        ]),
        Self("6.2 Attributes of each class", rows: 5, [
            .shown("generic passwords: unique attributes and defaults", "AttributeTableTests", "the identity of a class consists of Apple's primary key"),
            .shown("internet passwords: unique attributes and defaults", "ResultShapeTests", "an internet password has its defaults"),
            .shown("certificates: unique attributes and defaults", "DefaultAttributeTests", "missing attributes have the documented defaults"),
            .shown("keys: unique attributes and defaults", "DefaultAttributeTests", "missing attributes have the documented defaults"),
            .shown("identities accept the attributes of keys and certificates", "ClassMatrixTests", "an attribute that the class does not have is errSecNoSuchAttr in every call"),
            .shown("a different unique attribute makes a different item", "KeychainStoreTests.IdentityTests", "each attribute of the primary key makes an item different", rows: 0),
            .shown("a different attribute that is not unique does not", "KeychainStoreTests.IdentityTests", "no other attribute makes an item different", rows: 0),
            .shown("a query for the default value finds an item that was added without the attribute", "DefaultAttributeTests", "an item is found by a default value, which also counts for uniqueness", rows: 0),
        ]),
    ]
}
