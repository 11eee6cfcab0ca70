// SPDX-License-Identifier: Apache-2.0

/// A keychain operation and its parameters.
///
/// Large parameters are indirect, so that copying a search, the most frequent request, copies few bytes.
package enum Request: Sendable {
    case add(NewItem)
    case copy(CopyRequest)
    indirect case update(UpdateRequest)
    case delete(DeleteRequest)
    /// Updates the matching items, or adds one if none match.
    indirect case set(SetRequest)
    indirect case addIdentity(NewIdentity)
    indirect case copyIdentities(CopyIdentitiesRequest)
    /// Updates items of several classes in one transaction. Each of the requests must match an item.
    case updateEach([UpdateRequest])
    /// Deletes items of several classes in one transaction. Each of the requests must match an item.
    case deleteEach([DeleteRequest])
    indirect case deleteIdentities(DeleteIdentitiesRequest)
    /// Makes a private key that the daemon keeps, and an item for it.
    indirect case makeTokenKey(NewItem)
    indirect case useTokenKey(UseTokenKeyRequest)
    /// Returns the store's status; needs no access group.
    case status

    /// Whether the request creates the store if it does not exist; for `makeTokenKey`, the daemon decides this
    /// itself.
    package var createsStore: Bool {
        switch self {
        case .add, .set, .addIdentity: true
        default: false
        }
    }

    package var isChange: Bool {
        switch self {
        case .add, .update, .delete, .set, .addIdentity, .updateEach, .deleteEach, .deleteIdentities,
            .makeTokenKey:
            true
        case .copy, .copyIdentities, .useTokenKey, .status: false
        }
    }

    /// The access controls that the request assigns to new or updated items.
    package var newAccessControls: [AccessControl] {
        switch self {
        case .add(let item), .makeTokenKey(let item): [item.accessControl].compactMap { $0 }
        case .addIdentity(let identity):
            [identity.certificate.accessControl, identity.key.accessControl].compactMap { $0 }
        case .update(let update): [update.accessControl].compactMap { $0 }
        case .set(let set): [set.update.accessControl, set.item.accessControl].compactMap { $0 }
        case .updateEach(let updates): updates.compactMap(\.accessControl)
        case .copy, .copyIdentities, .delete, .deleteEach, .deleteIdentities, .useTokenKey, .status: []
        }
    }
}

/// The parts of an item that the result contains: data, attributes, references.
package struct ReturnKeys: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Replaces the standard library's initializer, which runs generic code at each literal.
    package init(arrayLiteral elements: Self...) { rawValue = elements.reduce(0) { $0 | $1.rawValue } }

    package static let data = Self(rawValue: 1 << 0)
    package static let attributes = Self(rawValue: 1 << 1)
    package static let reference = Self(rawValue: 1 << 2)
    package static let persistentReference = Self(rawValue: 1 << 3)

    package var hasData: Bool { rawValue & Self.data.rawValue != 0 }

    /// Whether the item's value is needed, as data or to create the item's object.
    package func needValue(of itemClass: ItemClass) -> Bool {
        hasData || rawValue & Self.reference.rawValue != 0 && itemClass.hasObject
    }

    /// Whether the result contains attributes, requested or implied by other keys.
    package var needsAttributes: Bool {
        let both = Self.data.rawValue | Self.persistentReference.rawValue
        return rawValue & (Self.attributes.rawValue | Self.reference.rawValue) != 0 || rawValue & both == both
    }
}

/// An item to add; its attributes may include `accessible` and `synchronizable`.
package struct NewItem: Sendable {
    package var itemClass: ItemClass
    package var attributes: Attributes
    /// The value; `nil` if the item has none, which differs from an empty value.
    package var secret: SecretBuffer?
    package var accessControl: AccessControl?
    package var returning: ReturnKeys
    /// Whether to keep the dates in the attributes instead of using the current time.
    ///
    /// Only the migration of an embedded store to the daemon sets this.
    package var keepsDates = false

    package init(
        itemClass: ItemClass,
        attributes: Attributes,
        secret: SecretBuffer?,
        accessControl: AccessControl? = nil,
        returning: ReturnKeys = []
    ) {
        self.itemClass = itemClass
        self.attributes = attributes
        self.secret = secret
        self.accessControl = accessControl
        self.returning = returning
    }
}

