// SPDX-License-Identifier: Apache-2.0

#if KeePass
import CKeychainKeePass
import Crypto
import CryptoExtras
import FoundationEssentials

/// The function and parameters that derive the key of a KeePass database, with limits on what a file can require.
enum KeePassDerivation: Equatable {
    case argon2(Argon2)
    case aes(seed: [UInt8], rounds: Int)

    struct Argon2: Equatable {
        /// Whether the function is Argon2id; otherwise, it is Argon2d.
        let isMixed: Bool
        let version: UInt32
        let salt: [UInt8]
        let secret: [UInt8]
        let data: [UInt8]
        let passes: Int
        /// The memory in KiB.
        let memory: Int
        let lanes: Int

        /// The maximum memory in KiB: 1 GiB.
        static let maximumMemory = 1 << 20
        static let maximumLanes = 64
        /// The maximum product of memory in KiB and passes: 64 GiB, which takes about a minute.
        ///
        /// KeePassXC lets the user choose a derivation time of at most 5 seconds. With its default memory of 64 MiB,
        /// the product is then about 5 GiB.
        static let maximumWork = 64 << 20
    }

    /// The maximum rounds of AES, which take about half a minute.
    static let maximumRounds = 1_000_000_000

    init(_ parameters: VariantDictionary) throws(KeePassError) {
        guard let identifier = parameters.bytes("$UUID") else { throw .damaged }
        switch KeePassKey.text(identifier) {
        case "7c02bb8279a74ac0927d114a00648238", "c9d9f39a628a4460bf740d08c18a4fea":
            guard let seed = parameters.bytes("S"), seed.count == 32, let rounds = parameters.integer("R")
            else {
                throw .damaged
            }
            guard rounds <= Self.maximumRounds else { throw .tooMuchWork }
            self = .aes(seed: Array(seed), rounds: rounds)
        case "ef636ddf8c29444b91f7a9a403e30a0c": self = try .argon2(Argon2(parameters, isMixed: false))
        case "9e298b1956db4773b23dfc3ec6f0a1e6": self = try .argon2(Argon2(parameters, isMixed: true))
        default: throw .unsupportedDerivation
        }
    }

    func derive(_ composite: [UInt8]) throws(KeePassError) -> [UInt8] {
        switch self {
        case .argon2(let argon2): return try argon2.derive(composite)
        case .aes(let seed, let rounds):
            let halves = try [composite[..<16], composite[16...]].map { half throws(KeePassError) in
                try Self.encrypt(half, seed: seed, rounds: rounds)
            }
            return Array(SHA256.hash(data: halves[0] + halves[1]))
        }
    }

    /// Encrypts a block as often as the file requires.
    ///
    /// With zeros as the plaintext, each block of CBC is the encryption of the block before it.
    private static func encrypt(
        _ block: ArraySlice<UInt8>,
        seed: [UInt8],
        rounds: Int
    ) throws(KeePassError) -> [UInt8] {
        let key = SymmetricKey(data: seed)
        var (block, remaining) = (Array(block), rounds)
        while remaining > 0 {
            let count = min(remaining, 4_096)
            let zeros = Data(count: count * 16)
            guard let vector = try? AES._CBC.IV(ivBytes: block),
                let output = try? AES._CBC.encrypt(zeros, using: key, iv: vector, noPadding: true)
            else { throw .damaged }
            block = Array(output.suffix(16))
            remaining -= count
        }
        return block
    }
}

extension KeePassDerivation.Argon2 {
    fileprivate init(_ parameters: VariantDictionary, isMixed: Bool) throws(KeePassError) {
        guard let salt = parameters.bytes("S"), let passes = parameters.integer("I"),
            let memory = parameters.integer("M"), let lanes = parameters.integer("P"),
            let version = parameters.integer("V"), passes > 0, lanes > 0, (8...1_024).contains(salt.count)
        else { throw .damaged }
        guard version == 0x10 || version == 0x13 else { throw .unsupportedDerivation }
        let kibibytes = memory / 1_024
        guard lanes <= Self.maximumLanes, kibibytes <= Self.maximumMemory,
            passes <= Self.maximumWork / max(kibibytes, 1)
        else { throw .tooMuchWork }
        guard kibibytes >= 8 * lanes else { throw .damaged }
        self.isMixed = isMixed
        self.version = UInt32(version)
        self.salt = Array(salt)
        secret = Array(parameters.bytes("K") ?? [])
        data = Array(parameters.bytes("A") ?? [])
        self.passes = passes
        self.memory = kibibytes
        self.lanes = lanes
    }

    fileprivate func derive(_ composite: [UInt8]) throws(KeePassError) -> [UInt8] {
        var (key, composite, salt) = ([UInt8](repeating: 0, count: 32), composite, salt)
        var (secret, data) = (secret, data)
        let code = unsafe key.withUnsafeMutableBufferPointer { key in
            unsafe composite.withUnsafeMutableBufferPointer { composite in
                unsafe salt.withUnsafeMutableBufferPointer { salt in
                    unsafe secret.withUnsafeMutableBufferPointer { secret in
                        unsafe data.withUnsafeMutableBufferPointer { data in
                            unsafe run(key, composite, salt, secret, data)
                        }
                    }
                }
            }
        }
        guard code != ARGON2_MEMORY_ALLOCATION_ERROR.rawValue else { throw .outOfMemory }
        guard code == ARGON2_OK.rawValue else { throw .damaged }
        return key
    }

    private typealias Buffer = UnsafeMutableBufferPointer<UInt8>

    private func run(
        _ key: Buffer,
        _ input: Buffer,
        _ salt: Buffer,
        _ secret: Buffer,
        _ data: Buffer
    ) -> Int32 {
        var context = unsafe argon2_context()
        unsafe context.out = key.baseAddress
        unsafe context.outlen = UInt32(key.count)
        unsafe context.pwd = input.baseAddress
        unsafe context.pwdlen = UInt32(input.count)
        unsafe context.salt = salt.baseAddress
        unsafe context.saltlen = UInt32(salt.count)
        // libargon2 rejects an address with the length 0.
        unsafe context.secret = secret.isEmpty ? nil : secret.baseAddress
        unsafe context.secretlen = UInt32(secret.count)
        unsafe context.ad = data.isEmpty ? nil : data.baseAddress
        unsafe context.adlen = UInt32(data.count)
        unsafe context.t_cost = UInt32(passes)
        unsafe context.m_cost = UInt32(memory)
        unsafe context.lanes = UInt32(lanes)
        unsafe context.threads = UInt32(min(lanes, 8))
        unsafe context.version = version
        return unsafe argon2_ctx(&context, isMixed ? Argon2_id : Argon2_d)
    }
}

extension KeePassKey {
    /// Formats bytes as lowercase hexadecimal digits.
    static func text(_ bytes: ArraySlice<UInt8>) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
#endif
