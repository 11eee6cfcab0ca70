// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices
import KeychainTesting
import Synchronization
import Testing

@Suite(.temporaryKeychain) struct FaultTests {
    private static let calls: [(call: TemporaryKeychain.Call, perform: @Sendable () -> OSStatus)] = [
        (.add, { Items.add("bob") }),
        (.copy, { Items.status(of: "alice") }),
        (.update, { Items.update("alice", secret: "changed") }),
        (.delete, { Items.delete("alice") }),
    ]

    @Test(arguments: TemporaryKeychain.Call.allCases)
    func `a call fails as often as was asked, and changes nothing`(call: TemporaryKeychain.Call) throws {
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

    @Test func `by default the next call of any kind fails`() throws {
        for call in Self.calls {
            try TemporaryKeychain.current.failNext(errSecInteractionNotAllowed)
            #expect(call.perform() == errSecInteractionNotAllowed, "\(call.call)")
        }
        #expect(try TemporaryKeychain.current.itemCount == 0)
    }

    @Test func `faults are met in their order, each by the calls that it is for`() throws {
        let keychain = try TemporaryKeychain.current
        keychain.failNext(errSecIO, in: [.add])
        keychain.failNext(errSecNotAvailable)
        keychain.failNext(errSecDiskFull, in: [.add])
        #expect(Items.status(of: "alice") == errSecNotAvailable)
        #expect(Items.add("alice") == errSecIO)
        #expect(Items.add("alice") == errSecDiskFull)
        #expect(Items.add("alice") == errSecSuccess)
    }

    @Test func `a dictionary that is refused meets no fault`() throws {
        try TemporaryKeychain.current.failNext(errSecDiskFull)
        #expect(SecItemAdd([kSecClass: "nothing"] as CFDictionary, nil) == errSecNoSuchClass)
        #expect(Items.add("alice") == errSecDiskFull)
    }

    @Test func `faults that were not met are counted and taken back`() throws {
        let keychain = try TemporaryKeychain.current
        keychain.failNext(errSecIO, times: 3)
        keychain.failNext(errSecIO, times: 0)
        #expect(Items.add("alice") == errSecIO)
        #expect(keychain.removeFaults() == 2)
        #expect(Items.add("alice") == errSecSuccess)
    }

    @Test func `a fault that no call has met fails the test`() throws {
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
        }
    }

    @Test func `every call can fail until further notice`() throws {
        let keychain = try TemporaryKeychain.current
        keychain.failNext(errSecIO, times: .max)
        keychain.failNext(errSecIO, times: .max)
        for _ in 0..<100 { #expect(Items.add("alice") == errSecIO) }
        #expect(keychain.removeFaults() == .max)
        #expect(Items.add("alice") == errSecSuccess)
    }

    @Test func `of changes made together a fault meets its own, and those before it are undone`() throws {
        let keychain = try TemporaryKeychain.current
        let item: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrService: Items.service]
        let bob = item.merging([kSecAttrAccount: "bob"]) { $1 } as CFDictionary
        let alice = item.merging([kSecAttrAccount: "alice"]) { $1 } as CFDictionary
        #expect(Items.add("alice") == errSecSuccess)
        let counts = Mutex<[Int]>([])
        keychain.failNext(errSecIO, in: [.delete])
        let status = SecItemApply([.add(bob), .delete(alice)]) { count in
            counts.withLock { $0.append(count) }
            return true
        }
        #expect(status == errSecIO)
        #expect(counts.withLock { $0 } == [1])
        #expect(keychain.removeFaults() == 0)
        #expect(Items.status(of: "alice") == errSecSuccess && Items.status(of: "bob") == errSecItemNotFound)
        #expect(SecItemApply([.add(bob), .delete(alice)]) == errSecSuccess)
        #expect(Items.status(of: "alice") == errSecItemNotFound && Items.status(of: "bob") == errSecSuccess)
    }

    @Test func `a write can be lost although it reports success`() throws {
        try TemporaryKeychain.current.failNext(errSecSuccess, in: [.add])
        #expect(Items.add("alice") == errSecSuccess)
        #expect(Items.status(of: "alice") == errSecItemNotFound)
    }

    @Test func `a key that is made to stay meets the faults of an add`() throws {
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
