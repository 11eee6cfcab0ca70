// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainItems
import KeychainServices
import KeychainTesting
import Testing

@Suite(.temporaryKeychain) struct FaultTests {
    private static let calls: [(call: TemporaryKeychain.Call, perform: @Sendable () -> OSStatus)] = [
        (.add, { Items.add("bob") }),
        (.copy, { Items.status(of: "alice") }),
        (.update, { Items.update("alice", secret: "changed") }),
        (.delete, { Items.delete("alice") }),
    ]

    @Test(arguments: TemporaryKeychain.Call.allCases)
    func `a planned fault fails as many calls as requested without changes`(
        call: TemporaryKeychain.Call
    ) throws {
        let keychain = try TemporaryKeychain.current
        #expect(Items.add("alice") == errSecSuccess)
        keychain.failNext(errSecDiskFull, times: 2, in: [call])
        for other in Self.calls where other.call == .copy && call != .copy {
            #expect(other.perform() == errSecSuccess)
        }
        let perform = try #require(Self.calls.first { $0.call == call }).perform
        #expect(perform() == errSecDiskFull)
        #expect(perform() == errSecDiskFull)
        #expect(try keychain.itemCount == 1)
        #expect(Items.secret(of: "alice") == .success("secret"))
        #expect(perform() == errSecSuccess)
    }

    @Test func `by default a fault fails the next call of any kind`() throws {
        for call in Self.calls {
            try TemporaryKeychain.current.failNext(errSecInteractionNotAllowed)
            #expect(call.perform() == errSecInteractionNotAllowed, "\(call.call)")
        }
        #expect(try TemporaryKeychain.current.itemCount == 0)
    }

    @Test func `faults are used in order by calls of their kind`() throws {
        let keychain = try TemporaryKeychain.current
        keychain.failNext(errSecIO, in: [.add])
        keychain.failNext(errSecNotAvailable)
        keychain.failNext(errSecDiskFull, in: [.add])
        #expect(Items.status(of: "alice") == errSecNotAvailable)
        #expect(Items.add("alice") == errSecIO)
        #expect(Items.add("alice") == errSecDiskFull)
        #expect(Items.add("alice") == errSecSuccess)
    }

    @Test func `an invalid dictionary does not use up a fault`() throws {
        try TemporaryKeychain.current.failNext(errSecDiskFull)
        #expect(SecItemAdd([kSecClass: "nothing"] as CFDictionary, nil) == errSecNoSuchClass)
        #expect(Items.add("alice") == errSecDiskFull)
    }

    @Test func `unused faults are counted and removed`() throws {
        let keychain = try TemporaryKeychain.current
        keychain.failNext(errSecIO, times: 3)
        keychain.failNext(errSecIO, times: 0)
        #expect(Items.add("alice") == errSecIO)
        #expect(keychain.removeFaults() == 2)
        #expect(Items.add("alice") == errSecSuccess)
    }

    @Test func `an unused fault fails the test`() throws {
        let error = #expect(throws: TemporaryKeychainError.self) {
            try withTemporaryKeychain { $0.failNext(errSecIO, times: 2) }
        }
        #expect(error?.description.contains("failNext") == true)
        #expect(throws: TemporaryKeychainError.self) {
            try withTemporaryKeychain { $0.failNext(errSecIO, times: .max) }
        }
        try withTemporaryKeychain { keychain in
            keychain.failNext(errSecIO)
            #expect(keychain.removeFaults() == 1)
        }
        try withTemporaryKeychain { keychain in
            keychain.failNext(errSecIO, times: .max)
            #expect(Items.add("alice") == errSecIO)
            #expect(keychain.removeFaults() == 0)
        }
    }

    @Test func `all calls can be made to fail`() throws {
        let keychain = try TemporaryKeychain.current
        keychain.failNext(errSecIO, times: .max)
        keychain.failNext(errSecIO, times: .max)
        for _ in 0..<100 { #expect(Items.add("alice") == errSecIO) }
        #expect(keychain.removeFaults() == .max)
        #expect(Items.add("alice") == errSecSuccess)
    }

    @Test func `a fault in a transaction rolls back earlier changes`() throws {
        let keychain = try TemporaryKeychain.current
        let vault = Vault(service: Items.service)
        func replaceAlice() throws {
            try vault.transaction { changes in
                try changes.add("secret", for: "bob")
                try changes.remove("alice")
            }
        }
        #expect(Items.add("alice") == errSecSuccess)
        keychain.failNext(errSecIO, in: [.delete])
        let error = #expect(throws: VaultError.self) { try replaceAlice() }
        #expect(error?.status == errSecIO)
        #expect(keychain.removeFaults() == 0)
        #expect(Items.status(of: "alice") == errSecSuccess && Items.status(of: "bob") == errSecItemNotFound)
        try replaceAlice()
        #expect(Items.status(of: "alice") == errSecItemNotFound && Items.status(of: "bob") == errSecSuccess)
    }

    @Test func `a write can report success without being stored`() throws {
        try TemporaryKeychain.current.failNext(errSecSuccess, in: [.add])
        #expect(Items.add("alice") == errSecSuccess)
        #expect(Items.status(of: "alice") == errSecItemNotFound)
    }

    @Test func `generating a permanent key uses the faults of add`() throws {
        try TemporaryKeychain.current.failNext(errSecDiskFull, in: [.add])
        let attributes: [CFString: Any] = [
            kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits: 256,
            kSecPrivateKeyAttrs: [kSecAttrIsPermanent: true] as [CFString: Any],
        ]
        var error: Unmanaged<CFError>?
        #expect(SecKeyCreateRandomKey(attributes as CFDictionary, &error) == nil)
        #expect(error?.takeRetainedValue().code == Int(errSecDiskFull))
        #expect(try TemporaryKeychain.current.itemCount == 0)
    }
}
