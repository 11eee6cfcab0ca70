// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel

/// Builds requests for identities, whose attributes apply to the certificate or to the key.
///
/// Source: Apple's published Security sources. *Differs*: attributes that only certificates have filter the
/// certificates, where iOS reports a store failure.
extension QueryDictionary {
    /// Returns the certificate and key to add, both with the attributes of the dictionary.
    ///
    /// Throws for an attribute that only certificates or only keys have.
    func newIdentity(_ identity: SecIdentity) throws(StatusError) -> NewIdentity {
        NewIdentity(
            certificate: try newItem(of: .certificate, object: identity.certificate, returning: []),
            key: try newItem(of: .key, object: identity.privateKey, returning: []),
            returning: returning.intersection(.persistentReference)
        )
    }

    /// Returns the filter for identities by attributes, an identity object or a persistent reference.
    func identityFilter() throws(StatusError) -> IdentityFilter {
        var halves = IdentityFilter(dividing: try filter(of: .identity))
        if let identity {
            halves.certificate.attributes.fill(from: identity.certificate.identifyingAttributes(for: role))
            halves.key.attributes.fill(from: identity.privateKey.identifyingAttributes(for: role))
        }
        return halves
    }

    func identityUpdates(_ newValues: Self) throws(StatusError) -> [UpdateRequest] {
        guard reference == nil else {
            // An identity cannot be updated by persistent reference, because identities are not stored.
            throw isClassImplied
                ? StatusError(.internalInconsistency) : StatusError(.noSuchClass, .classMismatch)
        }
        return [
            try update(of: .certificate, object: identity?.certificate, newValues),
            try update(of: .key, object: identity?.privateKey, newValues),
        ]
    }

    /// Returns the deletion of all matching certificates and keys, or of one identity.
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
