// SPDX-License-Identifier: Apache-2.0

import CKeychainSodium
import Glibc
import KeychainModel

/// libsodium's guarded memory: between guard pages, locked, excluded from core dumps, erased when freed.
@safe
private final class GuardedMemory: Sendable {
    nonisolated(unsafe) let start: UnsafeMutableRawPointer

    /// Initializes libsodium once per process.
    private static let isReady: Bool = sodium_init() >= 0

    init(count: Int) {
        precondition(Self.isReady, "libsodium cannot be initialized")
        guard let start = unsafe sodium_malloc(count) else {
            // Trap like any failed allocation in Swift.
            preconditionFailure("out of memory")
        }
        unsafe self.start = start
    }

    deinit { unsafe sodium_free(start) }
}

/// A 32-byte key in guarded memory, shared by copies of the value.
@safe
package struct SecretKey: Equatable, Sendable {
    package static let count = 32

    private let memory: GuardedMemory
    private let offset: Int

    private init(_ memory: GuardedMemory, _ offset: Int) {
        self.memory = memory
        self.offset = offset
    }

    /// Allocates a key and lets the closure fill its bytes.
    init<Failure: Error>(
        filling fill: (UnsafeMutablePointer<UInt8>) throws(Failure) -> Void
    ) throws(Failure) {
        self.init(GuardedMemory(count: Self.count), 0)
        unsafe try fill(memory.start.assumingMemoryBound(to: UInt8.self))
    }

    /// Copies 32 bytes; `nil` for any other count.
    package init?(copying bytes: UnsafeRawBufferPointer) {
        guard bytes.count == Self.count, let start = bytes.baseAddress else { return nil }
        unsafe self.init { unsafe memcpy($0, start, Self.count) }
    }

    /// Generates a random key.
    package static func random() -> Self { unsafe Self { unsafe randombytes_buf($0, count) } }

    package func withBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        unsafe try body(UnsafeRawBufferPointer(start: memory.start + offset, count: Self.count))
    }

    /// The pointer for libsodium calls, valid while this value exists.
    var pointer: UnsafePointer<UInt8> {
        unsafe UnsafePointer((memory.start + offset).assumingMemoryBound(to: UInt8.self))
    }

    /// Compares in constant time.
    package static func == (left: Self, right: Self) -> Bool {
        unsafe sodium_memcmp(left.pointer, right.pointer, count) == 0
    }
}

extension SecretKey {
    /// Overwrites key material that primitives leave on the stack.
    @inline(never)
    static func clearStack() { sodium_stackzero(2_048) }

    /// Derives a key for each purpose, with keyed BLAKE2b of the purpose's name and the store.
    ///
    /// The keys share one allocation, because guard pages need more memory than the keys.
    func derive(_ purposes: [String], for store: Bytes16? = nil) -> [SecretKey] {
        let memory = GuardedMemory(count: purposes.count * Self.count)
        defer { Self.clearStack() }
        return purposes.enumerated().map { number, purpose in
            var message = ByteWriter(capacity: 32)
            message.append(purpose)
            if let store { message.append(store) }
            let derived = Self(memory, number * Self.count)
            let target = unsafe (memory.start + derived.offset).assumingMemoryBound(to: UInt8.self)
            unsafe BLAKE2b.digest(message.bytes, key: self, into: target)
            return derived
        }
    }
}

/// The keys for boxes of attributes and values, derived from a class key or an item's own key.
package struct BoxKeys: Sendable {
    let attributes: SecretKey
    let secrets: SecretKey

    init(from key: SecretKey) {
        let derived = key.derive(["attributes", "secrets"])
        attributes = derived[0]
        secrets = derived[1]
    }
}
