// SPDX-License-Identifier: Apache-2.0

public import Foundation
import KeychainModel
import KeychainObjects
import Synchronization

/// A trust object: a certificate, policies, anchors, and the result of an evaluation.
///
/// Changing the object discards the result. The object is safe to use from any thread.
public final class SecTrust: NSObject, Sendable {
    struct State: Sendable {
        /// The certificate to evaluate, followed by possible intermediate certificates.
        var certificates: [SecCertificate]
        var policies: [SecPolicy]
        /// Custom anchors; `nil` if none were set.
        var anchors: [SecCertificate]?
        var anchorsOnly: Bool?
        /// The verify date; `nil` for the time of the evaluation.
        var date: Date?
        /// The exceptions for failures of the certificate; `nil` if every failure counts.
        var exceptions: TrustExceptions?
        /// The number of changes of the inputs, by which a concurrent change is detected.
        var version = 0
        /// The result; `nil` before the evaluation and after a change.
        var answer: Answer?
    }

    struct Answer: Sendable {
        let result: SecTrustResultType
        let status: OSStatus
        let chain: [SecCertificate]
        /// The verify date that the evaluation used; `nil` if there was no certificate to evaluate.
        let date: Date?
    }

    private let content: Mutex<State>

    init(certificates: [SecCertificate], policies: [SecPolicy]) {
        content = Mutex(State(certificates: certificates, policies: policies))
    }

    var state: State { content.withLock { $0 } }

    func change(_ body: (inout State) -> Void) {
        content.withLock { state in
            body(&state)
            state.answer = nil
            state.version += 1
        }
    }

    /// Returns the stored result, or evaluates the certificate if no result is stored.
    func answer() -> Answer {
        let state = state
        if let answer = state.answer { return answer }
        let answer = state.evaluate()
        // Do not store the result if another thread has changed the inputs meanwhile.
        content.withLock { if $0.version == state.version { $0.answer = answer } }
        return answer
    }
}

/// The result of an evaluation.
public enum SecTrustResultType: UInt32, Sendable {
    /// Not evaluated.
    case invalid = 0
    /// Not trusted, but the exceptions set by ``SecTrustSetExceptions(_:_:)`` cover all failures.
    case proceed = 1
    /// The user distrusts the certificate; never returned here.
    case deny = 3
    /// Trusted: the certificate chains to an anchor and satisfies every policy.
    case unspecified = 4
    /// Not trusted, but might be with other policies, anchors, intermediate certificates or at another date.
    case recoverableTrustFailure = 5
    /// Not trusted because the certificate is damaged: `errSecDecode`.
    case fatalTrustFailure = 6
    /// The evaluation failed: the system roots cannot be read, or the package trait `Trust` is not enabled.
    case otherError = 7
}

extension SecTrust.State {
    fileprivate func evaluate() -> SecTrust.Answer {
        guard let leaf = certificates.first else {
            return SecTrust.Answer(result: .invalid, status: errSecParam, chain: [], date: nil)
        }
        let date = self.date ?? .now
        do throws(StatusError) {
            var chain: [SecCertificate] = []
            for request in requests(for: leaf, at: date) {
                switch try CertificateTrust.evaluate(request) {
                case .trusted(let found):
                    chain = found.compactMap { SecCertificate(parsing: $0) }
                case .untrusted(let failure):
                    let isForgiven = try exceptions?.forgive(failures(leaf, at: date)) ?? false
                    return SecTrust.Answer(
                        result: isForgiven ? .proceed : .recoverableTrustFailure,
                        status: isForgiven ? errSecSuccess : failure.status,
                        // If the leaf is trusted only by exceptions, the other certificates have not been
                        // verified.
                        chain: isForgiven ? [leaf] : certificates,
                        date: date
                    )
                }
            }
            return SecTrust.Answer(result: .unspecified, status: errSecSuccess, chain: chain, date: date)
        } catch {
            let result: SecTrustResultType = error.status == .undecodable ? .fatalTrustFailure : .otherError
            return SecTrust.Answer(
                result: result,
                status: OSStatus(recording: error),
                chain: [],
                date: date
            )
        }
    }

    /// Returns exceptions for all failures of the certificate; `nil` if the evaluation fails.
    ///
    /// The failures are those at the date of the stored result. Without a result, the date is the verify date;
    /// without a verify date, the current date.
    func neededExceptions() -> TrustExceptions? {
        let date = answer?.date ?? self.date ?? .now
        guard let leaf = certificates.first, let failures = try? failures(leaf, at: date) else {
            return nil
        }
        return TrustExceptions(leaf: leaf.content.der, failures: failures)
    }

    private func failures(_ leaf: SecCertificate, at date: Date) throws(StatusError) -> Set<TrustFailure> {
        var failures: Set<TrustFailure> = []
        for request in requests(for: leaf, at: date) {
            failures.formUnion(try CertificateTrust.failures(request))
        }
        return failures
    }

    private func requests(for leaf: SecCertificate, at date: Date) -> [TrustRequest] {
        (policies.isEmpty ? [SecPolicyCreateBasicX509()] : policies).map { policy in
            TrustRequest(
                leaf: leaf.content.der,
                intermediates: certificates.dropFirst().map(\.content.der),
                anchors: trustAnchors,
                policy: policy.content,
                seconds: date.timeIntervalSinceReferenceDate
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

extension TrustFailure {
    fileprivate var status: OSStatus {
        switch self {
        case .noTrustedChain: errSecNotTrusted
        case .nameMismatch: errSecHostNameMismatch
        case .purposeMismatch: errSecInvalidExtendedKeyUsage
        case .expired: errSecCertificateExpired
        case .notYetValid: errSecCertificateNotValidYet
        case .revocationUnknown: errSecIncompleteCertRevocationCheck
        }
    }
}
