// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel

/// Requests for identities, whose attributes apply to the certificate or the key.
///
/// Source: Apple's published Security sources. *Differs*: certificate-only attributes filter certificates,
/// where iOS reports a store failure.
extension QueryDictionary {
    /// Both parts of an identity with the caller's attributes, which both classes must have.
    func newIdentity(_ identity: SecIdentity) throws(StatusError) -> NewIdentity {
        NewIdentity(
            certificate: try newItem(of: .certificate, object: identity.certificate, returning: []),
            key: try newItem(of: .key, object: identity.privateKey, returning: []),
            returning: returning.intersection(.persistentReference)
        )
    }

    /// The identities that match attributes, an identity object or a persistent reference.
    func identityFilter() throws(StatusError) -> IdentityFilter {
        var halves = IdentityFilter(dividing: try filter(of: .identity))
        if let identity {
            halves.certificate.attributes.fill(from: identity.certificate.identifyingAttributes(for: role))
            halves.key.attributes.fill(from: identity.privateKey.identifyingAttributes(for: role))
        }
        return halves
    }

    /// Updates of all matching certificates and keys.
    func identityUpdates(_ newValues: Self) throws(StatusError) -> [UpdateRequest] {
        guard reference == nil else {
            // A persistent reference to an identity cannot be updated, because identities are not stored.
            throw isClassImplied
                ? StatusError(.internalInconsistency) : StatusError(.noSuchClass, .classMismatch)
        }
        return [
            try update(of: .certificate, object: identity?.certificate, newValues),
            try update(of: .key, object: identity?.privateKey, newValues),
        ]
    }

    /// Deletes all certificates and keys with the attributes, or the pair of an identity or reference.
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
