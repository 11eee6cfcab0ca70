// SPDX-License-Identifier: Apache-2.0

import Certificates
import DataProtection
import FoundationEssentials
import ItemStore
import KeychainModel

/// What the match keys ask of a certificate beyond its attributes. Source: Apple's published Security sources.
///
/// *Differs*: the limit of a search counts what passes, where iOS counts before it tests.
extension OpenStore {
    /// How many certificates a chain of issuers is followed through.
    private static let longestChain = 10

    /// Whether an opened certificate passes; what is asked about the chain is answered with the certificates of `scope`.
    ///
    /// A value that is no certificate passes nothing that has to be read from it.
    mutating func passes(
        _ item: OpenedItem,
        _ test: CertificateTest,
        issuersIn scope: AccessScope
    ) throws(KeychainError) -> Bool {
        if !test.issuers.isEmpty, try !isIssued(item, byOneOf: test.issuers, in: scope) { return false }
        guard test.emailAddress != nil || test.validOn != nil || test.policy != nil else { return true }
        guard let content = try sealer.exposedSecret(of: item, with: &vouched.keybag),
            let certificate = try? Certificate(parsing: content)
        else { return false }
        if let address = test.emailAddress, !certificate.emailAddresses.contains(where: address.equalsInASCII)
        {
            return false
        }
        if let date = test.validOn, !certificate.isValid(at: date) { return false }
        return true
    }

    /// Follows the issuers of a certificate from name to name.
    private mutating func isIssued(
        _ item: OpenedItem,
        byOneOf wanted: [Data],
        in scope: AccessScope
    ) throws(KeychainError) -> Bool {
        var names = [item.issuer]
        var visited: Set<Data> = []
        for _ in 0..<Self.longestChain {
            if names.contains(where: wanted.contains) { return true }
            let unvisited = names.filter { !$0.isEmpty && visited.insert($0).inserted }
            names = []
            for name in unvisited {
                try forEachCertificate(ofSubject: name, in: scope) { names.append($0.issuer) }
            }
            if names.isEmpty { return false }
        }
        return names.contains(where: wanted.contains)
    }

    private mutating func forEachCertificate(
        ofSubject name: Data,
        in scope: AccessScope,
        secrets: Bool = false,
        _ body: (OpenedItem) -> Void
    ) throws(KeychainError) {
        var filter = ItemFilter(itemClass: .certificate, synchronizable: .any)
        filter.attributes[.subject] = .data(name)
        try forEachMatch(filter, scope, SearchOptions(secrets: secrets)) { _, match throws(KeychainError) in
            if let item = match.item { body(item) }
            return true
        }
    }
}

extension OpenedItem {
    /// The normalised name of the issuer; empty where there is none.
    fileprivate var issuer: Data { Data(attributes[.issuer]?.canonicalBytes ?? []) }
}

extension String {
    /// Equality of addresses: by bytes, but for the case of ASCII letters.
    fileprivate func equalsInASCII(_ other: String) -> Bool {
        func lowercased(_ byte: UInt8) -> UInt8 { (0x41...0x5a).contains(byte) ? byte | 0x20 : byte }
        return utf8.lazy.map(lowercased).elementsEqual(other.utf8.lazy.map(lowercased))
    }
}
