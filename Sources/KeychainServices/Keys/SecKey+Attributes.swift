// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import KeychainObjects

extension SecKey {
    /// The attributes as `SecKeyCopyAttributes` returns them: type and class as strings, flags as Booleans.
    var attributeDictionary: NSDictionary {
        let result: NSMutableDictionary = [
            kSecClass: kSecClassKey,
            kSecAttrKeyType: NSString(string: String(key.type.rawValue)),
            kSecAttrKeyClass: NSString(string: String(key.half.rawValue)),
            kSecAttrApplicationLabel: NSData(data: key.applicationLabel),
            kSecAttrKeySizeInBits: NSNumber(value: key.bits),
            kSecAttrEffectiveKeySize: NSNumber(value: key.bits),
        ]
        if key.isInToken {
            result[kSecAttrTokenID] = kSecAttrTokenIDSecureEnclave
        } else {
            result[kSecValueData] = ResultData(key.storedValue)
        }
        for flag in key.flags {
            result[NSString(string: flag.attribute.name)] = NSNumber(value: flag.isSet)
        }
        return result
    }
}
