// SPDX-License-Identifier: Apache-2.0

extension ConformanceSection {
    // swift-format-ignore
    static let values: [Self] = [
        Self("5 Conversion of values", rows: 7, [
            .shown("an attribute that accepts several types stores strings, data and numbers as they are", "ClassConversionTests", "a value is returned converted, and the original value finds the item"),
            .shown("data attributes: strings and numbers become data", "ConversionTests", "a supplied value is converted or rejected according to the attribute type"),
            .shown("number attributes: Booleans and strings of digits become numbers, other strings stay strings", "ValueConversionTests", "a supplied value is returned in converted form"),
            .shown("date attributes: only dates are accepted", "ClassConversionTests", "a value is returned converted, and the original value finds the item"),
            .shown("string attributes: UTF-8 data and UUIDs become strings", "ConversionTests", "a supplied value is converted or rejected according to the attribute type"),
            .shown("a SHA-1 digest must have 20 bytes", "ConversionTests", "a supplied value is converted or rejected according to the attribute type"),
            .shown("a UUID must have 16 bytes or be empty", "ConversionTests", "a supplied value is converted or rejected according to the attribute type"),
            .shown("a string matches data with the same bytes and is a duplicate of it; in an attribute that accepts several types, a number and the string of its digits are different values", "ClassConversionTests", "two values are equal in queries if they are equal in primary keys", rows: 0),
            .shown("strings are compared byte for byte: case, width and normalization matter", "KeychainStoreTests.IdentityTests", "strings that only look the same are different accounts", rows: 0),
            .shown("a number attribute can hold a number, or a string that cannot be converted to one: 443 and `htps` are different values", "KeychainStoreTests.IdentityTests", "the number 443 and a string for the protocol are different", rows: 0),
            .shown("Booleans are returned as numbers", "ClassConversionTests", "a value is returned converted, and the original value finds the item", rows: 0),
            .shown("`NSNull` does not clear an attribute", "ValueConversionTests", "an update converts values like an addition", rows: 0),
        ]),
        Self("6.1 Attributes of every class", rows: 14, [
            .shown("access group: part of the primary key; default: the caller's first group", "DefaultAttributeTests", "missing attributes have the documented defaults"),
            .shown("synchronizable: part of the primary key; a number; default: 0", "DefaultAttributeTests", "missing attributes have the documented defaults"),
            .shown("user (`musr`): always empty; returned by a search, not by an add", "DefaultAttributeTests", "missing attributes have the documented defaults"),
            .shown("view hint, token, sharing group: part of the primary key", "KeychainStoreTests.IdentityTests", "each attribute of the primary key makes an item different"),
            .shown("creation and modification date: taken from the clock; dates supplied to an add are ignored", "AddTests", "dates come from the clock regardless of the caller"),
            .shown("label: returned if it was set", "ClassConversionTests", "a value is returned converted, and the original value finds the item"),
            .shown("alias: returned if it was set", "ClassConversionTests", "a value is returned converted, and the original value finds the item"),
            .shown("protection class: the default is `WhenUnlocked`, for certificates `Always`", "DefaultAttributeTests", "missing attributes have the documented defaults"),
            .shown("access control: an add returns it if it was supplied; a search always returns it", "AccessControlTests", "an access control without flags sets the item's protection class and is returned"),
            .differs("`kSecAttrSHA1`: a digest of attributes and value, equal for equal items", .changeDigest),
            .shown("tombstone flag (`tomb`): 0; returned by a search, not by an add", "DefaultAttributeTests", "missing attributes have the documented defaults"),
            .shown("UUID, persistent reference and database row number are never returned as attributes", "DefaultAttributeTests", "missing attributes have the documented defaults"),
            .matrix("attributes that require an Apple-private entitlement: `errSecMissingEntitlement`", "a private attribute"),
            .shown("the value is returned only with `kSecReturnData`", "ResultShapeTests", "a search for one item returns one object"),
            .shown("the class is returned only with `kSecReturnRef`", "ResultShapeTests", "a search for one item returns one object", rows: 0),
        ]),
        Self("6.2 Attributes of each class", rows: 5, [
            .shown("generic passwords have Apple's primary key and defaults", "AttributeTableTests", "the identity of a class consists of Apple's primary key"),
            .shown("internet passwords have Apple's primary key and defaults", "ResultShapeTests", "an internet password has the default attributes"),
            .shown("certificates have Apple's primary key and defaults", "DefaultAttributeTests", "missing attributes have the documented defaults"),
            .shown("cryptographic keys have Apple's primary key and defaults", "DefaultAttributeTests", "missing attributes have the documented defaults"),
            .shown("identities accept the attributes of keys and certificates", "ClassMatrixTests", "every call with an attribute that the class lacks returns errSecNoSuchAttr"),
            .shown("items that differ in one attribute of the primary key are different items", "KeychainStoreTests.IdentityTests", "each attribute of the primary key makes an item different", rows: 0),
            .shown("items that differ only in other attributes are duplicates", "KeychainStoreTests.IdentityTests", "no other attribute makes an item different", rows: 0),
            .shown("a query for the default value finds an item that was added without the attribute", "DefaultAttributeTests", "a default value finds the item and is part of the primary key", rows: 0),
        ]),
    ]
}
