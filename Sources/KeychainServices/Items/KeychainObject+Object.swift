// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainObjects

extension KeychainObject {
    /// The object that stands for it in the API.
    var object: NSObject {
        switch self {
        case .key(let key): SecKey(key)
        case .certificate(let certificate): SecCertificate(certificate)
        case .identity(let identity): SecIdentity(identity)
        }
    }

    /// What an object of the API stands for; `nil` for any other object.
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
