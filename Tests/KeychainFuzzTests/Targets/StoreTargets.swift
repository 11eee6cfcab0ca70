// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel

@testable import KeychainStore

/// The attributes of an item as they are before they are sealed.
func fuzzRecord(_ data: Data) {
    guard let record = data.withUnsafeBytes({ SealedAttributes(decoding: $0) }) else { return }
    let again = record.encoded.withUnsafeBytes { SealedAttributes(decoding: $0) }
    precondition(again?.attributes == record.attributes && again?.secret == record.secret)
}

/// The header's page as it lies in the file, and the same bytes as if its seal were good.
func fuzzHeader(_ data: Data) {
    guard let keys = StoreKeys.ofVectors else { return }
    _ = try? StoreHeader(opening: data, with: keys)
    guard data.count >= 40 else { return }
    let plain = data.prefix(40)
    guard let box = try? Sealing.seal(data.dropFirst(40), under: keys.header, context: plain),
        let header = try? StoreHeader(opening: plain + box, with: keys)
    else { return }
    guard let page = try? header.sealed(with: keys) else {
        preconditionFailure("what was read is not written")
    }
    precondition((try? StoreHeader(opening: page, with: keys)) == header)
}

/// The keybag's page, with a header that vouches for whatever it is.
func fuzzKeybag(_ data: Data) {
    guard let keys = StoreKeys.ofVectors else { return }
    let header = StoreHeader(keybagDigest: Bytes32(sha256: data), bucketDigests: [])
    guard var keybag = try? Keybag(opening: data, vouchedBy: header, with: keys) else { return }
    for protection in ProtectionClass.allCases { _ = try? keybag.classKey(for: protection) }
    let page = keybag.page
    let headerAgain = StoreHeader(keybagDigest: Bytes32(sha256: page), bucketDigests: [])
    precondition((try? Keybag(opening: page, vouchedBy: headerAgain, with: keys))?.page == page)
}

/// The file of the device key as it is, and the same bytes as if its checksum were right.
func fuzzDeviceKey(_ data: Data) {
    let content = Data(data.prefix(56))
    for file in [data, content + Bytes32(sha256: content).withBytes { Data($0.prefix(8)) }] {
        guard let key = file.withUnsafeBytes({ DeviceKey(decoding: $0) }) else { continue }
        precondition(file.count == 64 && Data(file[8..<24]) == key.store.data)
        _ = StoreKeys(key)
    }
}

/// A page of the set hash.
func fuzzBuckets(_ data: Data) {
    guard let keys = StoreKeys.ofVectors, let number = data.first else { return }
    _ = try? BucketPage(opening: data.dropFirst(), as: Int(number) % BucketPage.count, with: keys)
}

extension StoreKeys {
    /// The keys of the store that the vectors of `Tests/Fixtures` belong to, so that they can be a corpus.
    static let ofVectors: StoreKeys? = {
        let digits = Array(
            "4c4b434445564b31000102030405060708090a0b0c0d0e0fd177b3a96f35e2fba069197d8c233ef3e5917c05cbd10e0c5ef7e683b9e787cb37c38fe6460ebee6"
        ).compactMap(\.hexDigitValue)
        let file = stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] * 16 + digits[$0 + 1]) }
        return file.withUnsafeBytes { DeviceKey(decoding: $0) }.map { StoreKeys($0) }
    }()
}
