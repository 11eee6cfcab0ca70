// SPDX-License-Identifier: Apache-2.0

#if SecretService
import CKeychainLibCrypto
import KeychainModel

/// The key agreement of sessions: Diffie-Hellman in the 1,024-bit group of RFC 2409, then HKDF-SHA256.
///
/// The Secret Service specification prescribes this group. The encryption hides secrets only from programs that read
/// the messages on the bus.
enum DiffieHellman {
    /// The size of a public key in bytes, with leading zeros.
    static let publicKeySize = 128
    static let keySize = 16

    /// The size of a private key in bits: more than the group's strength requires, and a quarter of OpenSSL's default.
    ///
    /// Each session costs two exponentiations, whose time is proportional to this size.
    private static let privateBits: CInt = 256

    /// Generates a key pair, and agrees on a key with a client.
    static func agree(with client: [UInt8]) throws(CallError) -> (publicKey: [UInt8], key: SessionKey) {
        let keys = try KeyPair.make()
        return (try keys.publicKey(), try keys.agree(with: client))
    }

    struct KeyPair: ~Copyable {
        private let group: Group
        private let own: Key

        private init(_ group: consuming Group, _ own: consuming Key) {
            self.group = group
            self.own = own
        }

        static func make() throws(CallError) -> Self {
            let group = try Group.make()
            let own = try group.generate()
            return Self(group, own)
        }

        func publicKey() throws(CallError) -> [UInt8] { try own.publicKey() }

        func agree(with peer: [UInt8]) throws(CallError) -> SessionKey {
            let shared = try own.agree(with: try group.publicKey(peer))
            return SessionKey(try SessionKey.derive(from: shared))
        }
    }

    @safe fileprivate struct Group: ~Copyable {
        private let modulus: OpaquePointer
        private let generator: OpaquePointer

        private init(_ modulus: OpaquePointer, _ generator: OpaquePointer) {
            unsafe self.modulus = unsafe modulus
            unsafe self.generator = unsafe generator
        }

        static func make() throws(CallError) -> Self {
            guard let modulus = unsafe BN_get_rfc2409_prime_1024(nil), let generator = unsafe BN_new(),
                unsafe BN_set_word(generator, 2) == 1
            else { throw .failed }
            return unsafe Self(modulus, generator)
        }

        deinit {
            unsafe BN_free(modulus)
            unsafe BN_free(generator)
        }

        func generate() throws(CallError) -> Key {
            let parameters = unsafe try make(selection: Key.parameters, publicKey: nil)
            guard let context = unsafe EVP_PKEY_CTX_new_from_pkey(nil, parameters.pointer, nil) else {
                throw .failed
            }
            defer { unsafe EVP_PKEY_CTX_free(context) }
            var key: OpaquePointer?
            guard unsafe EVP_PKEY_keygen_init(context) == 1, unsafe Self.setPrivateKeySize(context),
                unsafe EVP_PKEY_keygen(context, &key) == 1, let key = unsafe key
            else { throw .failed }
            return unsafe Key(key)
        }

        private static func setPrivateKeySize(_ context: OpaquePointer) -> Bool {
            var bits = privateBits
            return unsafe withUnsafeMutablePointer(to: &bits) { bits in
                let size = unsafe OSSL_PARAM_construct_int(("priv_len" as StaticString).cString, bits)
                return unsafe EVP_PKEY_CTX_set_params(context, [size, OSSL_PARAM_construct_end()]) == 1
            }
        }

        /// Creates a client's public key; refuses numbers below 2 or above *p* − 2, where *p* is the modulus.
        ///
        /// The numbers 0, 1 and *p* − 1 would make the shared key predictable. Also refuses more bytes than *p* has.
        func publicKey(_ bytes: [UInt8]) throws(CallError) -> Key {
            guard (1...publicKeySize).contains(bytes.count),
                let number = unsafe BN_bin2bn(bytes, CInt(bytes.count), nil),
                let last = unsafe BN_dup(modulus)
            else { throw .invalidArguments }
            defer {
                unsafe BN_free(number)
                unsafe BN_free(last)
            }
            guard unsafe BN_sub_word(last, 1) == 1, unsafe BN_cmp(number, BN_value_one()) > 0,
                unsafe BN_cmp(number, last) < 0
            else { throw .invalidArguments }
            return unsafe try make(selection: Key.publicKey, publicKey: number)
        }

        /// Adds a parameter; the builder keeps a pointer to its name, which must therefore be static.
        private func push(
            _ name: StaticString,
            _ number: OpaquePointer,
            to builder: OpaquePointer
        ) throws(CallError) {
            let isPushed = unsafe OSSL_PARAM_BLD_push_BN(builder, name.cString, number) == 1
            guard isPushed else { throw .failed }
        }

        private func make(selection: CInt, publicKey: OpaquePointer?) throws(CallError) -> Key {
            guard let builder = unsafe OSSL_PARAM_BLD_new() else { throw .failed }
            defer { unsafe OSSL_PARAM_BLD_free(builder) }
            unsafe try push("p", modulus, to: builder)
            unsafe try push("g", generator, to: builder)
            if let publicKey = unsafe publicKey { unsafe try push("pub", publicKey, to: builder) }
            guard let parameters = unsafe OSSL_PARAM_BLD_to_param(builder),
                let context = unsafe EVP_PKEY_CTX_new_from_name(nil, "DH", nil)
            else { throw .failed }
            defer {
                unsafe OSSL_PARAM_free(parameters)
                unsafe EVP_PKEY_CTX_free(context)
            }
            var key: OpaquePointer?
            guard unsafe EVP_PKEY_fromdata_init(context) == 1,
                unsafe EVP_PKEY_fromdata(context, &key, selection, parameters) == 1, let key = unsafe key
            else { throw .failed }
            return unsafe Key(key)
        }
    }

