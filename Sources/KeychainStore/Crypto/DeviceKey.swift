// SPDX-License-Identifier: Apache-2.0

package import KeychainModel

/// The random secret key of a store, stored in a file beside the database.
///
/// The passcode alone does not open the store: the key that unwraps class keys is derived from the device key, and
/// also from the passcode if one is set.
package struct DeviceKey: Sendable {
    package let store: Bytes16
    let key: SecretKey

    private static let magic = "LKCDEVK2"
    /// The magic of the previous format, which is rejected with `earlierFormat`.
    private static let earlierMagic = "LKCDEVK1"
    private static let byteCount = 64

    package static func random() -> Self { Self(store: .random(), key: .random()) }

    private init(store: Bytes16, key: SecretKey) {
        self.store = store
        self.key = key
    }
}

/// The file's format: `magic 8 | store 16 | key 32 | first 8 bytes of the digest of these three fields`.
extension DeviceKey {
    /// Reads the key of a store; `nil` if the file is missing.
    ///
    /// - Throws: `notAvailable` with `earlierFormat` if the file has the previous format, or with
    ///   `deviceKeyDamaged` if it is damaged; the error of the system if it cannot be read.
    package init?(in directory: borrowing PrivateDirectory) throws(StatusError) {
        guard try directory.inspect(StoreLocation.deviceKeyName) != nil else { return nil }
        // Read one byte more than expected to detect a longer file.
        var file = try directory.read(StoreLocation.deviceKeyName, atMost: Self.byteCount + 1)
        defer { file.wipe() }
        guard !file.starts(with: Self.earlierMagic.utf8) else {
            throw StatusError(.notAvailable, .earlierFormat)
        }
        guard let parsed = unsafe file.withUnsafeBytes({ unsafe Self(decoding: $0) }) else {
            throw StatusError(.notAvailable, .deviceKeyDamaged)
        }
        self = parsed
    }

    init?(decoding file: UnsafeRawBufferPointer) {
        var reader = unsafe ByteReader(file)
        guard file.count == Self.byteCount,
            let magic = unsafe reader.take(8), unsafe magic.elementsEqual(Self.magic.utf8),
            let store = reader.bytes16(),
            let key = unsafe reader.take(SecretKey.count).flatMap({ unsafe SecretKey(copying: $0) }),
            let check = unsafe reader.take(8)
        else { return nil }
        guard unsafe check.elementsEqual(Self.check(file[..<56])) else { return nil }
        self.store = store
        self.key = key
    }

    /// Writes the key to its file and syncs it; fails if the file exists.
    package func save(in directory: borrowing PrivateDirectory) throws(StatusError) {
        // Reserve the full size first: a reallocated array would leave an unerased copy of the key.
        var file: [UInt8] = []
        file.reserveCapacity(Self.byteCount)
        defer { file.wipe() }
        file.append(contentsOf: Self.magic.utf8)
        file.append(contentsOf: store.bytes)
        unsafe key.withBytes { unsafe file.append(contentsOf: $0) }
        file.append(contentsOf: Self.check(file))
        try directory.create(StoreLocation.deviceKeyName, contents: file)
    }

    private static func check(_ content: some Collection<UInt8>) -> ArraySlice<UInt8> {
        var bytes = Array(content)
        defer { bytes.wipe() }
        return Bytes32(digestOf: bytes).bytes.prefix(8)
    }
}
