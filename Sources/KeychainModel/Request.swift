// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// What can be asked of a keychain, as one value.
package enum Request: Sendable {
    case add(NewItem)
    case copy(CopyRequest)
    case update(UpdateRequest)
    case delete(DeleteRequest)
    /// Changes the items that match or, if there are none, adds one.
    case set(SetRequest)
    case addIdentity(NewIdentity)
    case copyIdentities(CopyIdentitiesRequest)
    /// Changes items of several classes, all or none; each part must mean something.
    case updateEach([UpdateRequest])
    /// Deletes items of several classes, all or none; each part must mean something.
    case deleteEach([DeleteRequest])
    case deleteIdentities(DeleteIdentitiesRequest)
    /// What is in the store and how it is kept; needs no access group.
    case status

    /// Whether the request creates the store if it does not exist.
    package var createsStore: Bool {
        switch self {
        case .add, .set, .addIdentity: true
        default: false
        }
    }

    /// Whether it changes items.
    package var isChange: Bool {
        switch self {
        case .add, .update, .delete, .set, .addIdentity, .updateEach, .deleteEach, .deleteIdentities: true
        case .copy, .copyIdentities, .status: false
        }
    }

    /// The access controls that items get by it.
    package var newAccessControls: [AccessControl] {
        switch self {
        case .add(let item): [item.accessControl].compactMap { $0 }
        case .addIdentity(let identity):
            [identity.certificate.accessControl, identity.key.accessControl].compactMap { $0 }
        case .update(let update): [update.accessControl].compactMap { $0 }
        case .set(let set): [set.update.accessControl, set.item.accessControl].compactMap { $0 }
        case .updateEach(let updates): updates.compactMap(\.accessControl)
        case .copy, .copyIdentities, .delete, .deleteEach, .deleteIdentities, .status: []
        }
    }
}

/// What the result shall hold.
package struct ReturnKeys: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Takes the place of the standard library's, which is generic code at each literal.
    package init(arrayLiteral elements: Self...) { rawValue = elements.reduce(0) { $0 | $1.rawValue } }

    package static let data = Self(rawValue: 1 << 0)
    package static let attributes = Self(rawValue: 1 << 1)
    package static let reference = Self(rawValue: 1 << 2)
    package static let persistentReference = Self(rawValue: 1 << 3)

    /// Whether values are asked for.
    package var hasData: Bool { rawValue & Self.data.rawValue != 0 }

    /// Whether the value of an item is needed for the result: as data, or to build the item's object.
    package func needValue(of itemClass: ItemClass) -> Bool {
        hasData || rawValue & Self.reference.rawValue != 0 && itemClass.hasObject
    }

    /// Whether the result has attributes in it, asked for or as a side effect of the other keys.
    package var needsAttributes: Bool {
        let both = Self.data.rawValue | Self.persistentReference.rawValue
        return rawValue & (Self.attributes.rawValue | Self.reference.rawValue) != 0 || rawValue & both == both
    }
}

/// An item to be added; `accessible` and `synchronizable` are among its attributes.
package struct NewItem: Sendable {
    package var itemClass: ItemClass
    package var attributes: Attributes
    /// `nil` where the item has no value, which is not the same as an empty one.
    package var secret: Data?
    package var accessControl: AccessControl?
    package var returning: ReturnKeys

    package init(
        itemClass: ItemClass,
        attributes: Attributes,
        secret: Data?,
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

/// Which items are meant.
package struct ItemFilter: Hashable, Sendable {
    package enum Synchronizable: Hashable, Sendable {
        /// The query says nothing: items that do not synchronize, or, by persistent reference, any.
        case unspecified
        case exactly(Bool)
        case any
    }

    package var itemClass: ItemClass
    /// Equality tests, all of which must hold; `synchronizable` is never among them.
    package var attributes: Attributes
    package var synchronizable: Synchronizable
    package var reference: PersistentReference?
    /// The server's name must be this one or a subdomain of it.
    package var hostOrSubdomain: String?
    /// Finds tombstones instead of items.
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

/// How many matches a query wants.
package enum MatchLimit: Hashable, Sendable {
    case one
    /// An array of at most so many; 0 finds nothing.
    case atMost(Int)
    case all

    /// The number of items that satisfies the query.
    package var count: Int {
        switch self {
        case .one: 1
        case .atMost(let count): count
        case .all: .max
        }
    }
}

/// A search; equal requests have equal results as long as nothing changes.
package struct CopyRequest: Hashable, Sendable {
    package var filter: ItemFilter
    package var limit: MatchLimit
    package var returning: ReturnKeys
    /// Whether items whose constraints are not satisfied are left out.
    package var skipsConstrained = false

    package init(filter: ItemFilter, limit: MatchLimit = .one, returning: ReturnKeys = []) {
        self.filter = filter
        self.limit = limit
        self.returning = returning
    }
}

package struct UpdateRequest: Sendable {
    package var filter: ItemFilter
    /// The new values; `accessible` and `synchronizable` may be among them.
    package var attributes: Attributes
    /// The new value of the item; `nil` leaves it.
    package var secret: Data?
    package var accessControl: AccessControl?

    package init(
        filter: ItemFilter,
        attributes: Attributes = Attributes(),
        secret: Data? = nil,
        accessControl: AccessControl? = nil
    ) {
        self.filter = filter
        self.attributes = attributes
        self.secret = secret
        self.accessControl = accessControl
    }
}

/// An update and, where it finds nothing, an addition, in one transaction.
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
    /// A synchronizable item leaves a tombstone unless this is false.
    package var leavesTombstones: Bool
    /// Which of the matching items are deleted.
    package var limit = MatchLimit.all

    package init(filter: ItemFilter, leavesTombstones: Bool = true) {
        self.filter = filter
        self.leavesTombstones = leavesTombstones
    }
}
