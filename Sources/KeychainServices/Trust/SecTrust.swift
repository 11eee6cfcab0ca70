// SPDX-License-Identifier: Apache-2.0

public import Foundation
import KeychainModel
import KeychainObjects
import Synchronization

/// A trust object: a certificate, what it must be good for, where trust begins, and the result once it was evaluated.
///
/// A change makes the result void. It is safe from any thread.
public final class SecTrust: NSObject, Sendable {
    struct State: Sendable {
        /// The certificate that is evaluated, and behind it what may lie between it and an anchor.
        var certificates: [SecCertificate]
        var policies: [SecPolicy]
        /// `nil` stands for the roots of the system alone.
        var anchors: [SecCertificate]?
        var anchorsOnly: Bool?
        /// `nil` stands for the moment of the evaluation.
        var date: Date?
        /// What is forgiven of the certificate, if anything.
        var exceptions: TrustExceptions?
        /// Counts the changes.
        var version = 0
        /// `nil` until it is evaluated, and again after a change.
        var answer: Answer?
    }

    struct Answer: Sendable {
        let result: SecTrustResultType
        let status: OSStatus
        let chain: [SecCertificate]
        /// The moment at which everything had to be valid; `nil` where there is no certificate.
        let date: Date?
    }

    private let content: Mutex<State>

    init(certificates: [SecCertificate], policies: [SecPolicy]) {
        content = Mutex(State(certificates: certificates, policies: policies))
    }

    var state: State { content.withLock { $0 } }

    /// Changes what is evaluated, which makes an earlier answer void.
    func change(_ body: (inout State) -> Void) {
        content.withLock { state in
            body(&state)
            state.answer = nil
            state.version += 1
        }
    }

    /// What the evaluation found; there is one evaluation until something changes.
    func answer() -> Answer {
        let state = state
        if let answer = state.answer { return answer }
        let answer = state.ask()
        // What another thread has changed meanwhile has not been evaluated.
        content.withLock { if $0.version == state.version { $0.answer = answer } }
        return answer
    }
}

/// Whether a certificate is trusted.
public enum SecTrustResultType: UInt32, Sendable {
    /// It has not been evaluated.
    case invalid = 0
    /// It is not trusted by itself, but what is against it was forgiven by ``SecTrustSetExceptions(_:_:)``.
    case proceed = 1
    /// The user trusts nothing of the kind, which is not recorded here.
    case deny = 3
    /// It leads to an anchor, which is what most trusted certificates do.
    case unspecified = 4
    /// It is not trusted, but might be with other policies, anchors, certificates between, or at another moment.
    case recoverableTrustFailure = 5
    /// It is not trusted because it is damaged: `errSecDecode`.
    case fatalTrustFailure = 6
    /// The evaluation failed: the roots of the system cannot be read, or the trait `Trust` is not enabled.
    case otherError = 7
}

extension SecTrust.State {
    fileprivate func ask() -> SecTrust.Answer {
        guard let leaf = certificates.first else {
            return SecTrust.Answer(result: .invalid, status: errSecParam, chain: [], date: nil)
        }
        let moment = date ?? .now
        do throws(StatusError) {
            var chain: [SecCertificate] = []
            for question in questions(about: leaf, at: moment) {
                switch try CertificateTrust.evaluate(question) {
                case .trusted(let found):
                    chain = found.compactMap { SecCertificate(parsing: $0) }
                case .refused(let refusal):
                    let isForgiven = try exceptions?.forgive(refusals(leaf, at: moment)) ?? false
                    return SecTrust.Answer(
                        result: isForgiven ? .proceed : .recoverableTrustFailure,
                        status: isForgiven ? errSecSuccess : refusal.status,
                        // What was sent with a certificate that is only forgiven has been checked by nobody.
                        chain: isForgiven ? [leaf] : certificates,
                        date: moment
                    )
                }
            }
            return SecTrust.Answer(result: .unspecified, status: errSecSuccess, chain: chain, date: moment)
        } catch {
            let result: SecTrustResultType = error.status == .undecodable ? .fatalTrustFailure : .otherError
            return SecTrust.Answer(
                result: result,
                status: OSStatus(recording: error),
                chain: [],
                date: moment
            )
        }
    }

    /// What would have to be forgiven for the certificate to be trusted when it was evaluated, or else now.
    ///
    /// `nil` if the evaluation fails.
    func neededExceptions() -> TrustExceptions? {
        let moment = answer?.date ?? date ?? .now
        guard let leaf = certificates.first, let refusals = try? refusals(leaf, at: moment) else {
            return nil
        }
        return TrustExceptions(leaf: leaf.content.der, refusals: refusals)
    }

    /// What is against the certificate under any of the policies.
    private func refusals(_ leaf: SecCertificate, at moment: Date) throws(StatusError) -> Set<TrustRefusal> {
        var refusals: Set<TrustRefusal> = []
        for question in questions(about: leaf, at: moment) {
            refusals.formUnion(try CertificateTrust.refusals(question))
        }
        return refusals
    }

    /// One evaluation for each policy.
    private func questions(about leaf: SecCertificate, at moment: Date) -> [TrustQuestion] {
        (policies.isEmpty ? [SecPolicyCreateBasicX509()] : policies).map { policy in
            TrustQuestion(
                leaf: leaf.content.der,
                intermediates: certificates.dropFirst().map(\.content.der),
                anchors: trustAnchors,
                policy: policy.content,
                seconds: moment.timeIntervalSinceReferenceDate
            )
        }
    }

    private var trustAnchors: TrustAnchors {
        guard let anchors = anchors?.map(\.content.der) else {
            return anchorsOnly == true ? .only([]) : .system
        }
        return anchorsOnly == false ? .systemAnd(anchors) : .only(anchors)
    }
}

extension TrustRefusal {
    fileprivate var status: OSStatus {
        switch self {
        case .noWay: errSecNotTrusted
        case .otherName: errSecHostNameMismatch
        case .otherPurpose: errSecInvalidExtendedKeyUsage
        case .expired: errSecCertificateExpired
        case .notYetValid: errSecCertificateNotValidYet
        case .unknownRevocation: errSecIncompleteCertRevocationCheck
        }
    }
}
