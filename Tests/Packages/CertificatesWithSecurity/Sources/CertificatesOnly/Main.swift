// SPDX-License-Identifier: Apache-2.0

import X509

/// Uses swift-certificates alone, and so must link without the keychain.
@main struct Main {
    static func main() throws { print(try DistinguishedName { CommonName("CertificatesOnly") }) }
}
