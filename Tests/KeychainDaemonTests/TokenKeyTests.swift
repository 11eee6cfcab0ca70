// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainClient
import KeychainModel
import KeychainServices
import KeychainStore
import KeychainTestSupport
import Testing

/// Private keys that the daemon makes and uses, and that never leave it.
@Suite struct TokenKeyTests {
    private static let label = "canary key"

    private static func parameters(_ more: [CFString: Any] = [:]) -> CFDictionary {
        let own: [CFString: Any] = [kSecAttrIsPermanent: true, kSecAttrLabel: label]
        return [
            kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits: 256,
            kSecAttrTokenID: kSecAttrTokenIDSecureEnclave,
            kSecPrivateKeyAttrs: own.merging(more) { $1 },
        ] as [CFString: Any] as CFDictionary
    }

    private static func make(_ more: [CFString: Any] = [:]) -> (key: SecKey?, status: Int) {
        var error: Unmanaged<CFError>?
        let key = SecKeyCreateRandomKey(parameters(more), &error)
        return (key, error?.takeRetainedValue().code ?? 0)
    }

    private static func found(
        _ returning: CFString,
        _ more: [CFString: Any] = [:]
    ) -> (object: CFTypeRef?, OSStatus) {
        var found: CFTypeRef?
        let query: [CFString: Any] = [
            kSecClass: kSecClassKey, kSecAttrKeyClass: kSecAttrKeyClassPrivate, kSecAttrLabel: label,
            returning: true,
        ]
        let status = SecItemCopyMatching(query.merging(more) { $1 } as CFDictionary, &found)
        return (found, status)
    }

    private static var message: CFData { Data("a message".utf8) as CFData }
    private static let algorithm = SecKeyAlgorithm.ecdsaSignatureMessageX962SHA256

    @Test(arguments: TestedService.Kind.allCases)
    func `a key signs, and its public key verifies`(kind: TestedService.Kind) throws {
        try TestedService.with(kind) { daemon in
            try daemon.run {
                let key = try #require(Self.make().key)
                let publicKey = try #require(SecKeyCopyPublicKey(key))
                for algorithm in [
                    Self.algorithm, .ecdsaSignatureMessageX962SHA512, .ecdsaSignatureMessageRFC4754SHA256,
                ] {
                    let signature = try #require(SecKeyCreateSignature(key, algorithm, Self.message, nil))
                    #expect(SecKeyVerifySignature(publicKey, algorithm, Self.message, signature, nil))
                    let other = Data("another message".utf8) as CFData
                    #expect(!SecKeyVerifySignature(publicKey, algorithm, other, signature, nil))
                }
            }
        }
    }

    @Test(arguments: TestedService.Kind.allCases)
    func `a key is found again, and signs after the daemon was started again`(kind: TestedService.Kind) throws
    {
        try TestedService.with(kind) { daemon in
            let made = try daemon.run { Self.make().key }
            daemon.kill()
            try daemon.restart()
            try daemon.run {
                let (object, status) = Self.found(kSecReturnRef)
                #expect(status == errSecSuccess)
                let key = try #require(object as? SecKey)
                #expect(key == made)
                let signature = try #require(SecKeyCreateSignature(key, Self.algorithm, Self.message, nil))
                let publicKey = try #require(SecKeyCopyPublicKey(key))
                #expect(SecKeyVerifySignature(publicKey, Self.algorithm, Self.message, signature, nil))
            }
        }
    }

    @Test(
        arguments: [SecKeyAlgorithm.ecdhKeyExchangeStandard, .ecdhKeyExchangeStandardX963SHA256],
        TestedService.Kind.allCases
    )
    func `both parties of a key exchange get the same secret`(
        algorithm: SecKeyAlgorithm,
        kind: TestedService.Kind
    ) throws {
        try TestedService.with(kind) { daemon in
            try daemon.run {
                let key = try #require(Self.make().key)
                let other = try #require(
                    SecKeyCreateRandomKey(
                        [kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits: 256]
                            as CFDictionary,
                        nil
                    )
                )
                let parameters =
                    [
                        SecKeyKeyExchangeParameter.requestedSize.rawValue: 48,
                        SecKeyKeyExchangeParameter.sharedInfo.rawValue: Data("info".utf8),
                    ] as CFDictionary
                let publics = try [key, other].map { try #require(SecKeyCopyPublicKey($0)) }
                let one = SecKeyCopyKeyExchangeResult(key, algorithm, publics[1], parameters, nil)
                let two = SecKeyCopyKeyExchangeResult(other, algorithm, publics[0], parameters, nil)
                #expect(one != nil)
                #expect(one == two)
            }
        }
    }

