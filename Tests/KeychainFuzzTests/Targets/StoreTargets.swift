// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel

@testable import KeychainStore

/// Decodes the attributes of an item as they are before encryption.
func fuzzRecord(_ data: Data) {
    guard let record = data.withUnsafeBytes({ SealedAttributes(decoding: $0) }) else { return }
    let again = record.encoded.withUnsafeBytes { SealedAttributes(decoding: $0) }
    precondition(again?.attributes == record.attributes && again?.secretTag == record.secretTag)
}

/// Decodes the header page, from raw bytes and from authenticated content whose bucket sums are all zero.
func fuzzHeader(_ data: Data) {
    guard let keys = StoreKeys.ofVectors else { return }
    _ = try? StoreHeader(opening: Array(data), with: keys)
    guard data.count >= 152 else { return }
    var sums = BucketSums()
    sums.seal(with: keys)
    let plain = Array(data.prefix(40))
    let page = Sealing.seal(
        data[40..<152] + sums.tags + data.dropFirst(152),
        under: keys.header,
        associatedData: plain,
        after: plain + sums.boxes
    )
    guard var header = try? StoreHeader(opening: page, with: keys) else { return }
    let again = try? StoreHeader(opening: header.seal(with: keys), with: keys)
    precondition(again?.content == header.content)
}

/// Decodes the keybag page, as if the header had the digest of this page.
func fuzzKeybag(_ data: Data) {
    guard let keys = StoreKeys.ofVectors else { return }
    let bytes = Array(data)
    guard let keybag = try? Keybag(opening: bytes, digest: Bytes32(digestOf: bytes), with: keys) else {
        return
    }
    let classKeys = KeySession(keybag)
    for protection in ProtectionClass.allCases { _ = try? classKeys.classKey(for: protection) }
    let page = keybag.page
    precondition((try? Keybag(opening: page, digest: Bytes32(digestOf: page), with: keys))?.page == page)
}

/// Decodes the device key file, from raw bytes and with a correct checksum.
func fuzzDeviceKey(_ data: Data) {
    let content = Array(data.prefix(56))
    for file in [Array(data), content + Bytes32(digestOf: content).bytes.prefix(8)] {
        guard let key = file.withUnsafeBytes({ DeviceKey(decoding: $0) }) else { continue }
        precondition(file.count == 64 && Array(file[8..<24]) == key.store.bytes)
        _ = StoreKeys(key)
    }
}

extension StoreKeys {
    /// The store keys of the test vectors in `Tests/Fixtures`, with which the vectors can be used as a corpus.
    static let ofVectors: StoreKeys? = {
        let digits = Array(
            "4c4b434445564b32000102030405060708090a0b0c0d0e0f0c96b34f0591d38eb7468febc70621f13758877b30874f8d8c9858f7ba7bcdf585da0b4419f4506a"
        ).compactMap(\.hexDigitValue)
        let file = stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] * 16 + digits[$0 + 1]) }
        return file.withUnsafeBytes { DeviceKey(decoding: $0) }.map { StoreKeys($0) }
    }()
}
