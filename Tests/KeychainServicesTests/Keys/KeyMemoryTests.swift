// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import KeychainServices
import KeychainStore
import KeychainTestSupport
import Testing

/// Private keys and values that passed through the keychain do not remain in memory.
@Suite(.searchedKeychain, .serialized) struct KeyMemoryTests {
    /// A type of key, and where its external representation contains private numbers.
    struct Kind: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let type: @Sendable () -> CFString
        let bits: Int
        let ranges: @Sendable (UnsafeRawBufferPointer) -> [Range<Int>]

        func key() throws -> SecKey {
            let parameters: [CFString: Any] = [kSecAttrKeyType: type(), kSecAttrKeySizeInBits: bits]
            return try #require(SecKeyCreateRandomKey(parameters as CFDictionary, nil))
        }

        /// Returns the private numbers to search memory for, in both byte orders.
        func numbers(of key: SecKey) throws -> [Hidden] {
            let bytes = try #require(SecKeyCopyExternalRepresentation(key, nil))
            let all = UnsafeRawBufferPointer(start: bytes.bytes, count: bytes.length)
            let hidden = ranges(all).map { Hidden(UnsafeRawBufferPointer(rebasing: all[$0])) }
            return hidden + hidden.map(\.reversed)
        }
    }

    static let kinds = [
        // The private scalar follows the 65 bytes of the point.
        Kind(testDescription: "P-256", type: { kSecAttrKeyTypeECSECPrimeRandom }, bits: 256) {
            [65..<$0.count]
        },
        // Searches for 32 bytes from within the private exponent and from within each prime.
        Kind(testDescription: "RSA", type: { kSecAttrKeyTypeRSA }, bits: 2_048) { bytes in
            let integers = integers(in: bytes)
            return integers[3...5].map { $0.lowerBound + 48..<$0.lowerBound + 80 }
        },
    ]

    /// Returns the ranges of the integers in a PKCS #1 structure.
    ///
    /// Each integer is a tag, a length of one to three bytes, and its bytes.
    private static func integers(in bytes: UnsafeRawBufferPointer) -> [Range<Int>] {
        var integers: [Range<Int>] = []
        // The first integer starts after the tag and the three-byte length of the SEQUENCE.
        var offset = 4
        while offset < bytes.count {
            let size = bytes[offset + 1]
            let more = size < 0x80 ? 0 : Int(size & 0x7F)
            let start = offset + 2 + more
            let count = bytes[offset + 2..<start].reduce(more == 0 ? Int(size) : 0) { $0 << 8 | Int($1) }
            integers.append(start..<start + count)
            offset = start + count
        }
        return integers
    }

    private static func query(_ more: [CFString: Any]) -> CFDictionary {
        let query: [CFString: Any] = [kSecClass: kSecClassKey, kSecAttrLabel: "canary-key"]
        return query.merging(more) { $1 } as CFDictionary
    }

    @Test(arguments: kinds)
    func `storing and reading a private key leaves no copy in memory`(kind: Kind) throws {
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
            // The search must find the bytes while they exist; otherwise finding none later would prove
            // nothing.
            #expect(Hidden.counts(of: hidden).allSatisfy { $0 > 0 })
            #expect(bytes.length > 32)
        }
        #expect(Hidden.counts(of: hidden) == hidden.map { _ in 0 })
    }

    #if PKCS12
    @Test(arguments: kinds)
    func `an encrypted export of a private key leaves no copy in memory`(kind: Kind) throws {
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

    /// The sizes are at least 15 bytes, because Foundation stores shorter data inline, outside of the erasable
    /// buffer.
    @Test(arguments: [15, 48, 5_000])
    func `a value is erased after its last owner releases it`(count: Int) throws {
        let hidden = Hidden(random: count)
        let item: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrService: "canary-service"]
        do {
            var value = hidden.exposed.withBytes { Data($0) }
            // The program's own `NSMutableData` contains the value, too, and the program must erase it.
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
