// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials
package import KeychainModel

/// Verifies certificate chains with swift-certificates.
///
/// Without the package trait `Trust` every function throws ``KeychainModel/Status/unimplemented``.
package enum CertificateTrust {
    /// Returns whether a certificate chains to a system root and satisfies a policy.
    ///
    /// - Parameters:
    ///   - leaf: The certificate, in DER.
    ///   - intermediates: Possible intermediate certificates, in DER; malformed ones are ignored.
    ///   - policy: The policy to satisfy.
    ///   - seconds: The verification date, in seconds since 2001-01-01 00:00 UTC.
    /// - Returns: Whether the certificate is trusted.
    /// - Throws: `undecodable` for a malformed leaf, `notAvailable` if the roots cannot be read,
    ///   `unimplemented` without the trait.
    package static func isTrusted(
        leaf: Data,
        intermediates: [Data],
        policy: CertificatePolicy,
        at seconds: Double
    ) throws(StatusError) -> Bool {
        let request = TrustRequest(
            leaf: leaf,
            intermediates: intermediates,
            anchors: .system,
            policy: policy,
            seconds: seconds
        )
        #if Trust
        return try ChainVerifier(request).isTrusted()
        #else
        throw StatusError(.unimplemented, .trustTraitDisabled)
        #endif
    }

    /// Verifies a certificate and returns its chain or the first failure.
    package static func evaluate(_ request: TrustRequest) throws(StatusError) -> TrustResult {
        #if Trust
        return try ChainVerifier(request).evaluate()
        #else
        throw StatusError(.unimplemented, .trustTraitDisabled)
        #endif
    }

    /// Returns every reason not to trust the certificate.
    ///
    /// Validity dates are a reason only if no chain to an anchor is valid at the verification date; without a
    /// chain, only the dates of the leaf are checked.
    package static func failures(_ request: TrustRequest) throws(StatusError) -> Set<TrustFailure> {
        #if Trust
        return try ChainVerifier(request).failures()
        #else
        throw StatusError(.unimplemented, .trustTraitDisabled)
        #endif
    }
}

package struct TrustRequest: Sendable {
    /// The certificate, in DER.
    package var leaf: Data
    /// Possible intermediate certificates, in DER.
    package var intermediates: [Data]
    package var anchors: TrustAnchors
    package var policy: CertificatePolicy
    /// The verification date, in seconds since 2001-01-01 00:00 UTC.
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

/// The trust anchors; certificates are in DER.
package enum TrustAnchors: Sendable {
    /// The roots installed on the system.
    case system
    case systemAnd([Data])
    case only([Data])
}

package enum TrustResult: Hashable, Sendable {
    /// The certificates from the leaf to the anchor, in DER.
    case trusted(chain: [Data])
    case untrusted(TrustFailure)
}

package enum TrustFailure: Hashable, Sendable, CaseIterable {
    /// No chain leads to a trusted anchor without violating a constraint of its certificates.
    case noTrustedChain
    /// The certificate does not contain the host name of the policy.
    case nameMismatch
    /// The certificate is not for the purpose of the policy.
    case purposeMismatch
    /// A certificate in the chain has expired, or the certificate itself if it has no chain.
    case expired
    /// A certificate in the chain is not valid yet, or the certificate itself if it has no chain.
    case notYetValid
    /// The policy requires the revocation status, which is always unknown.
    case revocationUnknown
}
