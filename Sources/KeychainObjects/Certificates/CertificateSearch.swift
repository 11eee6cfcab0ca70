// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
package import KeychainModel

/// A search for certificates or identities by more than their attributes.
///
/// The store finds candidates by their attributes. They are judged here, between requests: parsing certificates and
/// building chains takes milliseconds, during which the store must be neither locked nor in a transaction.
///
/// *Differs*: the limit counts the certificates that pass, where iOS counts before it tests. Source: Apple's published
/// Security sources.
package struct CertificateSearch {
    /// Carries out a request, with whatever authentication it takes.
    package typealias Perform = (Request) throws(StatusError) -> Response

    /// How many certificates a chain of issuers is followed through.
    private static let longestChain = 10

    private let test: CertificateTest
    private let request: Request
    private let wanted: Int
    /// The verdicts on the certificates that were read so far.
    private var verdicts: [Bytes16: Bool] = [:]

    /// Takes a request whose results must pass a test; `nil` if the store's answer needs no test.
    package init?(_ request: Request, _ test: CertificateTest) {
        guard !test.isEmpty else { return nil }
        switch request {
        case .copy(let copy) where copy.filter.itemClass == .certificate: wanted = copy.limit.count
        case .copyIdentities(let copy): wanted = copy.limit.count
        default: return nil
        }
        (self.request, self.test) = (request, test)
    }

    /// Finds the items that pass, in at most as many as the request wants.
    ///
    /// Asks for few candidates first, and then for twice as many each time: a search for one item must not fail, or
    /// prompt the user, because of others that are locked.
    ///
    /// - Throws: `itemNotFound` if none passes.
    package mutating func items(_ perform: Perform) throws(StatusError) -> [FoundItem] {
        var count = wanted
        while true {
            let candidates = try Self.items(limited(to: count), perform)
            var passing: [FoundItem] = []
            for candidate in candidates where passing.count < wanted {
                if try passes(candidate, perform) { passing.append(candidate) }
            }
            let areAll = candidates.count < count
            guard areAll || passing.count == wanted else {
                count *= 2
                continue
            }
            guard !passing.isEmpty else { throw StatusError(.itemNotFound) }
            return passing
        }
    }

    /// The request for at most so many candidates, with what the test reads.
    private func limited(to count: Int) -> Request {
        let limit: MatchLimit = count == .max ? .all : .atMost(count)
        switch request {
        case .copy(var copy):
            copy.limit = limit
            copy.returning.formUnion(returning)
            return .copy(copy)
        case .copyIdentities(var copy):
            copy.limit = limit
            copy.returning.formUnion(returning)
            return .copyIdentities(copy)
        default: return request
        }
    }

    private var returning: ReturnKeys { test.readsContent ? [.attributes, .data] : .attributes }

    private static func items(
        _ request: Request,
        _ perform: Perform
    ) throws(StatusError) -> [FoundItem] {
        guard case .items(let items) = try perform(request) else { return [] }
        return items
    }

    private mutating func passes(
        _ item: FoundItem,
        _ perform: Perform
    ) throws(StatusError) -> Bool {
        if let verdict = verdicts[item.reference.item] { return verdict }
        let verdict = try judge(item, perform)
        verdicts[item.reference.item] = verdict
        return verdict
    }

    private func judge(_ item: FoundItem, _ perform: Perform) throws(StatusError) -> Bool {
        if !test.issuers.isEmpty, try !isIssued(item, perform) { return false }
        guard test.readsContent else { return true }
        guard let content = item.certificateContent, test.passes(content: content) else { return false }
        guard let policy = test.policy else { return true }
        let intermediates = try issuers(of: item, perform)
        do throws(StatusError) {
            return try CertificateTrust.isTrusted(
                leaf: content,
                intermediates: intermediates,
                policy: policy,
                at: test.validOn ?? Date().timeIntervalSinceReferenceDate
            )
        } catch {
            // The chain verifier accepts less than our parser; such a certificate is not trusted.
            guard error.reason == .malformedCertificate else { throw error }
            return false
        }
    }

    /// Whether a wanted name is the certificate's issuer, the issuer's issuer and so on.
    private func isIssued(_ item: FoundItem, _ perform: Perform) throws(StatusError) -> Bool {
        if test.issuers.contains(item.issuer) { return true }
        var isIssued = false
        try forEachIssuer(of: item, returning: .attributes, perform) { issuer in
            isIssued = test.issuers.contains(issuer.issuer)
            return !isIssued
        }
        return isIssued
    }

    /// The stored certificates that can lie between a certificate and a root.
    private func issuers(of item: FoundItem, _ perform: Perform) throws(StatusError) -> [Data] {
        var issuers: [Data] = []
        try forEachIssuer(of: item, returning: [.attributes, .data], perform) { issuer in
            if let content = issuer.certificateContent { issuers.append(content) }
            return true
        }
        return issuers
    }

    /// Hands over the stored certificates whose subject is the issuer, then those of their issuers and so on, until the
    /// closure returns false.
    ///
    /// They may be in any access group of the caller, whichever group the query names.
    private func forEachIssuer(
        of item: FoundItem,
        returning: ReturnKeys,
        _ perform: Perform,
        _ body: (FoundItem) -> Bool
    ) throws(StatusError) {
        var names = [item.issuer]
        var visited: Set<Data> = []
        for _ in 0..<Self.longestChain {
            let unvisited = names.filter { !$0.isEmpty && visited.insert($0).inserted }
            names = []
            for name in unvisited {
                for issuer in try Self.certificates(of: name, returning, perform) {
                    guard body(issuer) else { return }
                    names.append(issuer.issuer)
                }
            }
            guard !names.isEmpty else { return }
        }
    }

    private static func certificates(
        of subject: Data,
        _ returning: ReturnKeys,
        _ perform: Perform
    ) throws(StatusError) -> [FoundItem] {
        var filter = ItemFilter(itemClass: .certificate, synchronizable: .any)
        filter.attributes[.subject] = .data(subject)
        do throws(StatusError) {
            return try items(.copy(CopyRequest(filter: filter, limit: .all, returning: returning)), perform)
        } catch {
            guard error.status == .itemNotFound else { throw error }
            return []
        }
    }
}

extension FoundItem {
    /// The normalized name of the issuer; empty if the item has none.
    fileprivate var issuer: Data { Data(attributes[.issuer]?.canonicalBytes ?? []) }

    /// The bytes of the certificate, which of an identity is one half.
    fileprivate var certificateContent: Data? {
        reference.itemClass == .identity ? certificate : secret
    }
}
