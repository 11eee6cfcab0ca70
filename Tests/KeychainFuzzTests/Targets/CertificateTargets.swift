// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainObjects

func fuzzCertificate(_ data: Data) {
    guard let certificate = try? ParsedCertificate(parsing: data) else { return }
    precondition(data.starts(with: certificate.der))
    precondition((1...3).contains(certificate.version) && !certificate.serialNumber.isEmpty)
    precondition(NormalizedName(parsing: certificate.issuer) == certificate.normalizedIssuer)
    precondition(NormalizedName(parsing: certificate.subject) == certificate.normalizedSubject)
    precondition((try? ParsedCertificate(parsing: certificate.der))?.der == certificate.der)
    _ = certificate.isValid(at: 0)
    _ = certificate.subjectKeyIdentifier
    _ = certificate.summary
    precondition(certificate.emailAddresses.allSatisfy { certificate.hasEmailAddress($0) })
    _ = certificate.dnsNames
    _ = certificate.commonNames
}

/// Parses and normalizes a distinguished name; normalizing it again must change nothing.
func fuzzName(_ data: Data) {
    guard let name = NormalizedName(parsing: data) else { return }
    precondition(name.sequence.count <= data.count)
    precondition(NormalizedName(parsing: name.sequence) == name)
}
