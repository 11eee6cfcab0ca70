// SPDX-License-Identifier: Apache-2.0

import CKeychainSodium
import Glibc
import KeychainModel

/// Memory of libsodium: between guard pages, locked, left out of dumps, overwritten when it goes.
@safe
private final class GuardedMemory: Sendable {
    nonisolated(unsafe) let start: UnsafeMutableRawPointer

    /// libsodium chooses its implementations for this processor, once in a process.
    private static let isReady: Bool = sodium_init() >= 0

    init(count: Int) {
        precondition(Self.isReady, "libsodium cannot be initialized")
        guard let start = unsafe sodium_malloc(count) else {
            // As an allocation in Swift that fails.
            preconditionFailure("out of memory")
        }
        unsafe self.start = start
    }

    deinit { unsafe sodium_free(start) }
}

/// A key of 32 bytes in guarded memory; copies of the value share it.
@safe
package struct SecretKey: Equatable, Sendable {
    package static let count = 32

    private let memory: GuardedMemory
    private let offset: Int

    private init(_ memory: GuardedMemory, _ offset: Int) {
        self.memory = memory
        self.offset = offset
    }

    /// Makes a key and lets the closure fill its bytes.
    init<Failure: Error>(
        filling fill: (UnsafeMutablePointer<UInt8>) throws(Failure) -> Void
    ) throws(Failure) {
        self.init(GuardedMemory(count: Self.count), 0)
        unsafe try fill(memory.start.assumingMemoryBound(to: UInt8.self))
    }

    /// Copies 32 bytes; `nil` for any other count.
    init?(copying bytes: UnsafeRawBufferPointer) {
        guard bytes.count == Self.count, let start = bytes.baseAddress else { return nil }
        unsafe self.init { unsafe memcpy($0, start, Self.count) }
    }

    /// Draws a key from the system's generator.
    package static func random() -> Self { unsafe Self { unsafe randombytes_buf($0, count) } }

    package func withBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        unsafe try body(UnsafeRawBufferPointer(start: memory.start + offset, count: Self.count))
    }

    /// The bytes for a call of libsodium; valid as long as this value is held.
    var pointer: UnsafePointer<UInt8> {
        unsafe UnsafePointer((memory.start + offset).assumingMemoryBound(to: UInt8.self))
    }

    /// Compares in constant time.
    package static func == (left: Self, right: Self) -> Bool {
        unsafe sodium_memcmp(left.pointer, right.pointer, count) == 0
    }
}

extension SecretKey {
    /// Overwrites what primitives have left of a key on the stack: BLAKE2b the digest, ciphers what does not fit registers.
    @inline(never)
    static func clearStack() { sodium_stackzero(2_048) }

    /// Derives a key for each purpose: keyed BLAKE2b of the purpose's name and what it is bound to.
    ///
    /// They share one allocation, as guard pages take more room than the keys.
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

/// The keys that boxes of attributes and of values are sealed under, derived from a class key or an item's own key.
package struct BoxKeys: Sendable {
    let attributes: SecretKey
    let secrets: SecretKey

    init(from key: SecretKey) {
        let derived = key.derive(["attributes", "secrets"])
        attributes = derived[0]
        secrets = derived[1]
    }
}
