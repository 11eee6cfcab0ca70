// SPDX-License-Identifier: Apache-2.0

import Crypto
import CryptoExtras
import FoundationEssentials
import Glibc
package import KeychainModel

/// How much work it is to make a key of a passcode, as the number of doublings of scrypt's N.
package struct PasscodeCost: Hashable, Sendable {
    package let doublings: UInt8

    package init(doublings: UInt8) { self.doublings = doublings }

    /// What a new passcode costs at least: 32 MiB and, where this was measured, 58 ms.
    package static let floor = Self(doublings: 15)
    /// What a keybag may ask for: 1 GiB.
    ///
    /// One that asks for more is refused before anything is allocated.
    package static let ceiling = Self(doublings: 20)

    private static let probe = Self(doublings: 14)
    /// What is aimed at, in milliseconds of processor time; the next doubling would be above.
    private static let aim = 300.0
    private static let mostForNew: UInt8 = 18

    /// The cost that takes this machine about as long as a person at the prompt does not mind.
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

    fileprivate static let blockSize = 8
    fileprivate static let parallelism = 1

    func derive(from passcode: borrowing SecretBytes, salt: Bytes32) throws(StatusError) -> SymmetricKey {
        // With its length before it: scrypt's HMAC fills a short key up with zeros and digests a long one, so that
        // two passcodes could have one key.
        let message = unsafe SecretBytes(count: 4 + passcode.count) { target in
            unsafe target.storeBytes(of: UInt32(passcode.count).littleEndian, as: UInt32.self)
            unsafe passcode.withBytes {
                unsafe UnsafeMutableRawBufferPointer(rebasing: target[4...]).copyMemory(from: $0)
            }
        }
        do {
            return unsafe try message.withBytes { message in
                unsafe try KDF.Scrypt.deriveKey(
                    from: message,
                    salt: salt.withBytes { unsafe Array($0) },
                    outputByteCount: 32,
                    rounds: 1 << Int(doublings),
                    blockSize: Self.blockSize,
                    parallelism: Self.parallelism
                )
            }
        } catch {
            throw StatusError(.allocation)
        }
    }
}

/// The keybag's record of its passcode: `kdf 1 | log2 of N 1 | r 1 | p 1 | zeros 4 | salt 32 | check 32`; all zero where
/// none is set.
package struct PasscodeDerivation: Hashable, Sendable {
    static let byteCount = 72
    private static let scrypt: UInt8 = 1

    let bytes: [UInt8]

    static let none = Self(bytes: Array(repeating: 0, count: byteCount))
    var isNone: Bool { self == .none }

    init(bytes: [UInt8]) { self.bytes = bytes }

    private init(cost: PasscodeCost, salt: Bytes32, check: Bytes32) {
        var writer = ByteWriter(capacity: Self.byteCount)
        writer.append(Self.scrypt)
        writer.append(cost.doublings)
        writer.append(UInt8(PasscodeCost.blockSize))
        writer.append(UInt8(PasscodeCost.parallelism))
        writer.append(zeros: 4)
        writer.append(salt)
        writer.append(check)
        bytes = writer.bytes
    }

    /// A passcode must have some bytes, and not so many that a hand must have slipped; which they are is free.
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
        let salt = Bytes32.random()
        let key = try keys.passcodeKey(cost.derive(from: passcode, salt: salt))
        let unchecked = Self(cost: cost, salt: salt, check: .zero)
        let check = unchecked.check(of: key, with: keys)
        return PasscodeKey(derivation: Self(cost: cost, salt: salt, check: check), key: key)
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
        guard let fields = unsafe bytes.withUnsafeBytes({ unsafe Self.parse($0) }) else {
            throw StatusError(.notAvailable, .passcodeCostUnknown)
        }
        let key = try keys.passcodeKey(fields.cost.derive(from: passcode, salt: fields.salt))
        guard SymmetricKey(check(of: key, with: keys)) == SymmetricKey(fields.check) else {
            throw StatusError(.authenticationFailed, .passcodeWrong)
        }
        return PasscodeKey(derivation: self, key: key)
    }

    private static func parse(
        _ bytes: UnsafeRawBufferPointer
    ) -> (cost: PasscodeCost, salt: Bytes32, check: Bytes32)? {
        var reader = unsafe ByteReader(bytes)
        guard reader.number() == scrypt, let doublings: UInt8 = reader.number(),
            (1...PasscodeCost.ceiling.doublings).contains(doublings),
            reader.number() == UInt8(PasscodeCost.blockSize),
            reader.number() == UInt8(PasscodeCost.parallelism),
            let _: UInt32 = reader.number(), let salt = reader.bytes32(), let check = reader.bytes32()
        else { return nil }
        return (PasscodeCost(doublings: doublings), salt, check)
    }

    /// What commits to the key before it unwraps anything.
    private func check(of key: SymmetricKey, with keys: StoreKeys) -> Bytes32 {
        var message = ByteWriter(capacity: 80)
        message.append("lkc/1/check")
        message.append(keys.store)
        message.append(bytes.prefix(40))
        return KeyedDigest(key: key).digest(of: message.bytes)
    }
}

extension SymmetricKey {
    /// Two of them are compared in constant time.
    init(_ bytes: Bytes32) { self = unsafe bytes.withBytes { unsafe SymmetricKey(data: $0) } }
}

/// The key of a passcode that was proved right, or is new: what wraps class keys.
package struct PasscodeKey: Sendable {
    package let derivation: PasscodeDerivation
    let key: SymmetricKey
}
