// SPDX-License-Identifier: Apache-2.0

import X509

// This target does not depend on the product `Security`, and must not find its module.
#if canImport(Security)
#error("the module Security is found by targets that do not depend on it")
#endif

/// A program that uses only swift-certificates, and must link without the keychain.
@main struct Main {
    static func main() throws { print(try DistinguishedName { CommonName("CertificatesOnly") }) }
}
