// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import KeychainStore
import Testing

/// The passwords and password tombstones of a store, in the format of `Tests/Fixtures/read_keychain.py`.
struct StoreDump: Codable, Hashable {
    struct Item: Codable, Hashable {
        let `class`: String
        let reference: String
        let protection: String
        let synchronizable: Bool
        let tombstone: Bool
        let attributes: [String: Value]
        let secret: String?
        /// The flags of the item's access control; `nil` if it requires no authentication and no application
        /// password.
        let constraints: UInt64?
    }

    struct Value: Codable, Hashable {
        var text: String?
        var data: String?
        var number: Int64?
        var date: Double?

        init(_ value: AttributeValue) {
            switch value {
            case .string(let text): self.text = text
            case .data(let data): self.data = data.hex
            case .number(let number): self.number = number
            case .date(let date): self.date = date
            }
        }

        static func == (left: Self, right: Self) -> Bool {
            left.text.map { Array($0.utf8) } == right.text.map { Array($0.utf8) } && left.data == right.data
                && left.number == right.number && left.date == right.date
        }
    }

    let store: String
    let generation: UInt64
    let items: [Item]

    init(_ keychain: EmbeddedKeychain, with credential: Credential = .none) throws {
        let caller = Caller(applicationIdentifier: "dump", accessGroups: [Caller.everyGroup])
        guard case .status(let status) = try keychain.perform(.status, for: caller) else {
            throw StatusError(.internalInconsistency)
        }
        var items: [Item] = []
        for itemClass in [ItemClass.genericPassword, .internetPassword] {
            for tombstones in [false, true] {
                let filter = ItemFilter(itemClass: itemClass, synchronizable: .any, tombstones: tombstones)
                let copy = CopyRequest(filter: filter, limit: .all, returning: [.data, .attributes])
                do throws(StatusError) {
                    guard
                        case .items(let found) = try keychain.perform(
                            .copy(copy),
                            for: caller,
                            with: credential
                        )
                    else {
                        continue
                    }
                    items += found.map { Item($0) }
                } catch {
                    guard error.status == .itemNotFound else { throw error }
                }
            }
        }
        store = status.store.bytes.hex
        generation = status.generation
        // Sorted by the item identifier, as `read_keychain.py` sorts.
        self.items = items.sorted { $0.reference.dropFirst(8) < $1.reference.dropFirst(8) }
    }
}

extension StoreDump.Item {
    init(_ item: FoundItem) {
        let apart: Set<Attribute> = [
            .synchronizable, .accessible, .tombstone, .multiUser, .sha1, .accessControl,
        ]
        `class` = item.reference.itemClass.name
        reference = item.reference.bytes.hex
        protection = item.accessControl.protection.name
        synchronizable = item.attributes[.synchronizable] == .number(1)
        tombstone = item.attributes[.tombstone] == .number(1)
        attributes = Dictionary(
            uniqueKeysWithValues: item.attributes.entries.filter { !apart.contains($0.attribute) }
                .map { ($0.attribute.name, StoreDump.Value($0.value)) }
        )
        secret = item.secret?.bytes.hex
        constraints = item.accessControl.requiresCredential ? item.accessControl.flags : nil
    }
}

extension Collection<UInt8> {
    var hex: String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}

extension StoreDump.Item {
    @discardableResult
    func read(
        in keychain: EmbeddedKeychain,
        for caller: Caller,
        with credential: Credential
    ) throws -> [FoundItem] {
        let reference = try PersistentReference(Array(#require(Data(hex: reference))))
        let filter = ItemFilter(itemClass: reference.itemClass, reference: reference)
        let copy = Request.copy(CopyRequest(filter: filter, limit: .all, returning: [.data, .attributes]))
        guard case .items(let found) = try keychain.perform(copy, for: caller, with: credential) else {
            return []
        }
        return found
    }
}
