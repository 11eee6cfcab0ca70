// SPDX-License-Identifier: Apache-2.0

/// SecItemAdd, SecItemCopyMatching, the shapes of their results, and the match keys.
extension ConformanceSection {
    // swift-format-ignore
    static let adding: [Self] = [
        Self("7 SecItemAdd", rows: 17, [
            .shown("no group that can be written: `errSecMissingEntitlement`", "ErrorMatrixTests", "a program without a writable group may not write"),
            .matrix("a group that the program lacks, an empty one, one that is no string: `errSecMissingEntitlement`", "an empty group"),
            .shown("without return keys there is no result", "ResultShapeTests", "adding returns one object"),
            .shown("what is unique twice: `errSecDuplicateItem`", "AddTests", "the same identity twice is a duplicate and leaves the first as it was"),
            .shown("a duplicate of a locked class: `errSecInteractionNotAllowed`", "LockMatrixTests", "each call answers for each class as the state demands", row: "duplicate"),
            .differs("a damaged item in the way is replaced", .damagedIdentity),
            .shown("a tombstone in the way is revived, under the old reference", "KeychainEngineTests.SynchronizableTests", "adding over a tombstone revives it under its reference"),
            .shown("an item without a value", "DefaultAttributeTests", "an item of any class has no value, an empty one or one"),
            .shown("an empty value is not no value", "AddTests", "no value is not an empty value"),
            .shown("`kSecAttrSynchronizableAny` is not synchronizable", "ValueConversionTests", "a value comes back as the kind says"),
            .matrix("the Boolean `true` with an access control: `errSecParam`", "access and sync"),
            .shown("synchronizable with a class of this device alone is stored", "KeychainServicesTests.SynchronizableTests", "a class of this device alone does not keep an item from synchronizing"),
            .differs("match keys and lists of items", .matchKeyAtAdd),
            .shown("a persistent reference is ignored, a malformed one refused", "ObjectReferenceTests", "adding does not look at a persistent reference"),
            .shown("dates that are given are not taken", "AddTests", "the dates are those of the clock, whatever the caller says"),
            .matrix("`persistref` is `errSecParam`", "the persistref column"),
            .shown("the class identity without an object fails", "IdentityReferenceTests", "an identity by bytes is not supported"),
        ]),
        Self("7 Results of SecItemAdd", rows: 5, [
            .shown("data, empty where the item has none", "DefaultAttributeTests", "an item of any class has no value, an empty one or one"),
            .shown("attributes", "DefaultAttributeTests", "what is left out has the value of the table, at adding and in a search"),
            .shown("a persistent reference", "ResultShapeTests", "adding returns one object"),
            .shown("an object; nothing for a password", "ObjectShapeTests", "adding gives one object"),
            .shown("a dictionary of two or more", "ObjectShapeTests", "adding gives one object"),
        ]),
    ]

