// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel

#if canImport(Darwin)
import Security
#else
import KeychainItems
import KeychainServices
#endif

extension SecItemBackend {
    /// Adds the certificate and the key of an identity; skips one of them if it already exists.
    ///
    /// - Throws: `duplicateItem` if both exist.
    func add(_ identity: NewIdentity, _ session: AuthenticationSession?) throws(StatusError) {
        var added = 0
        for half in [identity.certificate, identity.key] {
            do throws(StatusError) {
                try add(half, session)
                added += 1
            } catch {
                guard error.status == .duplicateItem else { throw error }
            }
        }
        guard added > 0 else { throw StatusError(.duplicateItem) }
    }

    func delete(_ filter: IdentityFilter, _ session: AuthenticationSession?) throws(StatusError) {
        try delete(filter.certificate, session)
        try delete(filter.key, session)
    }

    func identities(
        _ request: CopyIdentitiesRequest,
        _ session: AuthenticationSession?
    ) throws(StatusError) -> [FoundItem] {
        var filter = ItemFilter(
            itemClass: .identity,
            attributes: request.filter.key.attributes,
            synchronizable: request.filter.key.synchronizable
        )
        for entry in request.filter.certificate.attributes.entries {
            filter.attributes[entry.attribute] = entry.value
        }
        var query = filter.dictionary(session)
        query[kSecMatchLimit as String] = kSecMatchLimitAll
        query[kSecReturnAttributes as String] = true
        query[kSecReturnPersistentRef as String] = true
        query[kSecReturnRef as String] = true
        var result: CFTypeRef?
        try check(unsafe SecItemCopyMatching(query as CFDictionary, &result))
        let found = result as? [[String: Any]] ?? []
        return try found.prefix(request.limit.count).map { dictionary throws(StatusError) in
            try identity(dictionary, withKey: request.returning.contains(.data))
        }
    }

    private func identity(
        _ dictionary: [String: Any],
        withKey: Bool
    ) throws(StatusError) -> FoundItem {
        let item = try FoundItem(dictionary, of: .identity)
        guard let object = dictionary[kSecValueRef as String], let identity = Self.identity(object) else {
            throw StatusError(.internalInconsistency)
        }
        var (certificate, key): (SecCertificate?, SecKey?)
        try check(unsafe SecIdentityCopyCertificate(identity, &certificate))
        try check(unsafe SecIdentityCopyPrivateKey(identity, &key))
        return FoundItem(
            reference: item.reference,
            attributes: item.attributes,
            accessControl: item.accessControl,
            secret: withKey
                ? key.flatMap { SecKeyCopyExternalRepresentation($0, nil) }.map {
                    SecretBytes($0 as Data).buffer
                } : nil,
            certificate: certificate.map { SecretBytes(SecCertificateCopyData($0) as Data).buffer }
        )
    }

    private static func identity(_ object: Any) -> SecIdentity? {
        #if canImport(Darwin)
        guard CFGetTypeID(object as CFTypeRef) == SecIdentityGetTypeID() else { return nil }
        return unsafeDowncast(object as AnyObject, to: SecIdentity.self)
        #else
        return object as? SecIdentity
        #endif
    }
}
