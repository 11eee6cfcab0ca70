// SPDX-License-Identifier: Apache-2.0

import CKeychainSodium
import Glibc
package import KeychainModel

/// The cost of deriving a key from a passcode: Argon2id passes and memory.
package struct PasscodeCost: Hashable, Sendable {
    package let passes: UInt8
    /// The base-2 logarithm of the memory in KiB.
    package let doublings: UInt8

    /// Creates the cost of a new passcode, with 3 passes.
    package init(doublings: UInt8) {
        passes = Self.usualPasses
        self.doublings = doublings
    }

    init?(passes: UInt8, doublings: UInt8) {
        guard Self.acceptedPasses.contains(passes), Self.acceptedDoublings.contains(doublings) else {
            return nil
        }
        self.passes = passes
        self.doublings = doublings
    }

    /// The minimum cost of a new passcode: 64 MiB, about 100 ms of processor time.
    package static let minimum = Self(doublings: 16)
    /// The maximum memory that a keybag or a file may specify: 1 GiB.
    ///
    /// A higher cost, also one of more than 16 passes, is rejected before memory is allocated.
    package static let maximum = Self(doublings: 20)

    private static let usualPasses: UInt8 = 3
    private static let acceptedPasses: ClosedRange<UInt8> = 1...16
    /// Argon2 needs at least 8 KiB.
    private static let acceptedDoublings: ClosedRange<UInt8> = 3...20

    /// The cost that is measured to estimate higher ones.
    private static let probe = Self(doublings: 14)
    /// The maximum processor time of a calibrated derivation, in milliseconds.
    private static let target = 300.0
    private static let maximumDoublingsForNew: UInt8 = 18

    /// Chooses a cost of at most 300 ms on this machine, but always between ``minimum`` and 256 MiB.
    package static func calibrated() throws(StatusError) -> Self {
        var time = Double.infinity
        // Use processor time and the faster of two runs. Otherwise, other processes or the first access to
        // the memory would make a run slower and thus lower the cost.
        for _ in 0..<2 {
            let before = processorTime()
            _ = try unsafe probe.derive(from: SecretBytes(count: 8) { _ in }, salt: .zero)
            time = min(time, processorTime() - before)
        }
        time = max(time, 0.1) * 2
        var cost = probe.doublings + 1
        while cost < maximumDoublingsForNew, time * 2 <= target {
            time *= 2
            cost += 1
        }
        return Self(doublings: max(cost, minimum.doublings))
    }

    private static func processorTime() -> Double {
        var time = timespec()
        unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1_000 + Double(time.tv_nsec) / 1_000_000
    }

    /// Derives a key with Argon2id, version 1.3, one lane.
    fileprivate func derive(
        from passcode: borrowing SecretBytes,
        salt: Bytes16
    ) throws(StatusError) -> SecretKey {
        // Allocate one extra byte, so that the pointer is not null for an empty passcode.
        let message = unsafe SecretBytes(count: passcode.count + 1) { target in
            unsafe passcode.withBytes { unsafe target.copyMemory(from: $0) }
        }
        return unsafe try SecretKey { (target) throws(StatusError) in
            let result = unsafe message.withBytes { message -> CInt in
                guard let start = unsafe message.assumingMemoryBound(to: CChar.self).baseAddress else {
                    return -1
                }
                return unsafe crypto_pwhash(
                    target,
                    UInt64(SecretKey.count),
                    start,
                    UInt64(message.count - 1),
                    salt.bytes,
                    UInt64(passes),
                    1 << (10 + Int(doublings)),
                    crypto_pwhash_ALG_ARGON2ID13
                )
            }
            guard result == 0 else { throw StatusError(.allocation) }
        }
    }
}

struct KeyDerivation: Hashable, Sendable {
    let salt: Bytes16
    let cost: PasscodeCost

    /// Derives a key with Argon2id, which takes about a tenth of a second at the minimum cost.
    func derive(from passcode: borrowing SecretBytes) throws(StatusError) -> SecretKey {
        try cost.derive(from: passcode, salt: salt)
    }
}

