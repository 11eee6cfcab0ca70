// SPDX-License-Identifier: Apache-2.0

/// Properties of an attribute of an item class.
package struct AttributeTraits: OptionSet, Sendable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) { self.rawValue = rawValue }

    /// Replaces the standard library's initializer, which would run generic code at each literal.
    package init(arrayLiteral elements: Self...) { rawValue = elements.reduce(0) { $0 | $1.rawValue } }

    /// The attribute is part of the primary key, in which two items of a class always differ.
    package static let unique = Self(rawValue: 1 << 0)
    /// The item's row contains a digest of the value, so that queries also find locked items.
    ///
    /// A default value gets no digest.
    package static let searchable = Self(rawValue: 1 << 1)
    /// The value is authenticated, but stored unencrypted, in the column `flags` of the row.
    package static let clear = Self(rawValue: 1 << 2)
    /// The value is derived from the item when it is read; a value that the caller adds or updates is ignored.
    package static let computed = Self(rawValue: 1 << 3)
    /// The attribute requires an entitlement that only Apple's programs have.
    package static let restricted = Self(rawValue: 1 << 4)
    /// A dictionary with the attribute is rejected.
    package static let refused = Self(rawValue: 1 << 5)
    /// The attribute is not among the attributes that `SecItemAdd` returns.
    package static let hiddenAtAdd = Self(rawValue: 1 << 6)
}

/// The properties of one attribute: a row of the attribute table.
///
/// This is a class, so that passing a rule costs only one retain.
package final class AttributeRule: Sendable {
    /// The name of the API constant.
    package let symbol: String
    package let attribute: Attribute
    package let kind: AttributeKind
    package let classes: ItemClassSet
    package let traits: AttributeTraits
    /// The value that `SecItemAdd` stores by default.
    package let initial: AttributeValue?

    fileprivate init(
        _ symbol: String,
        _ attribute: Attribute,
        _ kind: AttributeKind,
        _ classes: ItemClassSet,
        _ traits: AttributeTraits,
        _ initial: AttributeValue?
    ) {
        self.symbol = symbol
        self.attribute = attribute
        self.kind = kind
        self.classes = classes
        self.traits = traits
        self.initial = initial
    }
}

