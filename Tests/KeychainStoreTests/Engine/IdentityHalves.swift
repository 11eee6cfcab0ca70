// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import KeychainStore

/// The halves of identities: keys and certificates without real cryptography.
///
/// A key and a certificate with the same made-up digest of the public key form an identity.
struct Halves {
    let calls: Calls

    init() throws { calls = try Calls() }

    /// Returns a made-up public key digest: 20 bytes with the value `number`.
    static func digest(_ number: Int) -> AttributeValue {
        .data(Array(repeating: UInt8(truncatingIfNeeded: number), count: 20))
    }

    static func key(_ number: Int, _ more: Attributes = [:]) -> NewItem {
        let attributes: Attributes = [
            .keyClass: 1, .type: 73, .applicationLabel: digest(number), .isPrivate: 1,
            .applicationTag: .string("canary tag \(number)"),
        ]
        return NewItem(
            itemClass: .key,
            attributes: attributes.with(more),
            secret: SecretBuffer("canary key \(number)".utf8)
        )
    }

    static func certificate(_ number: Int, of key: Int, _ more: Attributes = [:]) -> NewItem {
        let attributes: Attributes = [
            .certificateType: 3, .publicKeyHash: digest(key), .label: .string("canary label \(number)"),
            .issuer: .data(Array("canary issuer".utf8)), .serialNumber: .data([UInt8(number)]),
            .subject: .data(Array("canary subject \(number)".utf8)),
        ]
        return NewItem(
            itemClass: .certificate,
            attributes: attributes.with(more),
            secret: SecretBuffer("canary certificate \(number)".utf8)
        )
    }

    func add(_ items: NewItem...) throws {
        for item in items { _ = try calls.keychain.perform(.add(item), for: calls.caller) }
    }

    func addIdentity(_ certificate: NewItem, _ key: NewItem) throws -> PersistentReference? {
        let new = NewIdentity(certificate: certificate, key: key, returning: .everything)
        guard case .items(let items) = try calls.keychain.perform(.addIdentity(new), for: calls.caller) else {
            return nil
        }
        return items.first?.reference
    }

    static func filter(
        certificate: Attributes = [:],
        key: Attributes = [:],
        synchronizable: ItemFilter.Synchronizable = .unspecified
    ) -> IdentityFilter {
        IdentityFilter(
            certificate: ItemFilter(itemClass: .certificate, attributes: certificate, synchronizable: .any),
            key: ItemFilter(itemClass: .key, attributes: key, synchronizable: synchronizable)
        )
    }

    func find(_ filter: IdentityFilter, limit: MatchLimit = .all) throws -> [FoundItem] {
        let request = CopyIdentitiesRequest(filter: filter, limit: limit, returning: .everything)
        do throws(StatusError) {
            guard
                case .items(let items) = try calls.keychain.perform(
                    .copyIdentities(request),
                    for: calls.caller
                )
            else { return [] }
            return items
        } catch {
            guard error.status == .itemNotFound else { throw error }
            return []
        }
    }

    /// Returns the identities found, each as "certificate+key".
    func pairs(_ filter: IdentityFilter = filter(), limit: MatchLimit = .all) throws -> [String] {
        try find(filter, limit: limit).map { item in
            let parts = [item.certificate, item.secret].compactMap(\.self)
            return parts.map { String(decoding: $0.bytes, as: UTF8.self).dropFirst("canary ".count) }.joined(
                separator: "+"
            )
        }.sorted()
    }

    func delete(_ filter: IdentityFilter) throws {
        _ = try calls.keychain.perform(
            .deleteIdentities(DeleteIdentitiesRequest(filter: filter)),
            for: calls.caller
        )
    }

    func count(_ itemClass: ItemClass) throws -> Int {
        do throws(StatusError) {
            return try calls.find(ItemFilter(itemClass: itemClass, synchronizable: .any)).count
        } catch {
            guard error.status == .itemNotFound else { throw error }
            return 0
        }
    }
}