/// Matches items of one class.
package struct ItemFilter: Hashable, Sendable {
    package enum Synchronizable: Hashable, Sendable {
        /// The query does not specify synchronization.
        ///
        /// Matches items that do not synchronize. With a persistent reference, it matches the referenced item whether
        /// that item synchronizes or not.
        case unspecified
        case exactly(Bool)
        case any
    }

    package var itemClass: ItemClass
    /// The attributes whose values must be equal; `synchronizable` is never among them.
    package var attributes: Attributes
    package var synchronizable: Synchronizable
    package var reference: PersistentReference?
    /// A host: the item's server must be this host or a subdomain of it.
    package var hostOrSubdomain: String?
    /// Whether to match tombstones instead of items.
    package var tombstones: Bool

    package init(
        itemClass: ItemClass,
        attributes: Attributes = Attributes(),
        synchronizable: Synchronizable = .unspecified,
        reference: PersistentReference? = nil,
        hostOrSubdomain: String? = nil,
        tombstones: Bool = false
    ) {
        self.itemClass = itemClass
        self.attributes = attributes
        self.synchronizable = synchronizable
        self.reference = reference
        self.hostOrSubdomain = hostOrSubdomain
        self.tombstones = tombstones
    }
}

/// The maximum number of matches to return.
package enum MatchLimit: Hashable, Sendable {
    case one
    /// One item; two if several items match, so that the caller can report the ambiguity.
    case unambiguous
    /// An array of at most this many items; 0 matches nothing.
    case atMost(Int)
    case all

    package var isSingle: Bool {
        switch self {
        case .one, .unambiguous: true
        case .atMost, .all: false
        }
    }

    /// The number of matches after which the search ends.
    package var count: Int {
        switch self {
        case .one: 1
        case .unambiguous: 2
        case .atMost(let count): count
        case .all: .max
        }
    }
}

/// A search for items, which the search cache of a store compares with earlier searches.
package struct CopyRequest: Hashable, Sendable {
    package var filter: ItemFilter
    package var limit: MatchLimit
    package var returning: ReturnKeys
    /// Whether to skip items whose access control is not satisfied.
    package var skipsConstrained = false

    package init(filter: ItemFilter, limit: MatchLimit = .one, returning: ReturnKeys = []) {
        self.filter = filter
        self.limit = limit
        self.returning = returning
    }

    /// Compares two searches; the operator that the compiler synthesizes would copy them.
    package static func == (left: Self, right: Self) -> Bool {
        left.returning.rawValue == right.returning.rawValue && left.limit == right.limit
            && left.skipsConstrained == right.skipsConstrained
            && left.filter.itemClass == right.filter.itemClass
            && left.filter.synchronizable == right.filter.synchronizable
            && left.filter.tombstones == right.filter.tombstones
            && left.filter.reference == right.filter.reference
            && left.filter.hostOrSubdomain == right.filter.hostOrSubdomain
            && left.filter.attributes == right.filter.attributes
    }
}

package struct UpdateRequest: Sendable {
    package var filter: ItemFilter
    /// The new values, which may include `accessible` and `synchronizable`.
    package var attributes: Attributes
    /// The new item value; `nil` keeps the current one.
    package var secret: SecretBuffer?
    package var accessControl: AccessControl?

    package init(
        filter: ItemFilter,
        attributes: Attributes = Attributes(),
        secret: SecretBuffer? = nil,
        accessControl: AccessControl? = nil
    ) {
        self.filter = filter
        self.attributes = attributes
        self.secret = secret
        self.accessControl = accessControl
    }
}

/// Updates the matching items, or adds one if none match, in one transaction.
package struct SetRequest: Sendable {
    package var update: UpdateRequest
    package var item: NewItem

    package init(update: UpdateRequest, item: NewItem) {
        self.update = update
        self.item = item
    }
}

package struct DeleteRequest: Sendable {
    package var filter: ItemFilter
    /// Whether deleting a synchronizable item leaves a tombstone.
    package var leavesTombstones: Bool
    /// How many of the matching items to delete.
    package var limit = MatchLimit.all

    package init(filter: ItemFilter, leavesTombstones: Bool = true) {
        self.filter = filter
        self.leavesTombstones = leavesTombstones
    }
}

/// An operation with a private key that the daemon keeps.
package struct UseTokenKeyRequest: Sendable {
    package enum Operation: UInt8, CaseIterable, Sendable {
        /// Signs a digest with ECDSA; the result is the numbers `r` and `s` of the signature, 32 bytes each.
        case sign = 1
        /// Multiplies another party's public point by the key (ECDH); the result is the x coordinate.
        case agree = 2
    }

    /// The persistent reference of the key's item.
    package var key: PersistentReference
    package var operation: Operation
    /// The digest to sign, or the uncompressed point to multiply.
    package var input: [UInt8]

    /// The maximum size of an input in bytes: an uncompressed P-256 point, which is longer than any digest.
    package static let largestInput = 65

    package init(key: PersistentReference, operation: Operation, input: [UInt8]) {
        self.key = key
        self.operation = operation
        self.input = input
    }
}