extension AttributeRule {
    /// The rules of every attribute of every class.
    ///
    /// To add an attribute, add a row. Source: Apple's published Security sources.
    // swift-format-ignore
    package static let table: [AttributeRule] = [
    //   symbol                                  attribute                  kind            classes        traits                                  default
        row("kSecAttrAccessGroup",               .accessGroup,              .string,        .every,        [.unique]),
        row("kSecAttrSynchronizable",            .synchronizable,           .number,        .every,        [.unique, .clear],                      .number(0)),
        row("kSecAttrMultiUser",                 .multiUser,                .uuid,          .every,        [.computed, .hiddenAtAdd]),
        row("kSecAttrSyncViewHint",              .syncViewHint,             .string,        .every,        [.unique]),
        row("kSecAttrTokenID",                   .tokenID,                  .string,        .every,        [.unique]),
        row("kSecAttrSharingGroup",              .sharingGroup,             .string,        .every,        [.unique, .restricted]),
        row("kSecAttrCreationDate",              .creationDate,             .date,          .every,        []),
        row("kSecAttrModificationDate",          .modificationDate,         .date,          .every,        []),
        row("kSecAttrLabel",                     .label,                    .blob,          .every,        [.searchable]),
        row("kSecAttrAlias",                     .alias,                    .blob,          .every,        []),
        row("kSecAttrAccessible",                .accessible,               .string,        .every,        [.clear]),
        row("kSecAttrAccessControl",             .accessControl,            .accessControl, .every,        [.computed]),
        row("kSecAttrSHA1",                      .sha1,                     .sha1,          .every,        [.computed]),
        row("kSecAttrTombstone",                 .tombstone,                .number,        .every,        [.clear, .computed, .hiddenAtAdd]),
        row("kSecAttrUUID",                      .uuid,                     .string,        .every,        [.computed]),
        row("kSecAttrSysBound",                  .sysBound,                 .number,        .every,        [.restricted]),
        row("kSecAttrPCSPlaintextServiceIdentifier", .pcsServiceIdentifier, .number,        .every,        [.restricted]),
        row("kSecAttrPCSPlaintextPublicKey",     .pcsPublicKey,             .blob,          .every,        [.restricted]),
        row("kSecAttrPCSPlaintextPublicIdentity", .pcsPublicIdentity,       .blob,          .every,        [.restricted]),
        row("kSecAttrAccount",                   .account,                  .blob,          .passwords,    [.unique, .searchable],                 .string("")),
        row("kSecAttrService",                   .service,                  .blob,          .generic,      [.unique, .searchable],                 .string("")),
        row("kSecAttrGeneric",                   .generic,                  .blob,          .generic,      [.searchable]),
        row("kSecAttrDescription",               .description,              .blob,          .passwords,    []),
        row("kSecAttrComment",                   .comment,                  .blob,          .passwords,    []),
        row("kSecAttrCreator",                   .creator,                  .number,        .passwords,    []),
        row("kSecAttrType",                      .type,                     .number,        .passwords,    []),
        row("kSecAttrScriptCode",                .scriptCode,               .number,        .passwords,    []),
        row("kSecAttrIsInvisible",               .isInvisible,              .number,        .passwords,    []),
        row("kSecAttrIsNegative",                .isNegative,               .number,        .passwords,    []),
        row("kSecAttrHasCustomIcon",             .hasCustomIcon,            .number,        .passwords,    []),
        row("kSecAttrDataProtected",             .dataProtected,            .blob,          .passwords,    []),
        row("kSecAttrSecurityDomain",            .securityDomain,           .blob,          .internet,     [.unique],                              .string("")),
        row("kSecAttrServer",                    .server,                   .blob,          .internet,     [.unique, .searchable],                 .string("")),
        row("kSecAttrProtocol",                  .protocol,                 .number,        .internet,     [.unique],                              .number(0)),
        row("kSecAttrAuthenticationType",        .authenticationType,       .blob,          .internet,     [.unique],                              .string("")),
        row("kSecAttrPort",                      .port,                     .number,        .internet,     [.unique],                              .number(0)),
        row("kSecAttrPath",                      .path,                     .blob,          .internet,     [.unique],                              .string("")),
        row("kSecDataInetExtraNotes",            .inetExtraNotes,           .data,          .internet,     [.restricted]),
        row("kSecDataInetExtraHistory",          .inetExtraHistory,         .data,          .internet,     [.restricted]),
        row("kSecDataInetExtraClientDefined0",   .inetExtraClientDefined0,  .data,          .internet,     [.restricted]),
        row("kSecDataInetExtraClientDefined1",   .inetExtraClientDefined1,  .data,          .internet,     [.restricted]),
        row("kSecDataInetExtraClientDefined2",   .inetExtraClientDefined2,  .data,          .internet,     [.restricted]),
        row("kSecDataInetExtraClientDefined3",   .inetExtraClientDefined3,  .data,          .internet,     [.restricted]),
        row("kSecAttrCertificateType",           .certificateType,          .number,        .certificates, [.unique],                              .number(0)),
        row("kSecAttrIssuer",                    .issuer,                   .data,          .certificates, [.unique, .searchable],                 .data([])),
        row("kSecAttrSerialNumber",              .serialNumber,             .data,          .certificates, [.unique, .searchable],                 .data([])),
        row("kSecAttrCertificateEncoding",       .certificateEncoding,      .number,        .certificates, []),
        row("kSecAttrSubject",                   .subject,                  .data,          .certificates, [.searchable]),
        row("kSecAttrSubjectKeyID",              .subjectKeyID,             .data,          .certificates, [.searchable]),
        row("kSecAttrPublicKeyHash",             .publicKeyHash,            .data,          .certificates, [.searchable]),
        row("kSecAttrKeyClass",                  .keyClass,                 .number,        .keys,         [.unique, .searchable],                 .number(0)),
        row("kSecAttrApplicationLabel",          .applicationLabel,         .data,          .keys,         [.unique, .searchable],                 .data([])),
        row("kSecAttrApplicationTag",            .applicationTag,           .blob,          .keys,         [.unique, .searchable],                 .string("")),
        row("kSecAttrKeyCreator",                .creator,                  .number,        .keys,         [.unique],                              .number(0)),
        row("kSecAttrKeyType",                   .type,                     .number,        .keys,         [.unique, .searchable],                 .number(0)),
        row("kSecAttrKeySizeInBits",             .keySizeInBits,            .number,        .keys,         [.unique, .searchable],                 .number(0)),
        row("kSecAttrEffectiveKeySize",          .effectiveKeySize,         .number,        .keys,         [.unique, .searchable],                 .number(0)),
        row("kSecAttrStartDate",                 .startDate,                .date,          .keys,         [.unique],                              .date(0)),
        row("kSecAttrEndDate",                   .endDate,                  .date,          .keys,         [.unique],                              .date(0)),
        // Apple's platforms have this attribute for keys only. For a password it is the date when the password
        // expires; 0 means never, as for keys.
        row("kSecAttrEndDate",                   .endDate,                  .date,          .passwords,    []),
        row("kSecAttrIsPermanent",               .isPermanent,              .number,        .keys,         []),
        row("kSecAttrIsPrivate",                 .isPrivate,                .number,        .keys,         []),
        row("kSecAttrIsModifiable",              .isModifiable,             .number,        .keys,         []),
        row("kSecAttrIsSensitive",               .isSensitive,              .number,        .keys,         []),
        row("kSecAttrWasAlwaysSensitive",        .wasAlwaysSensitive,       .number,        .keys,         []),
        row("kSecAttrIsExtractable",             .isExtractable,            .number,        .keys,         []),
        row("kSecAttrWasNeverExtractable",       .wasNeverExtractable,      .number,        .keys,         []),
        row("kSecAttrCanEncrypt",                .canEncrypt,               .number,        .keys,         []),
        row("kSecAttrCanDecrypt",                .canDecrypt,               .number,        .keys,         []),
        row("kSecAttrCanDerive",                 .canDerive,                .number,        .keys,         []),
        row("kSecAttrCanSign",                   .canSign,                  .number,        .keys,         []),
        row("kSecAttrCanVerify",                 .canVerify,                .number,        .keys,         []),
        row("kSecAttrCanSignRecover",            .canSignRecover,           .number,        .keys,         []),
        row("kSecAttrCanVerifyRecover",          .canVerifyRecover,         .number,        .keys,         []),
        row("kSecAttrCanWrap",                   .canWrap,                  .number,        .keys,         []),
        row("kSecAttrCanUnwrap",                 .canUnwrap,                .number,        .keys,         []),
        row("kSecAttrTokenOID",                  .tokenOID,                 .data,          .keys,         [.restricted]),
        row("kSecAttrDeriveSyncIDFromItemAttributes", .deriveSyncID,        .number,        .every,        [.restricted]),
        row("kSecAttrAppClip",                   .appClip,                  .number,        .every,        [.refused]),
    ]

