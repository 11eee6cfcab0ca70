// SPDX-License-Identifier: Apache-2.0

import KeychainModel

/// An entry of a key cache: encrypted keys and the directory of their store.
///
/// The encoding is `directory length 2 | directory | box`; the box contains the encrypted keys. If the directory is
/// missing or does not contain the store, the store was deleted.
struct KeyCacheEntry {
    let directory: String
    let box: [UInt8]

    /// The maximum size of an entry in bytes: a path of 4,096 bytes and a box of at most 1,024.
    static let longest = 2 + 4_096 + 1_024

    init(directory: String, box: [UInt8]) {
        self.directory = directory
        self.box = box
    }

    init?(_ bytes: [UInt8]) {
        guard bytes.count >= 2 else { return nil }
        let length = Int(bytes[bytes.startIndex]) | Int(bytes[bytes.startIndex + 1]) << 8
        guard let directory = String(validating: bytes.dropFirst(2).prefix(length), as: UTF8.self),
            bytes.count >= 2 + length
        else { return nil }
        self.init(directory: directory, box: Array(bytes.dropFirst(2 + length)))
    }

    var encoded: [UInt8] {
        let path = Array(directory.utf8.prefix(Int(UInt16.max)))
        return [UInt8(path.count & 0xff), UInt8(path.count >> 8)] + path + box
    }
}

enum PutOutcome {
    case kept
    /// The location is currently full.
    case full
    case refused
}

/// The name of a cache entry, unique for each store, group of protection classes and parity of the lock epoch.
struct KeyCacheName: Hashable {
    let store: Bytes16
    let slot: UnlockedKeys.Slot
    let parity: EpochParity

    private static let prefix = "lkc:"

    init(store: Bytes16, slot: UnlockedKeys.Slot, parity: EpochParity) {
        self.store = store
        self.slot = slot
        self.parity = parity
    }

    init?(_ text: String) {
        let digits = text.dropFirst(Self.prefix.count).prefix(32).compactMap(\.hexDigitValue)
        let bytes = stride(from: 0, to: digits.count - 1, by: 2).map {
            UInt8(digits[$0] << 4 | digits[$0 + 1])
        }
        guard let store = Bytes16(bytes) else { return nil }
        let names = UnlockedKeys.Slot.allCases.flatMap { slot in
            EpochParity.allCases.map { Self(store: store, slot: slot, parity: $0) }
        }
        guard let name = names.first(where: { $0.text == text }) else { return nil }
        self = name
    }

    var text: String {
        let digits = store.bytes.map { byte in
            let text = String(byte, radix: 16)
            return text.utf8.count == 1 ? "0" + text : text
        }
        return "\(Self.prefix)\(digits.joined()):\(slot == .unlocked ? "A" : "C")\(parity.rawValue)"
    }
}

/// The parity of a lock epoch, which is part of an entry's name.
///
/// A lock epoch is a random number. Every lock and unlock replaces it, and so does a change of the passcode, of the
/// lock settings or of the class keys. The new number always has the other parity, so the keys of the next epoch can
/// be cached while those of the current epoch are valid.
package enum EpochParity: UInt8, CaseIterable, Sendable {
    case even, odd

    var other: Self { self == .even ? .odd : .even }

    init(_ epoch: Bytes16) { self = epoch.bytes[0] & 1 == 0 ? .even : .odd }
}

extension KeyCacheEntry {
    /// Returns whether an entry's store was deleted: its directory is missing or does not contain its device key.
    ///
    /// False if the directory is inaccessible, and for a name or content that is not that of an entry.
    static func isOfDeletedStore(_ name: String, _ content: [UInt8]) -> Bool {
        guard let name = KeyCacheName(name), let entry = Self(content), entry.directory.hasPrefix("/") else {
            return false
        }
        do throws(StatusError) {
            let directory = try PrivateDirectory(path: entry.directory, creating: false)
            return try DeviceKey(in: directory)?.store != name.store
        } catch {
            return error.reason == .directoryMissing || error.reason == .notADirectory
        }
    }
}
