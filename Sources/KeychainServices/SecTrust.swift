// SPDX-License-Identifier: Apache-2.0

import CertificateTrust
public import Foundation
import KeychainModel
import Synchronization

/// A question about a certificate, and its answer once it has been asked.
///
/// It is safe from any thread.
public final class SecTrust: NSObject, Sendable {
    struct State: Sendable {
        /// The certificate that is asked about, and behind it what may lie between it and an anchor.
        var certificates: [SecCertificate]
        var policies: [SecPolicy]
        /// `nil` stands for the roots of the system alone.
        var anchors: [SecCertificate]?
        var anchorsOnly: Bool?
        /// `nil` stands for the moment of the question.
        var date: Date?
        /// Counts the changes.
        var version = 0
        /// `nil` until it is asked, and again when something of the question has changed.
        var answer: Answer?
    }

    struct Answer: Sendable {
        let result: SecTrustResultType
        let status: OSStatus
        let chain: [SecCertificate]
    }

    private let content: Mutex<State>

    init(certificates: [SecCertificate], policies: [SecPolicy]) {
        content = Mutex(State(certificates: certificates, policies: policies))
    }

    var state: State { content.withLock { $0 } }

    /// Changes the question, which makes an earlier answer void.
    func change(_ body: (inout State) -> Void) {
        content.withLock { state in
            body(&state)
            state.answer = nil
            state.version += 1
        }
    }

    /// The answer, asked for at most once per question.
    func answer() -> Answer {
        let state = state
        if let answer = state.answer { return answer }
        let answer = state.ask()
        // What another thread has changed meanwhile is another question.
        content.withLock { if $0.version == state.version { $0.answer = answer } }
        return answer
    }
}

/// Whether a certificate is trusted.
public enum SecTrustResultType: UInt32, Sendable {
    /// Nobody has asked yet, or the question cannot be answered.
    case invalid = 0
    /// The user trusts it expressly, which is not recorded here.
    case proceed = 1
    /// The user trusts nothing of the kind, which is not recorded here.
    case deny = 3
    /// It leads to an anchor, which is what most trusted certificates do.
    case unspecified = 4
    /// It is not trusted, but might be with another question.
    case recoverableTrustFailure = 5
    /// It is not trusted because it is damaged.
    case fatalTrustFailure = 6
    /// The question could not be answered.
    case otherError = 7
}

extension SecTrust.State {
    fileprivate func ask() -> SecTrust.Answer {
        guard let leaf = certificates.first else {
            return SecTrust.Answer(result: .invalid, status: errSecParam, chain: [])
        }
        var chain: [SecCertificate] = []
        for policy in policies.isEmpty ? [SecPolicyCreateBasicX509()] : policies {
            let question = TrustQuestion(
                leaf: leaf.storedValue,
                intermediates: certificates.dropFirst().map(\.storedValue),
                anchors: trustAnchors,
                policy: policy.content,
                seconds: (date ?? .now).timeIntervalSinceReferenceDate
            )
            do throws(KeychainError) {
                switch try CertificateTrust.evaluate(question) {
                case .trusted(let found):
                    chain = found.compactMap { SecCertificate(stored: $0, attributes: Attributes()) }
                case .refused(let refusal):
                    return SecTrust.Answer(
                        result: .recoverableTrustFailure,
                        status: refusal.status,
                        chain: certificates
                    )
                }
            } catch {
                let result: SecTrustResultType =
                    error.status == .undecodable ? .fatalTrustFailure : .otherError
                return SecTrust.Answer(result: result, status: error.status.rawValue, chain: [])
            }
        }
        return SecTrust.Answer(result: .unspecified, status: errSecSuccess, chain: chain)
    }

    private var trustAnchors: TrustAnchors {
        guard let anchors = anchors?.map(\.storedValue) else {
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
        }
    }
}