    private static func row(
        _ symbol: String,
        _ attribute: Attribute,
        _ kind: AttributeKind,
        _ classes: ItemClassSet,
        _ traits: AttributeTraits,
        _ initial: AttributeValue? = nil
    ) -> AttributeRule {
        AttributeRule(symbol, attribute, kind, classes, traits, initial)
    }
}

/// An attribute of the primary key.
package struct IdentityRule: Sendable {
    package let attribute: Attribute
    package let isBlob: Bool
    package let initial: AttributeValue?
}

/// The attribute rules of one class, arranged for lookup.
package final class ItemSchema: Sendable {
    package let itemClass: ItemClass
    /// The rules of the class, sorted by raw value of the attribute.
    package let rules: [AttributeRule]
    /// The rules of the primary key.
    package let unique: [AttributeRule]
    /// The rules of the primary key, except access group and synchronizable flag, which are handled separately.
    package let identifying: [AttributeRule]
    /// The rules in `identifying`, reduced to the properties from which a primary key's digest is computed.
    ///
    /// These are structures, because reading an object's properties in a loop retains it.
    package let identityRules: [IdentityRule]
    /// The attributes that every item has and a query must contain to specify a primary key.
    package let required: [AttributeRule]
    /// The attributes in `unique` and in `required`, as bit sets like `Attributes.bits`.
    package let uniqueBits: UInt128
    package let requiredBits: UInt128
    /// For each attribute by raw value, the index of its rule in `rules` plus one; 0 if it has no rule.
    private let positions: [UInt8]

    private init(_ itemClass: ItemClass) {
        self.itemClass = itemClass
        var rules: [AttributeRule] = []
        rules.reserveCapacity(AttributeRule.table.count)
        for rule in AttributeRule.table where rule.classes.contains(itemClass) { rules.append(rule) }
        rules.sort { $0.attribute.rawValue < $1.attribute.rawValue }
        self.rules = rules
        unique = rules.filter { $0.traits.contains(.unique) }
        identifying = unique.filter { $0.attribute != .accessGroup && $0.attribute != .synchronizable }
        identityRules = identifying.map {
            IdentityRule(attribute: $0.attribute, isBlob: $0.kind == .blob, initial: $0.initial)
        }
        required = identifying.filter { $0.initial != nil }
        uniqueBits = unique.reduce(0) { $0 | $1.attribute.bit }
        requiredBits = required.reduce(0) { $0 | $1.attribute.bit }
        var positions = [UInt8](repeating: 0, count: 1 + Attribute.allCases.count)
        for index in rules.indices { positions[Int(rules[index].attribute.rawValue)] = UInt8(index + 1) }
        self.positions = positions
    }

    // Create the schemas individually, because a short-lived program needs only one of them.
    private static let genericPassword = ItemSchema(.genericPassword)
    private static let internetPassword = ItemSchema(.internetPassword)
    private static let certificate = ItemSchema(.certificate)
    private static let key = ItemSchema(.key)
    private static let identity = ItemSchema(.identity)

    /// Returns the schema of a class; an identity has the attributes of its certificate and its key.
    package static func of(_ itemClass: ItemClass) -> ItemSchema {
        switch itemClass {
        case .genericPassword: genericPassword
        case .internetPassword: internetPassword
        case .certificate: certificate
        case .key: key
        case .identity: identity
        }
    }

    /// Whether attributes contain a part of the primary key that most items and queries lack: a sync view hint,
    /// a token or a sharing group.
    package func hasOptionalKey(_ attributes: Attributes) -> Bool {
        let optional = uniqueBits & ~requiredBits & ~Attribute.accessGroup.bit & ~Attribute.synchronizable.bit
        return attributes.bits & optional != 0
    }

    /// The rule of an attribute; `nil` if the class does not have it.
    package subscript(attribute: Attribute) -> AttributeRule? {
        let position = positions[Int(attribute.rawValue)]
        return position == 0 ? nil : rules[Int(position) - 1]
    }
}

extension Attribute {
    var bit: UInt128 { 1 << UInt128(rawValue) }

    /// Whether a searchable attribute usually has many distinct values; only such attributes are indexed.
    package var hasManyValues: Bool {
        switch self {
        case .type, .keyClass, .keySizeInBits, .effectiveKeySize: false
        default: true
        }
    }
}
