// SPDX-License-Identifier: Apache-2.0

/// Matches identities: pairs of a certificate and its private key.
package struct IdentityFilter: Sendable {
    package var certificate: ItemFilter
    /// Matches the private key; this filter also has the conditions on access group and synchronization.
    package var key: ItemFilter

    package init(certificate: ItemFilter, key: ItemFilter) {
        self.certificate = certificate
        self.key = key
    }

    /// Divides a filter for identities into filters for certificate and key.
    ///
    /// A condition on synchronization applies to the key. A persistent reference selects the certificate, and
    /// the key may then be synchronizable or not.
    package init(dividing filter: ItemFilter) {
        certificate = ItemFilter(itemClass: .certificate, synchronizable: .any)
        key = ItemFilter(itemClass: .key, synchronizable: filter.synchronizable)
        for entry in filter.attributes.entries {
            if entry.attribute.isOfCertificate {
                certificate.attributes[entry.attribute] = entry.value
            } else {
                key.attributes[entry.attribute] = entry.value
            }
        }
        if let reference = filter.reference {
            certificate.reference = PersistentReference(itemClass: .certificate, item: reference.item)
            key.synchronizable = .any
        }
    }
}

extension Attribute {
    /// Whether an identity takes the attribute from its certificate instead of its key.
    fileprivate var isOfCertificate: Bool {
        self == .label || self == .tokenID || ItemSchema.of(.key)[self] == nil
    }
}

/// A certificate and its private key, added together.
package struct NewIdentity: Sendable {
    package var certificate: NewItem
    package var key: NewItem
    /// What to return; only persistent references are supported.
    package var returning: ReturnKeys

    package init(certificate: NewItem, key: NewItem, returning: ReturnKeys) {
        self.certificate = certificate
        self.key = key
        self.returning = returning
    }
}

package struct CopyIdentitiesRequest: Sendable {
    package var filter: IdentityFilter
    package var limit: MatchLimit
    package var returning: ReturnKeys
    /// Whether to skip items whose access control is not satisfied.
    package var skipsConstrained = false

    package init(filter: IdentityFilter, limit: MatchLimit = .one, returning: ReturnKeys = []) {
        self.filter = filter
        self.limit = limit
        self.returning = returning
    }
}

package struct DeleteIdentitiesRequest: Sendable {
    package var filter: IdentityFilter
    /// Whether deleting synchronizable items leaves tombstones.
    package var leavesTombstones: Bool

    package init(filter: IdentityFilter, leavesTombstones: Bool = true) {
        self.filter = filter
        self.leavesTombstones = leavesTombstones
    }
}
