// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel

/// A reference model of a keychain: a plain list of items.
struct ReferenceKeychain {
    struct Item: Equatable {
        let id: Int
        let itemClass: ItemClass
        var attributes: Attributes
        var secret: SecretBuffer?
        /// The number of writes of the item so far.
        var revision = 0
        var isTombstone = false

        /// The primary key, unique among the items and tombstones of a class.
        var identity: [[UInt8]] {
            ReferenceKeychain.unique(itemClass).map { attribute in
                attributes[attribute].map { Self.comparable($0, attribute) } ?? [0]
            }
        }

        static func comparable(_ value: AttributeValue, _ attribute: Attribute) -> [UInt8] {
            let blobs: [Attribute] = [.account, .service, .server, .label, .generic, .applicationTag]
            let isBlob = blobs.contains(attribute)
            return (isBlob ? [1] : [2, value.typeCode]) + value.canonicalBytes
        }

        func has(_ attribute: Attribute, _ value: AttributeValue) -> Bool {
            attributes[attribute].map { Self.comparable($0, attribute) } == Self.comparable(value, attribute)
        }
    }

    private(set) var items: [Item] = []
    private var nextID = 0

    static func unique(_ itemClass: ItemClass) -> [Attribute] {
        let common: [Attribute] = [.accessGroup, .synchronizable, .syncViewHint]
        return switch itemClass {
        case .genericPassword: common + [.account, .service]
        case .internetPassword: common + [.account, .server, .port, .protocol]
        case .certificate: common + [.certificateType, .issuer, .serialNumber]
        default: common + [.keyClass, .applicationLabel, .applicationTag, .creator, .type, .startDate]
        }
    }

    static func defaults(_ itemClass: ItemClass) -> Attributes {
        switch itemClass {
        case .genericPassword: [.account: "", .service: ""]
        case .internetPassword:
            [
                .account: "", .server: "", .port: 0, .protocol: 0, .securityDomain: "",
                .authenticationType: "", .path: "",
            ]
        case .certificate: [.certificateType: 0, .issuer: .data([]), .serialNumber: .data([])]
        default:
            [
                .keyClass: 0, .applicationLabel: .data([]), .applicationTag: "", .creator: 0, .type: 0,
                .keySizeInBits: 0, .effectiveKeySize: 0, .startDate: .date(0), .endDate: .date(0),
            ]
        }
    }

    private func mayUse(_ group: AttributeValue?, _ groups: [String]) -> Bool {
        group == nil || groups.contains { group == .string($0) }
    }

    /// Returns the indices in `items` of those that match a filter in the given groups.
    private func matches(_ filter: Filter, _ groups: [String]) -> [Int] {
        items.indices.filter { index in
            let item = items[index]
            guard item.itemClass == filter.itemClass, !item.isTombstone,
                groups.contains(where: { item.attributes[.accessGroup] == .string($0) })
            else { return false }
            if let handle = filter.handle, handle != item.id { return false }
            switch filter.synchronizable {
            case .any: break
            case .exactly(let flag): if item.has(.synchronizable, flag ? 0 : 1) { return false }
            case .unspecified: if filter.handle == nil, item.has(.synchronizable, 1) { return false }
            }
            return filter.attributes.entries.allSatisfy { item.has($0.attribute, $0.value) }
        }
    }

    mutating func add(
        _ itemClass: ItemClass,
        _ given: Attributes,
        _ secret: SecretBuffer?,
        _ groups: [String]
    ) -> (status: Status, id: Int?) {
        guard mayUse(given[.accessGroup], groups) else { return (.missingEntitlement, nil) }
        let defaults: Attributes = [
            .accessGroup: .string(groups[0]), .synchronizable: 0,
            .accessible: itemClass == .certificate ? "dk" : "ak",
        ]
        let attributes = Self.defaults(itemClass).with(defaults).with(given)
        guard attributes[.accessible] != "akpu" else { return (.authenticationFailed, nil) }
        var item = Item(id: nextID, itemClass: itemClass, attributes: attributes, secret: secret)
        if let taken = items.firstIndex(where: { $0.itemClass == itemClass && $0.identity == item.identity })
        {
            guard items[taken].isTombstone else { return (.duplicateItem, nil) }
            item = Item(id: items[taken].id, itemClass: itemClass, attributes: attributes, secret: secret)
            item.revision = items[taken].revision + 1
            items[taken] = item
        } else {
            nextID += 1
            items.append(item)
        }
        return (.success, item.id)
    }

    func find(_ filter: Filter, _ groups: [String]) -> (status: Status, found: [Item]) {
        guard mayUse(filter.attributes[.accessGroup], groups) else { return (.missingEntitlement, []) }
        let found = matches(filter, groups).map { items[$0] }
        return (found.isEmpty ? .itemNotFound : .success, found)
    }

    mutating func update(
        _ filter: Filter,
        _ changes: Attributes,
        _ secret: SecretBuffer?,
        _ groups: [String]
    ) -> Status {
        guard mayUse(filter.attributes[.accessGroup], groups), mayUse(changes[.accessGroup], groups) else {
            return .missingEntitlement
        }
        let matched = matches(filter, groups)
        guard !matched.isEmpty else { return .itemNotFound }
        guard changes[.accessible] != "akpu" else { return .authenticationFailed }
        var changed = items
        for index in matched {
            changed[index].attributes = changed[index].attributes.with(changes)
            changed[index].secret = secret ?? changed[index].secret
            changed[index].revision += 1
        }
        for index in matched {
            let new = changed[index]
            let others = changed.filter {
                $0.id != new.id && $0.itemClass == new.itemClass && !$0.isTombstone
            }
            guard !others.contains(where: { $0.identity == new.identity }) else { return .duplicateItem }
        }
        let taken = matched.map { changed[$0].identity }
        changed.removeAll {
            $0.isTombstone && $0.itemClass == filter.itemClass && taken.contains($0.identity)
        }
        items = changed
        return .success
    }

    mutating func delete(_ filter: Filter, leavesTombstones: Bool, _ groups: [String]) -> Status {
        guard mayUse(filter.attributes[.accessGroup], groups) else { return .missingEntitlement }
        let matched = matches(filter, groups)
        guard !matched.isEmpty else { return .itemNotFound }
        for index in matched.reversed() {
            guard leavesTombstones, items[index].has(.synchronizable, 1) else {
                items.remove(at: index)
                continue
            }
            items[index].isTombstone = true
            items[index].revision += 1
        }
        return .success
    }
}
