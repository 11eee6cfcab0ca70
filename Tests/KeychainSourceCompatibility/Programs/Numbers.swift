// SPDX-License-Identifier: Apache-2.0

import Foundation
import Security

// This sample program uses Booleans and numbers by their Core Foundation names, and reads bytes through
// pointers.

extension CFBoolean { var isTrue: Bool { CFBooleanGetValue(self) } }

enum Numbers {
    static func query(_ account: String) -> CFDictionary {
        [
            kSecClass: kSecClassGenericPassword, kSecAttrAccount: account as CFString,
            kSecReturnAttributes: true as CFBoolean, kSecReturnData: kCFBooleanTrue as CFBoolean,
            kSecMatchLimit: 1 as CFNumber,
        ] as CFDictionary
    }

    static func isSynchronizable(_ attributes: CFDictionary) -> Bool {
        guard let value = (attributes as NSDictionary)[kSecAttrSynchronizable] else { return false }
        return (value as! CFBoolean).isTrue
    }

    static func bytes(of data: CFData) -> [UInt8] {
        guard let pointer = CFDataGetBytePtr(data) else { return [] }
        return Array(UnsafeBufferPointer(start: pointer, count: CFDataGetLength(data)))
    }

    static func add(_ secret: [UInt8], account: String) -> OSStatus {
        secret.withUnsafeBufferPointer { buffer in
            let data: CFData = CFDataCreateWithBytesNoCopy(
                kCFAllocatorDefault,
                buffer.baseAddress,
                buffer.count,
                kCFAllocatorNull
            )
            let attributes: [CFString: Any] = [
                kSecClass: kSecClassGenericPassword, kSecAttrAccount: account, kSecValueData: data,
            ]
            return SecItemAdd(attributes as CFDictionary, nil)
        }
    }
}
