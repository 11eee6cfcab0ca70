// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials

package struct Certificate {
    package init(parsing data: Data) throws(CertificateError) { throw .malformed }
    package var emailAddresses: [String] { [] }
    package func isValid(at seconds: Double) -> Bool { false }
}

package struct NormalizedName {
    package let content: Data
    package init?(parsing data: Data) { return nil }
}