    @Test func `the private half has no external representation and is not in any result`() throws {
        try DaemonProcess.with { daemon in
            try daemon.run {
                let key = try #require(Self.make().key)
                var error: Unmanaged<CFError>?
                #expect(SecKeyCopyExternalRepresentation(key, &error) == nil)
                #expect(error?.takeRetainedValue().code == Int(errSecUnimplemented))
                let attributes = try #require(SecKeyCopyAttributes(key))
                #expect(attributes[kSecValueData] == nil)
                // The value of the item is the public key.
                let publicKey = try #require(SecKeyCopyPublicKey(key))
                let point = SecKeyCopyExternalRepresentation(publicKey, nil)
                #expect(Self.found(kSecReturnData).object as? Data == point as Data?)
                #expect(point?.length == 65)
            }
            // Even a program that claims the access group of the daemon's private keys does not find them.
            try daemon.run(as: [KeyToken.privateGroup, "*"]) {
                for returning in [kSecReturnData, kSecReturnAttributes] {
                    var found: CFTypeRef?
                    var query: [CFString: Any] = [
                        kSecClass: kSecClassGenericPassword, kSecReturnData: true,
                        kSecMatchLimit: kSecMatchLimitAll,
                    ]
                    query[returning] = true
                    #expect(SecItemCopyMatching(query as CFDictionary, &found) == errSecItemNotFound)
                }
                // A search of all access groups finds other items, but not the private half.
                let other: [CFString: Any] = [
                    kSecClass: kSecClassGenericPassword, kSecAttrAccount: "other",
                    kSecAttrAccessGroup: "TEAM.app",
                    kSecValueData: Data("canary other".utf8),
                ]
                #expect(SecItemAdd(other as CFDictionary, nil) == errSecSuccess)
                var found: CFTypeRef?
                let query: [CFString: Any] = [
                    kSecClass: kSecClassGenericPassword, kSecReturnData: true,
                    kSecMatchLimit: kSecMatchLimitAll,
                ]
                #expect(SecItemCopyMatching(query as CFDictionary, &found) == errSecSuccess)
                #expect(found as? [Data] == [Data("canary other".utf8)])
            }
        }
    }

    @Test func `another program without the access group cannot use a key`() throws {
        try DaemonProcess.with { daemon in
            let made = try daemon.run { Self.make().key }
            let key = try #require(made)
            try daemon.run(as: ["TEAM.other"]) {
                var error: Unmanaged<CFError>?
                #expect(SecKeyCreateSignature(key, Self.algorithm, Self.message, &error) == nil)
                #expect(error?.takeRetainedValue().code == Int(errSecItemNotFound))
            }
        }
    }

