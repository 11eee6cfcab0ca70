// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials
package import KeychainModel

/// Whether a certificate is to be trusted: the one place that asks swift-certificates.
///
/// Without the package trait `Trust` every call throws ``KeychainModel/Status/unimplemented``.
package enum CertificateTrust {
    /// Says whether a certificate leads to a root of the system and is good for a purpose.
    ///
    /// - Parameters:
    ///   - leaf: The certificate, in DER.
    ///   - intermediates: Certificates that may lie between it and a root, in DER; what is no certificate is left out.
    ///   - policy: What it must be good for.
    ///   - seconds: The moment at which everything must be valid, in seconds since 2001.
    /// - Returns: Whether it is trusted.
    /// - Throws: `undecodable` for a leaf that is no certificate, `notAvailable` if the roots cannot be read,
    ///   `unimplemented` without the trait.
    package static func isTrusted(
        leaf: Data,
        intermediates: [Data],
        policy: CertificatePolicy,
        at seconds: Double
    ) throws(StatusError) -> Bool {
        let question = TrustQuestion(
            leaf: leaf,
            intermediates: intermediates,
            anchors: .system,
            policy: policy,
            seconds: seconds
        )
        #if Trust
        return try ChainVerifier(question).isTrusted()
        #else
        throw StatusError(.unimplemented, .trustTraitDisabled)
        #endif
    }

    /// Looks for a way from the certificate to an anchor.
    package static func evaluate(_ question: TrustQuestion) throws(StatusError) -> TrustVerdict {
        #if Trust
        return try ChainVerifier(question).verdict()
        #else
        throw StatusError(.unimplemented, .trustTraitDisabled)
        #endif
    }

    /// Everything that is to be said against the certificate, where ``evaluate(_:)`` stops at the first reason.
    ///
    /// Dates count for the certificates of a way to an anchor, if no other way is valid; where there is none, for the
    /// certificate itself alone.
    package static func refusals(_ question: TrustQuestion) throws(StatusError) -> Set<TrustRefusal> {
        #if Trust
        return try ChainVerifier(question).refusals()
        #else
        throw StatusError(.unimplemented, .trustTraitDisabled)
        #endif
    }
}

/// What is asked about a certificate.
package struct TrustQuestion: Sendable {
    /// The certificate, in DER.
    package var leaf: Data
    /// Certificates that may lie between it and an anchor, in DER.
    package var intermediates: [Data]
    package var anchors: TrustAnchors
    package var policy: CertificatePolicy
    /// The moment at which everything must be valid, in seconds since 2001.
    package var seconds: Double

    package init(
        leaf: Data,
        intermediates: [Data],
        anchors: TrustAnchors,
        policy: CertificatePolicy,
        seconds: Double
    ) {
        self.leaf = leaf
        self.intermediates = intermediates
        self.anchors = anchors
        self.policy = policy
        self.seconds = seconds
    }
}

/// Where trust begins; certificates are in DER.
package enum TrustAnchors: Sendable {
    /// The roots that the administrator of the system installed.
    case system
    case systemAnd([Data])
    case only([Data])
}

/// The answer.
package enum TrustVerdict: Hashable, Sendable {
    /// The certificates from the leaf to the anchor, in DER.
    case trusted(chain: [Data])
    case refused(TrustRefusal)
}

/// Why a certificate is not trusted; of several reasons the first.
package enum TrustRefusal: Hashable, Sendable, CaseIterable {
    /// No way leads to an anchor, or a certificate on every way forbids it.
    case noWay
    /// There is a way, but the name is not in the certificate.
    case otherName
    /// There is a way, but the certificate is meant for something else.
    case otherPurpose
    /// There is a way, but a certificate of it is no longer valid.
    case expired
    /// There is a way, but a certificate of it is not valid yet.
    case notYetValid
    /// There is a way, but nobody said that nothing on it was revoked.
    case unknownRevocation
}
