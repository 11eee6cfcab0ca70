// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
package import KeychainModel

/// Searches certificates or identities by properties that are not stored as attributes.
///
/// The store finds candidates by attributes, and this type evaluates them after the store has returned: parsing
/// certificates and building chains takes milliseconds, during which other calls must not wait for the store.
///
/// *Differs*: the limit counts matching certificates, where iOS counts candidates before evaluating them.
/// Source: Apple's published Security sources.
package struct CertificateSearch {
    /// A function that performs a request, authenticating the user if necessary.
    package typealias Perform = (Request) throws(StatusError) -> Response

    private static let maximumChainLength = 10

    private let test: CertificateTest
    private let request: Request
    private let wanted: Int
    /// Whether each certificate evaluated so far matches, by the identifier of its item.
    private var verdicts: [Bytes16: Bool] = [:]

    /// Creates a search for a request; `nil` if the results of the store need no evaluation.
    package init?(_ request: Request, _ test: CertificateTest) {
        guard !test.isEmpty else { return nil }
        switch request {
        case .copy(let copy) where copy.filter.itemClass == .certificate: wanted = copy.limit.count
        case .copyIdentities(let copy): wanted = copy.limit.count
        default: return nil
        }
        (self.request, self.test) = (request, test)
    }

    /// Finds the matching items, at most as many as the request's limit.
    ///
    /// The search requests as many candidates as the limit, and doubles their number if too few match. It does not
    /// request all candidates at once: a search for one item must not fail or prompt the user because of other items
    /// that are locked.
    ///
    /// - Throws: `itemNotFound` if no item matches; the errors of `perform`; if the test has a policy, also
    ///   `notAvailable` if the system's roots cannot be read, and `unimplemented` without the package trait `Trust`.
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

    /// Returns the request with another limit, extended to return what the test reads.
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
            // A certificate that this module parses but the chain verifier rejects is not trusted.
            guard error.reason == .malformedCertificate else { throw error }
            return false
        }
    }

    /// Returns whether the certificate's issuer chain contains one of the names in `test.issuers`.
    private func isIssued(_ item: FoundItem, _ perform: Perform) throws(StatusError) -> Bool {
        if test.issuers.contains(item.issuer) { return true }
        var isIssued = false
        try forEachIssuer(of: item, returning: .attributes, perform) { issuer in
            isIssued = test.issuers.contains(issuer.issuer)
            return !isIssued
        }
        return isIssued
    }

    /// Returns the stored certificates that may be intermediates of a certificate.
    private func issuers(of item: FoundItem, _ perform: Perform) throws(StatusError) -> [Data] {
        var issuers: [Data] = []
        try forEachIssuer(of: item, returning: [.attributes, .data], perform) { issuer in
            if let content = issuer.certificateContent { issuers.append(content) }
            return true
        }
        return issuers
    }

    /// Passes the stored certificates of the issuer chain to the closure until it returns false.
    ///
    /// Certificates in all access groups of the caller are used, regardless of the group in the query.
    private func forEachIssuer(
        of item: FoundItem,
        returning: ReturnKeys,
        _ perform: Perform,
        _ body: (FoundItem) -> Bool
    ) throws(StatusError) {
        var names = [item.issuer]
        var visited: Set<Data> = []
        for _ in 0..<Self.maximumChainLength {
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
        filter.attributes[.subject] = .data(Array(subject))
        do throws(StatusError) {
            return try items(.copy(CopyRequest(filter: filter, limit: .all, returning: returning)), perform)
        } catch {
            guard error.status == .itemNotFound else { throw error }
            return []
        }
    }
}

extension FoundItem {
    /// The normalized issuer name; empty if the item has none.
    fileprivate var issuer: Data { Data(attributes[.issuer]?.canonicalBytes ?? []) }

    /// The DER of the certificate, or of an identity's certificate; `nil` if it was not read.
    fileprivate var certificateContent: Data? {
        (reference.itemClass == .identity ? certificate : secret)?.data
    }
}