    @Test(arguments: TestedService.Kind.allCases)
    func `an access control with privateKeyUsage prompts for a use, and not for reading the item`(
        kind: TestedService.Kind
    ) throws {
        let answers = try ScriptedPinentry([
            .passcode(SearchedKeychain.passcode), .passcode(SearchedKeychain.passcode),
        ])
        try answers.answering {
            try TestedService.with(kind) { daemon in
                try daemon.client().setPasscode(SecretBytes(SearchedKeychain.passcode))
                try daemon.run {
                    let control = try #require(
                        SecAccessControlCreateWithFlags(
                            nil,
                            kSecAttrAccessibleWhenUnlocked,
                            [.privateKeyUsage, .devicePasscode],
                            nil
                        )
                    )
                    let key = try #require(Self.make([kSecAttrAccessControl: control]).key)
                    #expect(Self.found(kSecReturnRef).1 == errSecSuccess)
                    #expect(Self.found(kSecReturnAttributes).1 == errSecSuccess)
                    #expect(answers.prompts == 0)
                    #expect(SecKeyCreateSignature(key, Self.algorithm, Self.message, nil) != nil)
                    #expect(answers.prompts == 1)
                }
            }
        }
    }

    private static func certificate(for publicKey: SecKey) throws -> SecCertificate {
        let point = try #require(SecKeyCopyExternalRepresentation(publicKey, nil)) as Data
        // The DER bytes of a P-256 SubjectPublicKeyInfo, up to the first byte of the point.
        let header = "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE"
        let key = try #require(Data(base64Encoded: header)).dropLast() + point
        let folder = try OpenSSLFolder()
        let encoded = key.base64EncodedString(options: .lineLength64Characters)
        try folder.write(
            Data("-----BEGIN PUBLIC KEY-----\n\(encoded)\n-----END PUBLIC KEY-----\n".utf8),
            to: "public.pem"
        )
        try folder.openssl(
            "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout ca.key -out ca.pem -subj /CN=canary"
        )
        try folder.openssl(
            """
            x509 -new -force_pubkey public.pem -CA ca.pem -CAkey ca.key -subj /CN=canary-leaf \
            -outform DER -out leaf.der
            """
        )
        return try #require(SecCertificateCreateWithData(nil, folder.read("leaf.der") as CFData))
    }

    @Test(arguments: TestedService.Kind.allCases)
    func `an identity signs with a private key that the daemon keeps`(kind: TestedService.Kind) throws {
        try TestedService.with(kind) { daemon in
            try daemon.run {
                let key = try #require(Self.make().key)
                let publicKey = try #require(SecKeyCopyPublicKey(key))
                let certificate = try Self.certificate(for: publicKey)
                let item: [CFString: Any] = [kSecClass: kSecClassCertificate, kSecValueRef: certificate]
                #expect(SecItemAdd(item as CFDictionary, nil) == errSecSuccess)
                let query = [kSecClass: kSecClassIdentity, kSecReturnRef: true] as [CFString: Any]
                var found: CFTypeRef?
                #expect(SecItemCopyMatching(query as CFDictionary, &found) == errSecSuccess)
                var created: SecIdentity?
                let status = SecIdentityCreateWithCertificate(nil, certificate, &created)
                #expect(status == errSecSuccess)
                for identity in try [#require(found as? SecIdentity), #require(created)] {
                    var privateKey: SecKey?
                    #expect(SecIdentityCopyPrivateKey(identity, &privateKey) == errSecSuccess)
                    let own = try #require(privateKey)
                    let signature = try #require(
                        SecKeyCreateSignature(own, Self.algorithm, Self.message, nil)
                    )
                    #expect(SecKeyVerifySignature(publicKey, Self.algorithm, Self.message, signature, nil))
                }
            }
        }
    }

    @Test func `deleting the item deletes the private half`() throws {
        try DaemonProcess.with { daemon in
            try daemon.run {
                let key = try #require(Self.make().key)
                let query = [kSecClass: kSecClassKey, kSecAttrLabel: Self.label] as CFDictionary
                #expect(SecItemDelete(query) == errSecSuccess)
                #expect(SecKeyCreateSignature(key, Self.algorithm, Self.message, nil) == nil)
            }
            #expect(try Self.privateHalves(daemon) == 0)
        }
    }

    private static func privateHalves(_ daemon: DaemonProcess) throws -> UInt64 {
        try daemon.client([KeyToken.privateGroup]).itemCount(in: [KeyToken.privateGroup])
    }

    @Test func `a key is permanent by default`() throws {
        try DaemonProcess.with { daemon in
            try daemon.run {
                let parameters: [CFString: Any] = [
                    kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits: 256,
                    kSecAttrTokenID: kSecAttrTokenIDSecureEnclave,
                    kSecPrivateKeyAttrs: [kSecAttrLabel: Self.label] as [CFString: Any],
                ]
                let key = try #require(SecKeyCreateRandomKey(parameters as CFDictionary, nil))
                #expect(Self.found(kSecReturnRef).object as? SecKey == key)
            }
            #expect(try Self.privateHalves(daemon) == 1)
        }
    }

    @Test func `a key whose public key cannot be stored is not kept`() throws {
        try DaemonProcess.with { daemon in
            try daemon.run {
                let parameters = try #require(Self.parameters().mutableCopy() as? NSMutableDictionary)
                parameters[kSecPublicKeyAttrs] =
                    [
                        kSecAttrIsPermanent: true, kSecAttrAccessGroup: "TEAM.foreign",
                    ] as [CFString: Any]
                var error: Unmanaged<CFError>?
                #expect(SecKeyCreateRandomKey(parameters, &error) == nil)
                #expect(error?.takeRetainedValue().code == Int(errSecMissingEntitlement))
                #expect(Self.found(kSecReturnAttributes).1 == errSecItemNotFound)
            }
            #expect(try Self.privateHalves(daemon) == 0)
        }
    }

    @Test func `a key of another access group cannot be made`() throws {
        try DaemonProcess.with { daemon in
            try daemon.run {
                #expect(
                    Self.make([kSecAttrAccessGroup: "TEAM.foreign"]).status == Int(errSecMissingEntitlement)
                )
            }
            #expect(try Self.privateHalves(daemon) == 0)
        }
    }

    @Test(arguments: TestedService.Kind.allCases)
    func `a key that could be synchronized is refused`(kind: TestedService.Kind) throws {
        try TestedService.with(kind) { daemon in
            try daemon.run {
                #expect(Self.make([kSecAttrSynchronizable: true]).status == Int(errSecParam))
                #expect(Self.found(kSecReturnAttributes).1 == errSecItemNotFound)
            }
        }
    }

    @Test(arguments: TestedService.Kind.allCases)
    func `a key of a locked store does not sign until the store is unlocked`(kind: TestedService.Kind) throws
    {
        try TestedService.with(kind) { daemon in
            let client = daemon.client()
            try client.setPasscode(SecretBytes(SearchedKeychain.passcode))
            try daemon.run {
                let key = try #require(Self.make().key)
                try client.lock()
                var error: Unmanaged<CFError>?
                #expect(SecKeyCreateSignature(key, Self.algorithm, Self.message, &error) == nil)
                #expect(error?.takeRetainedValue().code == Int(errSecInteractionNotAllowed))
                try client.unlock(with: SecretBytes(SearchedKeychain.passcode))
                #expect(SecKeyCreateSignature(key, Self.algorithm, Self.message, nil) != nil)
            }
        }
    }

    @Test func `a key does not sign after its private key is deleted by another program of the group`() throws
    {
        try DaemonProcess.with { daemon in
            let key = try #require(try daemon.run { Self.make().key })
            try daemon.run(as: ["TEAM.app", "TEAM.second"]) {
                let query = [kSecClass: kSecClassKey, kSecAttrLabel: Self.label] as CFDictionary
                #expect(SecItemDelete(query) == errSecSuccess)
            }
            try daemon.run {
                var error: Unmanaged<CFError>?
                #expect(SecKeyCreateSignature(key, Self.algorithm, Self.message, &error) == nil)
                #expect(error?.takeRetainedValue().code == Int(errSecItemNotFound))
            }
        }
    }

    @Test func `the audit log records the uses of a key and the refused uses`() throws {
        try DaemonProcess.with { daemon in
            let key = try #require(try daemon.run { Self.make().key })
            for groups in [["TEAM.app"], ["TEAM.other"]] {
                try daemon.run(as: groups) {
                    _ = SecKeyCreateSignature(key, Self.algorithm, Self.message, nil)
                }
            }
            var uses: [String] = []
            _ = try AuditLogReader.verify(daemon.store.path + ".audit") { record in
                if record["operation"] == "use" { uses.append(record["result"]) }
            }
            #expect(uses == ["0", "\(errSecItemNotFound)"])
        }
    }

    @Test(arguments: TestedService.Kind.allCases)
    func `other sizes, tokens and temporary keys are refused`(kind: TestedService.Kind) throws {
        let refused: [(changes: [CFString: Any], status: OSStatus)] = [
            ([kSecAttrKeySizeInBits: 384], errSecParam),
            ([kSecAttrTokenID: "com.example.token"], errSecUnimplemented),
            ([kSecPrivateKeyAttrs: [kSecAttrIsPermanent: false]], errSecUnimplemented),
        ]
        try TestedService.with(kind) { daemon in
            try daemon.run {
                for (changes, status) in refused {
                    let parameters = try #require(Self.parameters().mutableCopy() as? NSMutableDictionary)
                    for (name, value) in changes { parameters[name] = value }
                    var error: Unmanaged<CFError>?
                    #expect(SecKeyCreateRandomKey(parameters, &error) == nil)
                    #expect(error?.takeRetainedValue().code == Int(status))
                }
            }
        }
    }
}
