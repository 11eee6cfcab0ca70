// SPDX-License-Identifier: Apache-2.0

import CKeychainSodium
import Glibc
import KeychainModel

/// The memory of one 32-byte key, in libsodium's guarded memory.
///
/// That memory lies between guard pages, is locked into RAM and is excluded from core dumps. Several keys
/// share a page: guarding each key separately would take four pages and ten system calls. A key is erased
/// when its last owner releases it.
@safe
private final class GuardedSlot: Sendable {
    nonisolated(unsafe) let start: UnsafeMutableRawPointer

    private struct Slots: Sendable {
        /// The addresses of unused slots; their pages are never freed.
        var free: [UInt] = []
    }

    private static let slots = ForkSafeMutex(Slots())

    /// The number of keys that fit into a page of 4,096 bytes.
    ///
    /// libsodium fills 16 bytes before them with a canary, to detect writes out of bounds.
    private static let slotsPerPage = (4_096 - 16) / SecretKey.count

    /// Initializes libsodium once per process.
    private static let isReady: Bool = sodium_init() >= 0

    init() {
        precondition(Self.isReady, "libsodium cannot be initialized")
        let address = Self.slots.withLock { slots -> UInt? in
            if slots.free.isEmpty { slots.free = Self.newPage() }
            return slots.free.popLast()
        }
        guard let address, let start = unsafe UnsafeMutableRawPointer(bitPattern: address) else {
            // Trap like any failed allocation in Swift.
            preconditionFailure("out of memory")
        }
        unsafe self.start = start
    }

    /// Discards the unused slots in a forked child, whose copies of the pages are not locked into RAM.
    static func abandonInheritedPages() { slots.withLock { $0.free = [] } }

    private static func newPage() -> [UInt] {
        guard let page = unsafe sodium_malloc(slotsPerPage * SecretKey.count) else { return [] }
        return (0..<slotsPerPage).map { unsafe UInt(bitPattern: page + $0 * SecretKey.count) }
    }

    deinit {
        unsafe sodium_memzero(start, SecretKey.count)
        let address = unsafe UInt(bitPattern: start)
        Self.slots.withLock { $0.free.append(address) }
    }
}

/// A 32-byte key in guarded memory; copies of this value share the memory.
@safe
package struct SecretKey: Equatable, Sendable {
    package static let count = 32

    private let slot: GuardedSlot

    /// Allocates a key and calls the closure to fill its 32 bytes.
    init<Failure: Error>(
        filling fill: (UnsafeMutablePointer<UInt8>) throws(Failure) -> Void
    ) throws(Failure) {
        slot = GuardedSlot()
        unsafe try fill(slot.start.assumingMemoryBound(to: UInt8.self))
    }

    package init?(copying bytes: UnsafeRawBufferPointer) {
        guard bytes.count == Self.count, let start = bytes.baseAddress else { return nil }
        unsafe self.init { unsafe memcpy($0, start, Self.count) }
    }

    /// Makes a forked child allocate its new keys in pages of its own, which are locked into RAM.
    static func abandonInheritedPages() { GuardedSlot.abandonInheritedPages() }

    package static func random() -> Self { unsafe Self { unsafe randombytes_buf($0, count) } }

    package func withBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        unsafe try body(UnsafeRawBufferPointer(start: slot.start, count: Self.count))
    }

    /// A pointer to the key for libsodium calls, valid while this value exists.
    var pointer: UnsafePointer<UInt8> {
        unsafe UnsafePointer(slot.start.assumingMemoryBound(to: UInt8.self))
    }

    /// Compares in constant time.
    package static func == (left: Self, right: Self) -> Bool {
        unsafe sodium_memcmp(left.pointer, right.pointer, count) == 0
    }
}

extension SecretKey {
    /// Overwrites 2,048 bytes of the stack, where cryptographic functions may leave key material.
    @inline(never)
    static func clearStack() { sodium_stackzero(2_048) }

    /// Derives one key for each purpose: the keyed BLAKE2b digest of the purpose's name and, if given, the store's ID.
    func derive(_ purposes: [String], for store: Bytes16? = nil) -> [SecretKey] {
        defer { Self.clearStack() }
        return purposes.map { purpose in
            var message = ByteWriter(capacity: 32)
            message.append(purpose)
            if let store { message.append(store) }
            return unsafe SecretKey { target in
                unsafe BLAKE2b.digest(message.bytes, key: self, into: target)
            }
        }
    }
}

/// The keys that encrypt attributes and values, derived from a class key or an item's own key.
///
/// This is a class, so that each read of an item retains one object.
package final class BoxKeys: Sendable {
    let attributes: SecretKey
    let secrets: SecretKey

    init(from key: SecretKey) {
        let derived = key.derive(["attributes", "secrets"])
        attributes = derived[0]
        secrets = derived[1]
    }
}
