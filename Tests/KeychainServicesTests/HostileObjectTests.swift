// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices
import KeychainTestSupport
import Testing

/// Collections that contain themselves as arguments of key, certificate and trust functions.
///
/// Each call fails, but does not crash.
@Suite struct HostileObjectTests {
    /// An array and a dictionary that contain themselves; `deinit` breaks the cycles.
    private final class Loops {
        let array = NSMutableArray()
        let dictionary = NSMutableDictionary()

        init() {
            array.add(array)
            dictionary.setObject(dictionary, forKey: "dictionary" as NSString)
        }

        deinit {
            array.removeAllObjects()
            dictionary.removeAllObjects()
        }

        var all: [Any] { [array, dictionary] }
    }

    private let loops = Loops()

    private func dictionary(_ pairs: [(NSString, Any)]) -> NSDictionary {
        let dictionary = NSMutableDictionary()
        for (key, value) in pairs { dictionary.setObject(value, forKey: key) }
        return dictionary
    }

    @Test(
        arguments: [
            kSecAttrKeyType, kSecAttrKeySizeInBits, kSecPrivateKeyAttrs, kSecAttrIsPermanent, kSecAttrTokenID,
        ].map { $0 as String }
    )
    func `generating a key with a recursive value fails`(name: String) throws {
        let key = name as NSString
        // `kSecPrivateKeyAttrs` takes a dictionary of attributes, so only a recursive array is an error there.
        for loop in key == kSecPrivateKeyAttrs ? [loops.array] : loops.all {
            let usual: [(NSString, Any)] = [
                (kSecAttrKeyType, kSecAttrKeyTypeECSECPrimeRandom), (kSecAttrKeySizeInBits, 256),
            ]
            let parameters = dictionary(usual + [(key, loop)])
            let expected = key == kSecAttrTokenID ? errSecUnimplemented : errSecParam
            #expect(try status { SecKeyCreateRandomKey(parameters, $0) } == expected)
        }
    }

    @Test func `generating a permanent key with a recursive value fails`() throws {
        let half = dictionary([(kSecAttrIsPermanent, true), (kSecAttrLabel, loops.array)])
        let parameters = dictionary([
            (kSecAttrKeyType, kSecAttrKeyTypeECSECPrimeRandom), (kSecAttrKeySizeInBits, 256),
            (kSecPrivateKeyAttrs, half),
        ])
        #expect(try status { SecKeyCreateRandomKey(parameters, $0) } == errSecParam)
    }

    @Test(arguments: [kSecAttrKeyType as String, kSecAttrKeyClass as String])
    func `SecKeyCreateWithData with a recursive value fails`(name: String) throws {
        let key = name as NSString
        let bytes = try KeyPair.ellipticCurve().public.bytes
        for loop in loops.all {
            let attributes = dictionary([
                (kSecAttrKeyType, kSecAttrKeyTypeECSECPrimeRandom),
                (kSecAttrKeyClass, kSecAttrKeyClassPublic), (key, loop),
            ])
            #expect(try status { SecKeyCreateWithData(bytes as CFData, attributes, $0) } == errSecParam)
        }
    }

    @Test(
        arguments: [
            SecKeyKeyExchangeParameter.requestedSize, SecKeyKeyExchangeParameter.sharedInfo,
        ]
    )
    func `key exchange with a recursive value fails`(key: SecKeyKeyExchangeParameter) throws {
        let pair = try KeyPair.ellipticCurve()
        for loop in loops.all {
            let parameters = dictionary([(key.rawValue as NSString, loop)])
            #expect(
                try status {
                    SecKeyCopyKeyExchangeResult(
                        pair.private,
                        .ecdhKeyExchangeStandardX963SHA256,
                        pair.public,
                        parameters,
                        $0
                    )
                } == errSecParam
            )
        }
    }

    @Test func `importing with a recursive passphrase fails`() {
        for loop in loops.all {
            var items: CFArray?
            let options = dictionary([(kSecImportExportPassphrase, loop)])
            #expect(SecPKCS12Import(NSData(), options, &items) == errSecParam)
        }
    }

    @Test func `evaluating trust with a recursive value fails`() throws {
        for loop in loops.all {
            var trust: SecTrust?
            #expect(SecTrustCreateWithCertificates(loop as AnyObject, nil, &trust) == errSecParam)
            #expect(trust == nil)
        }
    }

    @Test func `creating a policy with a recursive value fails`() {
        for loop in loops.all {
            for name in [kSecPolicyName, kSecPolicyClient] {
                let names = dictionary([(name, loop)])
                #expect(SecPolicyCreateWithProperties(kSecPolicyAppleSSL, names) == nil)
            }
            let flags = dictionary([(kSecPolicyRevocationFlags, loop)])
            #expect(SecPolicyCreateWithProperties(kSecPolicyAppleRevocation, flags) == nil)
        }
    }

    @Test func `exporting a recursive value fails`() {
        for loop in loops.all {
            var file: CFData?
            #expect(SecItemExport(loop as AnyObject, .formatUnknown, [], nil, &file) == errSecParam)
            #expect(file == nil)
        }
    }
}
