// SPDX-License-Identifier: Apache-2.0

import X509

// A package like swift-certificates would see the module here if it were visible.
#if canImport(Security)
#error("the module Security is found by targets that do not depend on it")
#endif

/// Uses only swift-certificates, and must therefore link without the keychain.
@main struct Main {
    static func main() throws { print(try DistinguishedName { CommonName("CertificatesOnly") }) }
}
