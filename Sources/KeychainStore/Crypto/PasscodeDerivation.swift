// SPDX-License-Identifier: Apache-2.0

import CKeychainSodium
import Glibc
package import KeychainModel

/// How much work it is to derive a key of a passcode: Argon2id's passes over so much memory.
package struct PasscodeCost: Hashable, Sendable {
    package let passes: UInt8
    /// The base-2 logarithm of the memory in KiB.
    package let doublings: UInt8

    /// The cost of new passcodes differs in memory alone.
    package init(doublings: UInt8) {
        passes = Self.usualPasses
        self.doublings = doublings
    }

    /// A cost that was read; `nil` for one that is not accepted.
    init?(passes: UInt8, doublings: UInt8) {
        guard Self.acceptedPasses.contains(passes), Self.acceptedDoublings.contains(doublings) else {
            return nil
        }
        self.passes = passes
        self.doublings = doublings
    }

    /// What a new passcode costs at least: 64 MiB, and 100 ms where this was measured.
    package static let floor = Self(doublings: 16)
    /// What a keybag may ask for: 1 GiB.
    ///
    /// One that asks for more is refused before anything is allocated.
    package static let ceiling = Self(doublings: 20)

    private static let usualPasses: UInt8 = 3
    private static let acceptedPasses: ClosedRange<UInt8> = 1...16
    /// Argon2 works on 8 KiB at least.
    private static let acceptedDoublings: ClosedRange<UInt8> = 3...20

    private static let probe = Self(doublings: 14)
    /// What is aimed at, in milliseconds of processor time; the next doubling would be above.
    private static let aim = 300.0
    private static let mostForNew: UInt8 = 18

    /// The cost that takes this machine at most 300 ms, and not less than the floor.
    package static func calibrated() throws(StatusError) -> Self {
        var time = Double.infinity
        // Processor time, and the better of two: what else runs on the machine must not make a passcode weaker, nor must
        // the first touch of the memory.
        for _ in 0..<2 {
            let before = processorTime()
            _ = try unsafe probe.derive(from: SecretBytes(count: 8) { _ in }, salt: .zero)
            time = min(time, processorTime() - before)
        }
        time = max(time, 0.1) * 2
        var cost = probe.doublings + 1
        while cost < mostForNew, time * 2 <= aim {
            time *= 2
            cost += 1
        }
        return Self(doublings: max(cost, floor.doublings))
    }

    private static func processorTime() -> Double {
        var time = timespec()
        unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1_000 + Double(time.tv_nsec) / 1_000_000
    }

    /// Argon2id, version 1.3, one lane.
    fileprivate func derive(
        from passcode: borrowing SecretBytes,
        salt: Bytes16
    ) throws(StatusError) -> SecretKey {
        // A byte more than are used, so that there is an address where there is no byte.
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

/// What a key is derived with.
struct KeyDerivation: Hashable, Sendable {
    let salt: Bytes16
    let cost: PasscodeCost

    /// Derives a key; slow on purpose.
    func derive(from passcode: borrowing SecretBytes) throws(StatusError) -> SecretKey {
        try cost.derive(from: passcode, salt: salt)
    }
}

/// The keybag's record of its passcode: `function 1 | passes 1 | log2 of KiB 1 | zeros 5 | salt 16 | check 32`; all zero
/// where none is set.
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

    /// 1 to 1,024 arbitrary bytes.
    private static let passcodeLengths = 1...1_024

    /// Refuses what can be no passcode.
    ///
    /// - Throws: `invalidParameter` with `passcodeMalformed`.
    package static func check(_ passcode: borrowing SecretBytes) throws(StatusError) {
        guard passcodeLengths.contains(passcode.count) else {
            throw StatusError(.invalidParameter, .passcodeMalformed)
        }
    }

    /// Makes the record of a new passcode, and its key.
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

    /// Makes the key of a passcode; slow on purpose.
    ///
    /// - Throws: `authenticationFailed` with `passcodeWrong`; `notAvailable` with `passcodeCostUnknown` for a record
    ///   that asks for more than is accepted, at once.
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

    /// What commits to the key before it unwraps anything.
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
    /// Two of them are compared in constant time.
    init(_ bytes: Bytes32) {
        unsafe self.init { target in
            unsafe bytes.withBytes { bytes in
                for place in bytes.indices { unsafe target[place] = bytes[place] }
            }
        }
    }
}

/// The key of a passcode that was proved right, or is new: what wraps class keys.
package struct PasscodeKey: Sendable {
    package let derivation: PasscodeDerivation
    let key: SecretKey
}
