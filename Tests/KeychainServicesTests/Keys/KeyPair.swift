// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices
import Testing

struct KeyPair {
    let `private`: SecKey
    let `public`: SecKey

    init(_ parameters: Entries) throws {
        self.private = try failing { SecKeyCreateRandomKey(parameters as CFDictionary, $0) }
        self.public = try #require(SecKeyCopyPublicKey(self.private))
    }

    static func rsa(_ more: Entries = [:]) throws -> Self {
        try Self(
            [kSecAttrKeyType as String: kSecAttrKeyTypeRSA, kSecAttrKeySizeInBits as String: 2_048].adding(
                more
            )
        )
    }

    static func ellipticCurve(_ bits: Int = 256, _ more: Entries = [:]) throws -> Self {
        try Self(
            [
                kSecAttrKeyType as String: kSecAttrKeyTypeECSECPrimeRandom,
                kSecAttrKeySizeInBits as String: bits,
            ].adding(more)
        )
    }
}

extension SecKey {
    private var attributes: [String: Any] {
        get throws { try #require(SecKeyCopyAttributes(self) as? [String: Any]) }
    }

    var isPrivate: Bool { get throws { try attributes[kSecAttrKeyClass as String] as? String == "1" } }

    var isRSA: Bool {
        get throws { try attributes[kSecAttrKeyType as String] as? String == kSecAttrKeyTypeRSA as String }
    }

    var bytes: Data { get throws { try failing { SecKeyCopyExternalRepresentation(self, $0) } as Data } }
}

typealias ErrorPointer = UnsafeMutablePointer<Unmanaged<CFError>?>

/// Calls a function with an error pointer; throws the error that it reports, or returns its result.
func failing<Result>(_ call: (ErrorPointer) -> Result?) throws -> Result {
    var error: Unmanaged<CFError>?
    let result = call(&error)
    let reported = error?.takeRetainedValue()
    if let reported { throw reported }
    return try #require(result)
}

/// Returns the status in a function's error, or 0 if there is a result.
///
/// The test fails if there are both or neither, or if a second call without an error pointer succeeds or fails
/// unlike the first.
func status<Result>(_ call: (ErrorPointer?) -> Result?) throws -> OSStatus {
    var error: Unmanaged<CFError>?
    let result = call(&error)
    #expect((call(nil) == nil) == (result == nil), "without a pointer")
    guard let reported = error?.takeRetainedValue() else {
        try #require(result != nil)
        return 0
    }
    #expect(result == nil)
    #expect(reported.domain == NSOSStatusErrorDomain)
    return OSStatus(reported.code)
}
