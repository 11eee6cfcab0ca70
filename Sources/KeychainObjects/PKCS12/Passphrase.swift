// SPDX-License-Identifier: Apache-2.0

#if PKCS12
import KeychainModel

/// A passphrase as a C string, valid during one call of ``with(_:_:)``.
@safe struct Passphrase {
    /// The maximum length in bytes, limited because every derivation round processes the whole passphrase.
    static let maximumLength = 1024

    /// The derivation rounds of written files: 50 times OpenSSL's default, one sixth of Windows' limit.
    static let rounds: Int32 = 100_000

    private let bytes: UnsafePointer<CChar>?
    let length: Int32
    /// Whether the file has no passphrase; this yields other keys than an empty passphrase.
    var isAbsent = false

    var pointer: UnsafePointer<CChar>? { unsafe isAbsent ? nil : bytes }

    static func with<Result>(
        _ passphrase: SharedBytes,
        _ body: (Passphrase) throws(StatusError) -> Result
    ) throws(StatusError) -> Result {
        let length = passphrase.count
        guard length <= maximumLength else { throw StatusError(.invalidParameter, .wrongValueType) }
        let terminated = unsafe SharedBytes(count: length + 1) { memory in
            unsafe passphrase.withUnsafeBytes { unsafe memory.copyMemory(from: $0) }
        }
        return try unsafe terminated.withUnsafeBytes { memory throws(StatusError) in
            let bytes = unsafe memory.bindMemory(to: CChar.self).baseAddress
            return try body(unsafe Passphrase(bytes: bytes, length: Int32(length)))
        }
    }

    private init(bytes: UnsafePointer<CChar>?, length: Int32) {
        unsafe self.bytes = bytes
        self.length = length
    }
}
#endif
