// SPDX-License-Identifier: Apache-2.0

#if Trust
import KeychainModel
import SwiftASN1
import X509

/// Checks the extended key usage of the leaf.
///
/// A certificate without extended key usage is valid for any purpose. Source: RFC 5280, section 4.2.1.12.
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

/// Checks that the certificate contains a given server name or address.
///
/// The name must be among the subject alternative names. The common name is ignored, as on Apple's platforms
/// since iOS 13.
struct ServerNamePolicy: VerifierPolicy {
    /// swift-certificates' check of the name; `nil` for a name with an empty label, which never matches.
    private var names: ServerIdentityPolicy?

    init(_ host: String) {
        // Drop the trailing dot of a fully qualified name.
        let host = host.hasSuffix(".") ? String(host.dropLast()) : host
        // swift-certificates traps on an empty label.
        let labels = host.split(separator: ".", omittingEmptySubsequences: false)
        guard host.contains(":") || !labels.contains(where: \.isEmpty) else { return }
        // An IP address matches only IP addresses, and no wildcard.
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

/// Accepts every certificate, including one whose subject alternative names are critical.
struct AnyNamePolicy: VerifierPolicy {
    let verifyingCriticalExtensions: [ASN1ObjectIdentifier] = [.X509ExtensionID.subjectAlternativeName]

    func chainMeetsPolicyRequirements(chain: UnverifiedCertificateChain) -> PolicyEvaluationResult {
        .meetsPolicy
    }
}

/// Accepts all extensions, so that another policy can be checked by itself.
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
