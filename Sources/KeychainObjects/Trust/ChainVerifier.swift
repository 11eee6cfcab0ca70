// SPDX-License-Identifier: Apache-2.0

#if Trust
import FoundationEssentials
import KeychainModel
import SwiftASN1
@_spi(DisableValidityCheck) @_spi(FixedExpiryValidationTime) import X509

/// Runs one verification with parsed certificates.
struct ChainVerifier: Sendable {
    private let leaf: Certificate
    private let intermediates: [Certificate]
    private let anchors: CertificateStore
    private let policy: CertificatePolicy
    private let date: Date

    init(_ request: TrustRequest) throws(StatusError) {
        guard let leaf = Certificate(bounded: request.leaf) else {
            throw StatusError(.undecodable, .malformedCertificate)
        }
        self.leaf = leaf
        intermediates = request.intermediates.prefix(BoundedStore.maximumCertificates).certificates
        anchors =
            switch request.anchors {
            case .system: try SystemRoots.shared.store()
            case .systemAnd(let others):
                try SystemRoots.shared.store().appending(contentsOf: others.certificates)
            case .only(let only): CertificateStore(only.certificates)
            }
        policy = request.policy
        date = Date(timeIntervalSinceReferenceDate: request.seconds.clampedToX509Range)
    }

    /// Returns whether the leaf is trusted, without finding the reason for a failure.
    func isTrusted() -> Bool {
        guard !policy.requiresRevocationResponse else { return false }
        return CallingThreadExecutor.run { await validate(policy, valid: .at(date)) } != nil
    }

    func evaluate() throws(StatusError) -> TrustResult {
        // Run on the calling thread: blocking on the cooperative pool could exhaust its threads.
        let chain = CallingThreadExecutor.run { await validate(policy, valid: .at(date)) }
        if let chain {
            guard !policy.requiresRevocationResponse else { return .untrusted(.revocationUnknown) }
            return .trusted(
                chain: try chain.map { certificate throws(StatusError) in try certificate.der() }
            )
        }
        return .untrusted(CallingThreadExecutor.run { await failure() })
    }

    /// Finds the reason for a failure by relaxing the requirements until the verification succeeds.
    ///
    /// swift-certificates reports reasons only as text, which cannot be mapped to a status reliably.
    private func failure() async -> TrustFailure {
        if policy.hostname != nil, await validate(policy.forAnyHostname, valid: .at(date)) != nil {
            return .nameMismatch
        }
        if policy != .basic, await validate(.basic, valid: .at(date)) != nil { return .purposeMismatch }
        guard let chain = await validate(.basic, valid: .anyDate) else { return .noTrustedChain }
        return chain.contains { date > $0.notValidAfter } ? .expired : .notYetValid
    }

    func failures() -> Set<TrustFailure> { CallingThreadExecutor.run { await allFailures() } }

    private func allFailures() async -> Set<TrustFailure> {
        if await validate(policy, valid: .at(date)) != nil {
            return policy.requiresRevocationResponse ? [.revocationUnknown] : []
        }
        var failures: Set<TrustFailure> = policy.requiresRevocationResponse ? [.revocationUnknown] : []
        if let hostname = policy.hostname, await !leafMeets(ServerNamePolicy(hostname)) {
            failures.insert(.nameMismatch)
        }
        if await !leafMeets(PurposePolicy(policy)) { failures.insert(.purposeMismatch) }
        // Dates are a reason only if no chain is valid at the verification date.
        if await validate(.basic, valid: .at(date)) == nil {
            let chain = await validate(.basic, valid: .anyDate)
            if chain == nil { failures.insert(.noTrustedChain) }
            let certificates = chain.map { Array($0) } ?? [leaf]
            if certificates.contains(where: { date > $0.notValidAfter }) { failures.insert(.expired) }
            if certificates.contains(where: { date < $0.notValidBefore }) { failures.insert(.notYetValid) }
        }
        return failures.isEmpty ? [.noTrustedChain] : failures
    }

    /// Returns whether the leaf alone satisfies a policy, by verifying it as its own anchor.
    private func leafMeets(_ policy: some VerifierPolicy) async -> Bool {
        var verifier = Verifier(rootCertificates: CertificateStore([leaf])) {
            policy
            AnyExtensionPolicy(of: leaf)
        }
        switch await verifier.validate(leaf: leaf, intermediates: CertificateStore([])) {
        case .validCertificate: return true
        case .couldNotValidate: return false
        }
    }

    private enum Validity: Sendable { case at(Date), anyDate }

    private func validate(_ policy: CertificatePolicy, valid: Validity) async -> ValidatedCertificateChain? {
        var verifier = Verifier(rootCertificates: anchors) {
            switch valid {
            case .at(let date): RFC5280Policy(fixedExpiryValidationTime: date)
            case .anyDate: RFC5280Policy.withValidityCheckDisabled()
            }
            PurposePolicy(policy)
            if let hostname = policy.hostname { ServerNamePolicy(hostname) } else { AnyNamePolicy() }
        }
        let between = CertificateStore(custom: BoundedStore(intermediates))
        switch await verifier.validate(leaf: leaf, intermediates: between) {
        case .validCertificate(let chain): return chain
        case .couldNotValidate: return nil
        }
    }
}

extension Double {
    /// Clamps to the years 1 to 9999: swift-certificates traps on dates that X.509 cannot encode.
    fileprivate var clampedToX509Range: Self {
        let (first, last): (Self, Self) = (-63_113_817_600, 252_423_907_200)
        return isNaN ? first : Swift.min(Swift.max(self, first), last)
    }
}

extension Sequence<Data> {
    fileprivate var certificates: [Certificate] { compactMap(Certificate.init(bounded:)) }
}

extension Certificate {
    /// The maximum size of a certificate in bytes, well above that of certificates in use.
    private static let maximumSize = 256 * 1024

    fileprivate init?(bounded encoded: Data) {
        guard encoded.count <= Self.maximumSize,
            let certificate = try? Certificate(derEncoded: Array(encoded))
        else { return nil }
        self = certificate
    }

    fileprivate func der() throws(StatusError) -> Data {
        var serializer = DER.Serializer()
        do { try serializer.serialize(self) } catch {
            throw StatusError(.undecodable, .malformedCertificate)
        }
        return Data(serializer.serializedBytes)
    }
}
#endif
