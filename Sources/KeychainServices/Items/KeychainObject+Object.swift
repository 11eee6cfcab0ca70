// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainObjects

extension KeychainObject {
    /// The API object of this key, certificate or identity.
    var object: NSObject {
        switch self {
        case .key(let key): SecKey(key)
        case .certificate(let certificate): SecCertificate(certificate)
        case .identity(let identity): SecIdentity(identity)
        }
    }

    /// Converts an API object; `nil` unless it is a key, certificate or identity.
    init?(_ object: Any) {
        switch object {
        case let identity as SecIdentity:
            guard let content = Identity(identity.certificate.content, identity.privateKey.key) else {
                return nil
            }
            self = .identity(content)
        case let certificate as SecCertificate: self = .certificate(certificate.content)
        case let key as SecKey: self = .key(key.key)
        default: return nil
        }
    }
}
