// SPDX-License-Identifier: Apache-2.0

import X509

// What a package like swift-certificates would see that looks for Apple's module, wherever it is built.
#if canImport(Security)
#error("the module Security is found by targets that do not depend on it")
#endif

/// Uses swift-certificates alone, and so must link without the keychain.
@main struct Main {
    static func main() throws { print(try DistinguishedName { CommonName("CertificatesOnly") }) }
}
