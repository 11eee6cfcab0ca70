// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import KeychainModel

/// What a key cache keeps under one name: sealed keys, and the directory of the store that they belong to.
///
/// `directory length 2 | directory | box`. By the directory it can be found out that the store is gone.
struct KeyCacheEntry {
    let directory: String
    let box: Data

    /// The longest path that Linux takes, and more than any box has.
    static let longest = 2 + 4_096 + 1_024

    init(directory: String, box: Data) {
        self.directory = directory
        self.box = box
    }

    init?(_ bytes: Data) {
        guard bytes.count >= 2 else { return nil }
        let length = Int(bytes[bytes.startIndex]) | Int(bytes[bytes.startIndex + 1]) << 8
        guard let directory = String(validating: bytes.dropFirst(2).prefix(length), as: UTF8.self),
            bytes.count >= 2 + length
        else { return nil }
        self.init(directory: directory, box: Data(bytes.dropFirst(2 + length)))
    }

    var encoded: Data {
        let path = Data(directory.utf8.prefix(Int(UInt16.max)))
        return Data([UInt8(path.count & 0xff), UInt8(path.count >> 8)]) + path + box
    }
}

/// What became of an entry that was put into a location.
enum PutOutcome {
    case kept
    /// There is no room for it now.
    case full
    case refused
}

/// The name of an entry: two stores never mix, and neither do keys of one lock epoch and of the next.
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

    /// `nil` for a name of something else.
    init?(_ text: String) {
        let digits = text.dropFirst(Self.prefix.count).prefix(32).compactMap(\.hexDigitValue)
        let bytes = stride(from: 0, to: digits.count - 1, by: 2).map {
            UInt8(digits[$0] << 4 | digits[$0 + 1])
        }
        guard let store = Bytes16(Data(bytes)) else { return nil }
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

/// Lock epochs alternate between two names, so that the keys of the next one can be prepared while the present one
/// still is what the store says.
package enum EpochParity: UInt8, CaseIterable, Sendable {
    case even, odd

    var other: Self { self == .even ? .odd : .even }

    init(_ epoch: Bytes16) { self = epoch.bytes[0] & 1 == 0 ? .even : .odd }
}

extension KeyCacheEntry {
    /// Whether the store of an entry is gone: its directory does not exist, or has another store by now.
    ///
    /// A directory that cannot be looked at is no such case.
    static func isOfDeletedStore(_ name: String, _ content: Data) -> Bool {
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