    @safe fileprivate struct Key: ~Copyable {
        let pointer: OpaquePointer

        /// The selections of `EVP_PKEY_fromdata`, which are macros that Swift does not import.
        static let parameters: CInt = 0x84
        static let publicKey: CInt = 0x86

        init(_ pointer: OpaquePointer) { unsafe self.pointer = pointer }

        deinit { unsafe EVP_PKEY_free(pointer) }

        func publicKey() throws(CallError) -> [UInt8] {
            var number: OpaquePointer?
            guard unsafe EVP_PKEY_get_bn_param(pointer, OSSL_PKEY_PARAM_PUB_KEY, &number) == 1 else {
                throw .failed
            }
            defer { unsafe BN_free(number) }
            var bytes = [UInt8](repeating: 0, count: publicKeySize)
            guard unsafe BN_bn2binpad(number, &bytes, CInt(bytes.count)) == publicKeySize else {
                throw .failed
            }
            return bytes
        }

        /// Computes the shared secret, with leading zeros.
        func agree(with peer: borrowing Key) throws(CallError) -> SecretBytes {
            guard let context = unsafe EVP_PKEY_CTX_new_from_pkey(nil, pointer, nil) else { throw .failed }
            defer { unsafe EVP_PKEY_CTX_free(context) }
            guard unsafe EVP_PKEY_derive_init(context) == 1, unsafe EVP_PKEY_CTX_set_dh_pad(context, 1) == 1
            else { throw .failed }
            guard unsafe EVP_PKEY_derive_set_peer(context, peer.pointer) == 1 else { throw .invalidArguments }
            var (count, isDone) = (publicKeySize, false)
            let shared = unsafe SecretBytes(count: publicKeySize) { bytes in
                let start = unsafe bytes.assumingMemoryBound(to: UInt8.self).baseAddress
                isDone = unsafe EVP_PKEY_derive(context, start, &count) == 1
            }
            guard isDone, count == publicKeySize else { throw .failed }
            return shared
        }
    }
}

extension StaticString {
    /// The string with a zero byte at its end; the memory is never released.
    var cString: UnsafePointer<CChar> {
        unsafe UnsafeRawPointer(utf8Start).assumingMemoryBound(to: CChar.self)
    }
}
#endif