    // swift-format-ignore
    static let finding: [Self] = [
        Self("8 SecItemCopyMatching", rows: 11, [
            .shown("no groups at all: `errSecMissingEntitlement`", "AccessGroupTests", "a caller without groups gets nothing but the status"),
            .matrix("a group that the program lacks: `errSecMissingEntitlement`", "a foreign group"),
            .shown("items of foreign groups alone: `errSecItemNotFound`", "KeychainServicesTests.AccessGroupTests", "a foreign item is invisible and its group refused"),
            .shown("nothing found: `errSecItemNotFound`, never an empty array", "FindTests", "nothing found is a status and no empty list"),
            .shown("without return keys it tells whether there is something", "ResultShapeTests", "a search for one returns one object"),
            .shown("a result may be discarded", "IdiomTests", "a result is discarded"),
            .matrix("a list of items: `errSecParam`", "a list of items"),
            .shown("a persistent reference with attributes: `errSecParam`", "KeychainServicesTests.PersistentReferenceTests", "a reference finds its item alone"),
            .matrix("a value is ignored", "a secret"),
            .shown("an item that is locked fails the whole query", "LockMatrixTests", "a list fails whole where one of its items is locked"),
            .shown("an item that needs authentication", "PromptCountTests", "each call asks as often as it says", row: "existence", rows: 0),
            .differs("a damaged item is as good as absent", .damagedItem),
            .matrix("the limit: one by default, 0 finds nothing, -1 is all", "the limit -1", rows: 0),
            .shown("above one it makes an array even of one", "ResultShapeTests", "a search for more returns an array even of one", rows: 0),
            .differs("the limit comes before the filters", .limitAfterFilters, rows: 0),
            .shown("what synchronizes is not meant unless it is named", "KeychainServicesTests.SynchronizableTests", "a query that says nothing never sees what synchronizes", rows: 0),
        ]),
        Self("9 Results of SecItemCopyMatching", rows: 10, [
            .shown("nothing; an empty array of many", "ResultShapeTests", "a search for more returns an array even of one"),
            .shown("data; nothing where the item has none", "ResultShapeTests", "no value and an empty value are told apart by a search alone"),
            .shown("attributes", "DefaultAttributeTests", "what is left out has the value of the table, at adding and in a search"),
            .shown("objects; nothing for passwords", "ObjectShapeTests", "a search gives one object, or an array of them"),
            .shown("a persistent reference", "ObjectShapeTests", "a search gives one object, or an array of them"),
            .shown("attributes and data", "ResultShapeTests", "a search for one returns one object"),
            .shown("attributes and a persistent reference", "ResultShapeTests", "a search for one returns one object"),
            .shown("data and a persistent reference bring the attributes as well", "ResultShapeTests", "a search for one returns one object"),
            .shown("an object and anything", "ObjectShapeTests", "a search gives one object, or an array of them"),
            .shown("everything", "ObjectShapeTests", "a search gives one object, or an array of them"),
            .shown("attributes that came back are a query for that item", "DefaultAttributeTests", "what adding and a search return is a query for the item", rows: 0),
            .shown("an identity has its key's attributes under those of its certificate, and the key's bytes", "IdentityJoinTests", "the attributes of the certificate cover those of the key", rows: 0),
            .differs("the certificate's bytes stand under a private name", .certificateBytes, rows: 0),
            .shown("an object that cannot be built is left out", "KeyReferenceTests", "raw bytes derive nothing and make a key only if type and class are named", rows: 0),
        ]),
        Self("10 Match keys", rows: 10, [
            .matrix("limit: of a search; `errSecParam` in the others", "the limit one"),
            .shown("issuers: along the chain, for certificates and identities; unreadable names filter nothing", "CertificateReferenceTests", "a chain is walked from issuer to issuer"),
            .differs("policy", .trust),
            .shown("valid on date", "CertificateReferenceTests", "certificates are filtered by when they are valid"),
            .differs("trusted only", .trust),
            .shown("address: in either case of letters; a certificate without any does not match", "CertificateReferenceTests", "certificates are filtered by address, and one without any does not match"),
            .shown("host or subdomain: for internet passwords", "MatchKeyTests", "a host finds itself and its subdomains"),
            .shown("lists of items and of keychains are ignored", "MatchKeyTests", "each match key is for its classes"),
            .matrix("what asks for parts of the subject is ignored", "an ignored match key"),
            .matrix("unknown ones are ignored", "an unknown match key"),
            .shown("for another class `errSecUnimplemented`, or ignored", "IdentityMatchTests", "a match key is for its classes and ignored or refused for the others", rows: 0),
            .shown("of an identity they ask the certificate", "IdentityMatchTests", "match keys ask the certificate", rows: 0),
            .shown("values of another type: `errSecParam`", "MatchKeyTests", "each match key is for its classes", rows: 0),
            .shown("ten steps of a chain", "IssuerChainTests", "an issuer is found by walking from name to name, ten steps at most", rows: 0),
        ]),
    ]
}
