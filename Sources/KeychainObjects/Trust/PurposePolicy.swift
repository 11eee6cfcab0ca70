// SPDX-License-Identifier: Apache-2.0

#if Trust
import KeychainModel
import SwiftASN1
import X509

/// What the certificate may be used for, as it says itself.
///
/// A certificate without extended key usage is good for anything. Source: RFC 5280, section 4.2.1.12.
struct PurposePolicy: VerifierPolicy {
    private let usage: ExtendedKeyUsage.Usage?

    let verifyingCriticalExtensions: [ASN1ObjectIdentifier] = [.X509ExtensionID.extendedKeyUsage]

    init(_ policy: CertificatePolicy) {
        usage =
            switch policy {
            case .basic, .revocation: nil
            case .server: .serverAuth
            case .client: .clientAuth
            }
    }

    func chainMeetsPolicyRequirements(chain: UnverifiedCertificateChain) -> PolicyEvaluationResult {
        guard let usage else { return .meetsPolicy }
        do {
            guard let usages = try chain.leaf.extensions.extendedKeyUsage else { return .meetsPolicy }
            if usages.contains(usage) || usages.contains(.any) { return .meetsPolicy }
            return .failsToMeetPolicy(reason: "other purpose")
        } catch {
            return .failsToMeetPolicy(reason: "malformed extended key usage")
        }
    }
}

/// Whether the certificate names the server.
///
/// The name must be among the subject's alternative names: the common name is not looked at, as on Apple's platforms
/// since iOS 13.
struct ServerNamePolicy: VerifierPolicy {
    /// `nil` for a name that no server has.
    private var names: ServerIdentityPolicy?

    init(_ host: String) {
        // A final dot says that the name is complete.
        let host = host.hasSuffix(".") ? String(host.dropLast()) : host
        // The library stops the program at a name of one label and its dot.
        let labels = host.split(separator: ".", omittingEmptySubsequences: false)
        guard host.contains(":") || !labels.contains(where: \.isEmpty) else { return }
        // An address is compared with addresses alone, and no wildcard covers it.
        let isAddress = host.contains(":") || host.allSatisfy { $0.isNumber || $0 == "." }
        names = ServerIdentityPolicy(
            serverHostname: isAddress ? nil : host,
            serverIP: isAddress ? host : nil
        )
    }

    var verifyingCriticalExtensions: [ASN1ObjectIdentifier] { [.X509ExtensionID.subjectAlternativeName] }

    mutating func chainMeetsPolicyRequirements(chain: UnverifiedCertificateChain) -> PolicyEvaluationResult {
        do {
            guard let alternatives = try chain.leaf.extensions.subjectAlternativeNames, !alternatives.isEmpty
            else { return .failsToMeetPolicy(reason: "no alternative names") }
        } catch {
            return .failsToMeetPolicy(reason: "malformed alternative names")
        }
        return names?.chainMeetsPolicyRequirements(chain: chain)
            ?? .failsToMeetPolicy(reason: "an empty label")
    }
}

/// Any name will do, even in a critical extension.
struct AnyNamePolicy: VerifierPolicy {
    let verifyingCriticalExtensions: [ASN1ObjectIdentifier] = [.X509ExtensionID.subjectAlternativeName]

    func chainMeetsPolicyRequirements(chain: UnverifiedCertificateChain) -> PolicyEvaluationResult {
        .meetsPolicy
    }
}

/// Any extension will do, be it critical: what it says is another's question.
struct AnyExtensionPolicy: VerifierPolicy {
    let verifyingCriticalExtensions: [ASN1ObjectIdentifier]

    init(of certificate: Certificate) {
        verifyingCriticalExtensions = certificate.extensions.filter(\.critical).map(\.oid)
    }

    func chainMeetsPolicyRequirements(chain: UnverifiedCertificateChain) -> PolicyEvaluationResult {
        .meetsPolicy
    }
}
#endif
