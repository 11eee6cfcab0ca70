// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import KeychainModel
import KeychainObjects

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
    ) throws(StatusError) -> Bool {
        if !test.issuers.isEmpty, try !isIssued(item, byOneOf: test.issuers, in: scope) { return false }
        guard test.emailAddress != nil || test.validOn != nil || test.policy != nil else { return true }
        guard let content = try sealer.exposedSecret(of: item),
            let certificate = try? ParsedCertificate(parsing: content)
        else { return false }
        if let address = test.emailAddress, !certificate.hasEmailAddress(address) { return false }
        if let date = test.validOn, !certificate.isValid(at: date) { return false }
        guard let policy = test.policy else { return true }
        let intermediates = try issuers(of: item, in: scope)
        let moment = test.validOn ?? clock()
        do throws(StatusError) {
            return try CertificateTrust.isTrusted(
                leaf: content,
                intermediates: intermediates,
                policy: policy,
                at: moment
            )
        } catch {
            // Who judges reads less than we do; what it cannot read is good for nothing.
            guard error.reason == .malformedCertificate else { throw error }
            return false
        }
    }

    /// Whether a name is found among the issuers of a certificate, the issuers of these and so on.
    private mutating func isIssued(
        _ item: OpenedItem,
        byOneOf wanted: [Data],
        in scope: AccessScope
    ) throws(StatusError) -> Bool {
        if wanted.contains(item.issuer) { return true }
        var isIssued = false
        try forEachIssuer(of: item, in: scope, secrets: false) { _, issuer throws(StatusError) in
            isIssued = wanted.contains(issuer.issuer)
            return !isIssued
        }
        return isIssued
    }

    /// The certificates that can lie between a certificate and a root.
    private mutating func issuers(of item: OpenedItem, in scope: AccessScope) throws(StatusError) -> [Data] {
        var issuers: [Data] = []
        try forEachIssuer(of: item, in: scope, secrets: true) { store, issuer throws(StatusError) in
            let content = try store.sealer.exposedSecret(of: issuer)
            if let content { issuers.append(content) }
            return true
        }
        return issuers
    }

    /// Hands over the stored certificates whose subject is the issuer, then those of their issuers and so on, until the
    /// closure answers false.
    private mutating func forEachIssuer(
        of item: OpenedItem,
        in scope: AccessScope,
        secrets: Bool,
        _ body: (inout OpenStore, OpenedItem) throws(StatusError) -> Bool
    ) throws(StatusError) {
        var names = [item.issuer]
        var visited: Set<Data> = []
        var goesOn = true
        for _ in 0..<Self.longestChain {
            let unvisited = names.filter { !$0.isEmpty && visited.insert($0).inserted }
            names = []
            for name in unvisited where goesOn {
                var filter = ItemFilter(itemClass: .certificate, synchronizable: .any)
                filter.attributes[.subject] = .data(name)
                let options = SearchOptions(secrets: secrets)
                try forEachMatch(filter, scope, options) { store, match throws(StatusError) in
                    guard let issuer = match.item else { return true }
                    names.append(issuer.issuer)
                    goesOn = try body(&store, issuer)
                    return goesOn
                }
            }
            guard goesOn, !names.isEmpty else { return }
        }
    }
}

extension OpenedItem {
    /// The normalised name of the issuer; empty where there is none.
    fileprivate var issuer: Data { Data(attributes[.issuer]?.canonicalBytes ?? []) }
}
