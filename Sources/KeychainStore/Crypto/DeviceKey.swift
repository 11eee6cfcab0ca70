// SPDX-License-Identifier: Apache-2.0

import Crypto
import FoundationEssentials
package import KeychainModel

/// The key of this machine: without it nothing of a store can be read, whatever the passcode.
package struct DeviceKey: Sendable {
    /// The store that the key belongs to.
    package let store: Bytes16
    private let key: SymmetricKey

    private static let magic = "LKCDEVK1"
    private static let byteCount = 64

    /// Draws a new key for a new store.
    package static func random() -> Self { Self(store: .random(), key: SymmetricKey(size: .bits256)) }

    private init(store: Bytes16, key: SymmetricKey) {
        self.store = store
        self.key = key
    }

    /// HKDF-SHA256-Expand of the key, bound to the store and to one purpose.
    func derive(_ label: String) -> SymmetricKey {
        var info = ByteWriter(capacity: 64)
        info.append("lkc/1/")
        info.append(label)
        info.append(store)
        return HKDF<SHA256>.expand(pseudoRandomKey: key, info: info.bytes, outputByteCount: 32)
    }
}

/// The provider that keeps the key in a file: `magic 8 | store 16 | key 32 | SHA-256 of these, 8 bytes of it`.
extension DeviceKey {
    /// Reads the key of a store; `nil` where there is no file.
    ///
    /// - Throws: `notAvailable` with `deviceKeyDamaged` where the file is not what was written.
    package init?(in directory: borrowing PrivateDirectory) throws(StatusError) {
        guard try directory.inspect(StoreLocation.deviceKeyName) != nil else { return nil }
        // One byte more than there should be, so that a longer file is noticed.
        var file = try directory.read(StoreLocation.deviceKeyName, atMost: Self.byteCount + 1)
        defer { file.wipe() }
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
            let key = unsafe reader.take(32),
            let check = unsafe reader.take(8)
        else { return nil }
        let digest = unsafe SHA256.hash(data: UnsafeRawBufferPointer(rebasing: file[..<56]))
        guard unsafe check.elementsEqual(digest.prefix(8)) else { return nil }
        self.store = store
        self.key = unsafe SymmetricKey(data: key)
    }

    /// Writes the key durably; fails where there is a file already.
    package func save(in directory: borrowing PrivateDirectory) throws(StatusError) {
        var file = Data(capacity: Self.byteCount)
        defer { file.wipe() }
        file.append(contentsOf: Self.magic.utf8)
        file.append(store.data)
        unsafe key.withUnsafeBytes { unsafe file.append(contentsOf: $0) }
        file.append(contentsOf: SHA256.hash(data: file).prefix(8))
        try directory.create(StoreLocation.deviceKeyName, contents: file)
    }
}
