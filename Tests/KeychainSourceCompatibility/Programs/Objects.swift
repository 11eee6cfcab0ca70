// SPDX-License-Identifier: Apache-2.0

import Foundation
import Security

// This sample program checks the types of results by type ID, reads errors with functions, and uses random
// bytes.

enum Objects {
    static func kind(of item: CFTypeRef) -> String {
        switch CFGetTypeID(item) {
        case CFDataGetTypeID(): return "data"
        case CFDictionaryGetTypeID(): return "dictionary"
        case CFArrayGetTypeID(): return "array"
        case CFStringGetTypeID(): return "string"
        case CFBooleanGetTypeID(): return "boolean"
        case CFNumberGetTypeID(): return "number"
        case SecKeyGetTypeID(): return "key"
        case SecCertificateGetTypeID(): return "certificate"
        case SecIdentityGetTypeID(): return "identity"
        case SecAccessControlGetTypeID(): return "access control"
        default: return "other"
        }
    }

    static func text(of error: CFError) -> String {
        let domain = CFErrorGetDomain(error) as String
        let description = CFErrorCopyDescription(error) as String
        return "\(domain) \(CFErrorGetCode(error)): \(description)"
    }

    static func randomBytes(_ count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        let status = SecRandomCopyBytes(kSecRandomDefault, bytes.count, &bytes)
        return status == errSecSuccess ? bytes : nil
    }

    static func randomData(_ count: Int) -> Data? {
        var data = Data(count: count)
        let result = data.withUnsafeMutableBytes {
            SecRandomCopyBytes(kSecRandomDefault, count, $0.baseAddress!)
        }
        return result == errSecSuccess ? data : nil
    }

    static func nonce() -> UInt64 {
        var value: UInt64 = 0
        guard withUnsafeMutableBytes(of: &value, { SecRandomCopyBytes(nil, 8, $0.baseAddress!) }) == 0 else {
            return 0
        }
        return value
    }
}