/// The keybag's record of a passcode: key derivation parameters and a check value.
///
/// The encoding is `function 1 | passes 1 | log2 of KiB 1 | zeros 5 | salt 16 | check 32`. All bytes are zero
/// if no passcode is set.
package struct PasscodeDerivation: Hashable, Sendable {
    static let byteCount = 56
    private static let argon2id: UInt8 = 1

    let bytes: [UInt8]

    static let none = Self(bytes: Array(repeating: 0, count: byteCount))
    var isNone: Bool { self == .none }

    init(bytes: [UInt8]) { self.bytes = bytes }

    private init(_ derivation: KeyDerivation, check: Bytes32) {
        var writer = ByteWriter(capacity: Self.byteCount)
        writer.append(Self.argon2id)
        writer.append(derivation.cost.passes)
        writer.append(derivation.cost.doublings)
        writer.append(zeros: 5)
        writer.append(derivation.salt)
        writer.append(check)
        bytes = writer.bytes
    }

    private static let passcodeLengths = 1...1_024

    /// Checks that a passcode has 1 to 1,024 bytes.
    ///
    /// - Throws: `invalidParameter` with `passcodeMalformed`.
    package static func check(_ passcode: borrowing SecretBytes) throws(StatusError) {
        guard passcodeLengths.contains(passcode.count) else {
            throw StatusError(.invalidParameter, .passcodeMalformed)
        }
    }

    /// Creates the keybag record and the key of a new passcode.
    package static func make(
        for passcode: borrowing SecretBytes,
        cost: PasscodeCost,
        with keys: StoreKeys
    ) throws(StatusError) -> PasscodeKey {
        try check(passcode)
        let derivation = KeyDerivation(salt: .random(), cost: cost)
        let key = try keys.passcodeKey(derivation.derive(from: passcode))
        return PasscodeKey(derivation: Self(derivation, check: check(of: key, derivation)), key: key)
    }

    /// Derives the key of a passcode, and verifies the key with the record's check value.
    ///
    /// - Throws: `authenticationFailed` with `passcodeWrong`; `notAvailable` with `passcodeCostUnknown`, before any
    ///   derivation, if the record's cost is outside the accepted range; `invalidParameter` with `passcodeMalformed`.
    package func key(
        of passcode: borrowing SecretBytes,
        with keys: StoreKeys
    ) throws(StatusError) -> PasscodeKey {
        try Self.check(passcode)
        guard let (derivation, check) = unsafe bytes.withUnsafeBytes({ unsafe Self.parse($0) }) else {
            throw StatusError(.notAvailable, .passcodeCostUnknown)
        }
        let key = try keys.passcodeKey(derivation.derive(from: passcode))
        guard SecretKey(Self.check(of: key, derivation)) == SecretKey(check) else {
            throw StatusError(.authenticationFailed, .passcodeWrong)
        }
        return PasscodeKey(derivation: self, key: key)
    }

    private static func parse(
        _ bytes: UnsafeRawBufferPointer
    ) -> (derivation: KeyDerivation, check: Bytes32)? {
        var reader = unsafe ByteReader(bytes)
        guard reader.number() == argon2id, let passes: UInt8 = reader.number(),
            let doublings: UInt8 = reader.number(),
            let cost = PasscodeCost(passes: passes, doublings: doublings),
            let zeros = unsafe reader.take(5), unsafe zeros.allSatisfy({ $0 == 0 }),
            let salt = reader.bytes16(), let check = reader.bytes32()
        else { return nil }
        return (KeyDerivation(salt: salt, cost: cost), check)
    }

    /// Computes the key check value, which detects a wrong passcode before any key is unwrapped.
    private static func check(of key: SecretKey, _ derivation: KeyDerivation) -> Bytes32 {
        var message = ByteWriter(capacity: 40)
        message.append("passcode check")
        message.append(derivation.cost.passes)
        message.append(derivation.cost.doublings)
        message.append(derivation.salt)
        return KeyedDigest(key: key).digest(of: message.bytes)
    }
}

extension SecretKey {
    /// Copies 32 bytes into a key, so that they are compared in constant time.
    init(_ bytes: Bytes32) {
        unsafe self.init { target in
            unsafe bytes.withBytes { bytes in
                for place in bytes.indices { unsafe target[place] = bytes[place] }
            }
        }
    }
}

/// The key that wraps class keys, derived from a new or verified passcode.
package struct PasscodeKey: Sendable {
    package let derivation: PasscodeDerivation
    let key: SecretKey
}
