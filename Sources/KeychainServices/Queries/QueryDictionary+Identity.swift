// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel

/// What dictionaries of the class identity mean: a certificate and a key, each with its share of the attributes.
///
/// Source: Apple's published Security sources. *Differs*: attributes that only certificates have filter certificates,
/// where iOS reports that the store failed.
extension QueryDictionary {
    /// Both halves of an identity with the caller's attributes, which must be at home in both classes.
    func newIdentity(_ identity: SecIdentity) throws(StatusError) -> NewIdentity {
        NewIdentity(
            certificate: try newItem(of: .certificate, object: identity.certificate, returning: []),
            key: try newItem(of: .key, object: identity.privateKey, returning: []),
            returning: returning.intersection(.persistentReference)
        )
    }

    /// The pairs that a dictionary means: by attributes, by an identity or by its persistent reference.
    func identityFilter() throws(StatusError) -> IdentityFilter {
        var halves = IdentityFilter(dividing: try filter(of: .identity))
        if let identity {
            halves.certificate.attributes.fill(from: identity.certificate.identifyingAttributes(for: role))
            halves.key.attributes.fill(from: identity.privateKey.identifyingAttributes(for: role))
        }
        return halves
    }

    /// A change of certificates and keys alike.
    func identityUpdates(_ newValues: Self) throws(StatusError) -> [UpdateRequest] {
        guard reference == nil else {
            // A reference to an identity cannot be updated: it has no row of its own.
            throw isClassImplied
                ? StatusError(.internalInconsistency) : StatusError(.noSuchClass, .classMismatch)
        }
        return [
            try update(of: .certificate, object: identity?.certificate, newValues),
            try update(of: .key, object: identity?.privateKey, newValues),
        ]
    }

    /// By attributes every certificate and every key that has them, by identity or reference the pair.
    func identityDeletion() throws(StatusError) -> Request {
        guard identity == nil, reference == nil else {
            let filter = try identityFilter()
            return .deleteIdentities(
                DeleteIdentitiesRequest(filter: filter, leavesTombstones: leavesTombstones)
            )
        }
        return .deleteEach([
            DeleteRequest(filter: try filter(of: .certificate), leavesTombstones: leavesTombstones),
            DeleteRequest(filter: try filter(of: .key), leavesTombstones: leavesTombstones),
        ])
    }
}
