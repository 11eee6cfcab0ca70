// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import KeychainServices
import KeychainStore
import KeychainTestSupport
import Testing

/// What is left in memory of secrets that went through the keychain.
@Suite(.searchedKeychain, .serialized) struct KeyMemoryTests {
    /// A kind of key and where its external representation has what is private.
    struct Kind: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let type: @Sendable () -> CFString
        let bits: Int
        let places: @Sendable (UnsafeRawBufferPointer) -> [Range<Int>]

        func key() throws -> SecKey {
            let parameters: [CFString: Any] = [kSecAttrKeyType: type(), kSecAttrKeySizeInBits: bits]
            return try #require(SecKeyCreateRandomKey(parameters as CFDictionary, nil))
        }

        /// What must not be found: the private numbers of a key as they are written, and as they are computed with.
        func numbers(of key: SecKey) throws -> [Hidden] {
            let bytes = try #require(SecKeyCopyExternalRepresentation(key, nil))
            let all = UnsafeRawBufferPointer(start: bytes.bytes, count: bytes.length)
            let hidden = places(all).map { Hidden(UnsafeRawBufferPointer(rebasing: all[$0])) }
            return hidden + hidden.map(\.reversed)
        }
    }

    static let kinds = [
        // The number is behind the point.
        Kind(testDescription: "P-256", type: { kSecAttrKeyTypeECSECPrimeRandom }, bits: 256) {
            [65..<$0.count]
        },
        // 32 bytes from the middle of the private exponent and of each prime.
        Kind(testDescription: "RSA", type: { kSecAttrKeyTypeRSA }, bits: 2_048) { bytes in
            let integers = integers(in: bytes)
            return integers[3...5].map { $0.lowerBound + 48..<$0.lowerBound + 80 }
        },
    ]

    /// Where the integers of a PKCS#1 structure are: each is a tag, a size of one to three bytes, and digits.
    private static func integers(in bytes: UnsafeRawBufferPointer) -> [Range<Int>] {
        var integers: [Range<Int>] = []
        // Behind the head of the structure, which is longer than 255 bytes.
        var place = 4
        while place < bytes.count {
            let size = bytes[place + 1]
            let more = size < 0x80 ? 0 : Int(size & 0x7F)
            let start = place + 2 + more
            let count = bytes[place + 2..<start].reduce(more == 0 ? Int(size) : 0) { $0 << 8 | Int($1) }
            integers.append(start..<start + count)
            place = start + count
        }
        return integers
    }

    private static func query(_ more: [CFString: Any]) -> CFDictionary {
        let query: [CFString: Any] = [kSecClass: kSecClassKey, kSecAttrLabel: "canary-key"]
        return query.merging(more) { $1 } as CFDictionary
    }

    @Test(arguments: kinds)
    func `a private key is left nowhere on its way into the keychain and out of it`(kind: Kind) throws {
        var hidden: [Hidden] = []
        do {
            let key = try kind.key()
            hidden = try kind.numbers(of: key)
            #expect(SecItemAdd(Self.query([kSecValueRef: key]), nil) == errSecSuccess)
        }
        #expect(Hidden.counts(of: hidden) == hidden.map { _ in 0 })
        do {
            var found: CFTypeRef?
            #expect(SecItemCopyMatching(Self.query([kSecReturnRef: true]), &found) == errSecSuccess)
            let key = try #require(found as? SecKey)
            let bytes = try #require(SecKeyCopyExternalRepresentation(key, nil))
            // That the bytes are found while they are there shows that the search finds.
            #expect(Hidden.counts(of: hidden).allSatisfy { $0 > 0 })
            #expect(bytes.length > 32)
        }
        #expect(Hidden.counts(of: hidden) == hidden.map { _ in 0 })
    }

    #if PKCS12
    @Test(arguments: kinds)
    func `a private key is left nowhere by an encrypted export`(kind: Kind) throws {
        var hidden: [Hidden] = []
        do {
            let key = try kind.key()
            hidden = try kind.numbers(of: key)
            let passphrase = NSString("canary passphrase")
            var parameters = SecItemImportExportKeyParameters()
            parameters.passphrase = Unmanaged.passUnretained(passphrase)
            var data: CFData?
            let status = withExtendedLifetime(passphrase) {
                SecItemExport(key, .formatWrappedPKCS8, [], &parameters, &data)
            }
            #expect(status == errSecSuccess)
            #expect(data?.length ?? 0 > 100)
        }
        #expect(Hidden.counts(of: hidden) == hidden.map { _ in 0 })
    }
    #endif

    /// From 15 bytes on: Foundation keeps shorter data in the value itself.
    @Test(arguments: [15, 48, 5_000])
    func `a value is left nowhere when its last owner has let go`(count: Int) throws {
        let hidden = Hidden(random: count)
        let item: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrService: "canary-service"]
        do {
            var value = hidden.exposed.withBytes { Data($0) }
            // The object holds the bytes of the value, which are the program's to wipe.
            let object = NSMutableData(data: value)
            var attributes = item
            attributes[kSecValueData] = object
            #expect(SecItemAdd(attributes as CFDictionary, nil) == errSecSuccess)
            object.resetBytes(in: NSRange(location: 0, length: object.length))
            _ = value.withUnsafeMutableBytes { $0.initializeMemory(as: UInt8.self, repeating: 0) }
        }
        #expect(hidden.count == 0)
        do {
            var query = item
            query[kSecReturnData] = true
            var found: CFTypeRef?
            #expect(SecItemCopyMatching(query as CFDictionary, &found) == errSecSuccess)
            #expect((found as? NSData)?.length == count)
            #expect(hidden.count > 0)
        }
        #expect(hidden.count == 0)
    }
}
