// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices

/// `find-key`: every key that agrees.
struct FindKey {
    let arguments: ScannedArguments

    func run() throws(Failure) {
        try KeychainCalls.check(operands: arguments.operands)
        var query = try arguments.dictionary(ofClass: kSecClassKey)
        if let label = arguments.value("application-label") {
            query[kSecAttrApplicationLabel] = NSData(
                data: Data(BlobText.bytes(hexadecimal: label) ?? Array(label.utf8))
            )
        }
        switch arguments.value("type") {
        case nil: break
        case "public": query[kSecAttrKeyClass] = kSecAttrKeyClassPublic
        case "private": query[kSecAttrKeyClass] = kSecAttrKeyClassPrivate
        case "symmetric": query[kSecAttrKeyClass] = kSecAttrKeyClassSymmetric
        default: throw .usage("a type is public, private or symmetric")
        }
        let listing = Listing(.told)
        let keys = try StoredObject.all(.key, agreeingIn: query, in: listing)
        guard !keys.isEmpty || listing.withheld != nil else {
            throw .status(errSecItemNotFound, step: "SecKeychainSearchCopyNext")
        }
        let directory = KeychainCalls.directory()
        for key in keys { try Console.write(key.block(keychain: directory)) }
        try listing.finish()
    }
}
