// SPDX-License-Identifier: Apache-2.0

#if Trust
import FoundationEssentials
import KeychainModel
import SwiftASN1
@_spi(DisableValidityCheck) @_spi(FixedExpiryValidationTime) import X509

/// One question, with its certificates read.
struct ChainVerifier: Sendable {
    private let leaf: Certificate
    private let intermediates: [Certificate]
    private let anchors: CertificateStore
    private let policy: CertificatePolicy
    private let moment: Date

    init(_ question: TrustQuestion) throws(StatusError) {
        guard let leaf = Certificate(bounded: question.leaf) else {
            throw StatusError(.undecodable, .malformedCertificate)
        }
        self.leaf = leaf
        intermediates = question.intermediates.prefix(BoundedStore.maximumCertificates).certificates
        anchors =
            switch question.anchors {
            case .system: try SystemRoots.shared.store()
            case .systemAnd(let others):
                try SystemRoots.shared.store().appending(contentsOf: others.certificates)
            case .only(let only): CertificateStore(only.certificates)
            }
        policy = question.policy
        moment = Date(timeIntervalSinceReferenceDate: question.seconds.sayable)
    }

    /// The answer without the reason, which takes more questions.
    func isTrusted() -> Bool {
        guard !policy.demandsRevocationStatus else { return false }
        return CallingThreadExecutor.run { await validate(policy, valid: .at(moment)) } != nil
    }

    func verdict() throws(StatusError) -> TrustVerdict {
        // The calling thread does the work: were it done elsewhere, all threads could wait for one that never comes.
        let chain = CallingThreadExecutor.run { await validate(policy, valid: .at(moment)) }
        if let chain {
            guard !policy.demandsRevocationStatus else { return .refused(.unknownRevocation) }
            return .trusted(
                chain: try chain.map { certificate throws(StatusError) in try certificate.der() }
            )
        }
        return .refused(CallingThreadExecutor.run { await refusal() })
    }

    /// Asks for less and less: the first question that is answered with yes tells what was missing.
    ///
    /// The library says why in sentences alone, which would be no base for a status.
    private func refusal() async -> TrustRefusal {
        if policy.hostname != nil, await validate(policy.ofAnyName, valid: .at(moment)) != nil {
            return .otherName
        }
        if policy != .basic, await validate(.basic, valid: .at(moment)) != nil { return .otherPurpose }
        guard let chain = await validate(.basic, valid: .ever) else { return .noWay }
        return chain.contains { moment > $0.notValidAfter } ? .expired : .notYetValid
    }

    /// Everything that is to be said against the certificate.
    func refusals() -> Set<TrustRefusal> { CallingThreadExecutor.run { await allRefusals() } }

    private func allRefusals() async -> Set<TrustRefusal> {
        if await validate(policy, valid: .at(moment)) != nil {
            return policy.demandsRevocationStatus ? [.unknownRevocation] : []
        }
        var refusals: Set<TrustRefusal> = policy.demandsRevocationStatus ? [.unknownRevocation] : []
        if let hostname = policy.hostname, await !leafMeets(ServerNamePolicy(hostname)) {
            refusals.insert(.otherName)
        }
        if await !leafMeets(PurposePolicy(policy)) { refusals.insert(.otherPurpose) }
        // Where there is a way on which all are valid, dates are not what is wrong, whatever other ways there are.
        if await validate(.basic, valid: .at(moment)) == nil {
            let chain = await validate(.basic, valid: .ever)
            if chain == nil { refusals.insert(.noWay) }
            let certificates = chain.map { Array($0) } ?? [leaf]
            if certificates.contains(where: { moment > $0.notValidAfter }) { refusals.insert(.expired) }
            if certificates.contains(where: { moment < $0.notValidBefore }) { refusals.insert(.notYetValid) }
        }
        return refusals.isEmpty ? [.noWay] : refusals
    }

    /// Asks one thing of the certificate alone, as if it were an anchor.
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

    private enum Validity: Sendable { case at(Date), ever }

    private func validate(_ policy: CertificatePolicy, valid: Validity) async -> ValidatedCertificateChain? {
        var verifier = Verifier(rootCertificates: anchors) {
            switch valid {
            case .at(let date): RFC5280Policy(fixedExpiryValidationTime: date)
            case .ever: RFC5280Policy.withValidityCheckDisabled()
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
    /// The nearest moment of the years 1 to 9999: certificates can say no other, and the library stops the program there.
    fileprivate var sayable: Self {
        let (first, last): (Self, Self) = (-63_113_817_600, 252_423_907_200)
        return isNaN ? first : Swift.min(Swift.max(self, first), last)
    }
}

extension Sequence<Data> {
    fileprivate var certificates: [Certificate] { compactMap(Certificate.init(bounded:)) }
}

extension Certificate {
    /// No certificate in use comes near it.
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
