// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import KeychainTestSupport

/// Selects items by class, attributes and, optionally, the number of the addition that created one (its handle).
struct Filter: CustomStringConvertible {
    var itemClass: ItemClass
    var attributes: Attributes = [:]
    var synchronizable = ItemFilter.Synchronizable.unspecified
    var handle: Int?

    var description: String {
        "\(itemClass) \(attributes.list) \(synchronizable)" + (handle.map { " number \($0)" } ?? "")
    }
}

extension Attributes {
    fileprivate var list: String {
        entries.map { "\($0.attribute.name) \($0.value)" }.joined(separator: ", ")
    }
}

enum Operation: CustomStringConvertible {
    case add(ItemClass, Attributes, SecretBuffer?, groups: [String])
    case find(Filter, MatchLimit, groups: [String])
    case update(Filter, Attributes, SecretBuffer?, groups: [String])
    case delete(Filter, leavesTombstones: Bool, groups: [String])
    case reopen
    /// Continues on the other of two connections to the store.
    case switchConnection

    /// The class whose items the operation may change; `nil` if it changes none.
    var changedClass: ItemClass? {
        switch self {
        case .add(let itemClass, _, _, _): itemClass
        case .update(let filter, _, _, _), .delete(let filter, _, _): filter.itemClass
        case .find, .reopen, .switchConnection: nil
        }
    }

    var isReopening: Bool { if case .reopen = self { true } else { false } }

    var description: String {
        switch self {
        case .add(let itemClass, let attributes, let secret, let groups):
            "add \(itemClass) \(attributes.list) secret \(secret?.count ?? -1) as \(groups)"
        case .find(let filter, let limit, let groups): "find \(filter) \(limit) as \(groups)"
        case .update(let filter, let changes, let secret, let groups):
            "update \(filter) to \(changes.list) secret \(secret?.count ?? -1) as \(groups)"
        case .delete(let filter, let leavesTombstones, let groups):
            "delete \(filter) \(leavesTombstones ? "" : "without tombstones") as \(groups)"
        case .reopen: "reopen"
        case .switchConnection: "switch connection"
        }
    }
}

/// Generates operations with few distinct values, so that they interact.
struct OperationGenerator {
    private var random: SeededGenerator

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    private static let callers = [["canary.g1", "canary.g2"], ["canary.g2"], ["canary.g3", "canary.g1"]]
    private static let groups: [AttributeValue] = ["canary.g1", "canary.g2", "canary.g3"]
    private static let names: [AttributeValue] = [
        "", "canary a", "canary b", .data(Array("canary a".utf8)), "canary A",
    ]
    private static let datas: [AttributeValue] = ["", "canary a", "canary b"].map { .data(Array($0.utf8)) }
    private static let protections: [AttributeValue] = ["ak", "ck", "dku", "aku", "cku", "dk"]

    mutating func next() -> Operation {
        let groups = pick([0, 0, 0, 0, 1, 2].map { Self.callers[$0] })
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<30:
            let itemClass = itemClass()
            return .add(itemClass, attributes(itemClass, density: 60), secret(), groups: groups)
        case 30..<56:
            return .find(filter(), pick([.one, .all, .all, .atMost(2), .atMost(0)]), groups: groups)
        case 56..<76:
            let filter = filter()
            let changes = attributes(filter.itemClass, density: 25)
            return .update(filter, changes, chance(40) ? secret() : nil, groups: groups)
        case 76..<97: return .delete(filter(), leavesTombstones: chance(75), groups: groups)
        case 97: return .reopen
        default: return .switchConnection
        }
    }

    private mutating func filter() -> Filter {
        var filter = Filter(itemClass: itemClass())
        if chance(12) {
            filter.handle = Int.random(in: 0..<60, using: &random)
            if chance(60) { return filter }
        }
        filter.attributes = attributes(filter.itemClass, density: pick([0, 30, 45, 80]))
        filter.attributes[.synchronizable] = nil
        filter.synchronizable = pick([.unspecified, .unspecified, .any, .exactly(true), .exactly(false)])
        return filter
    }

    private mutating func attributes(_ itemClass: ItemClass, density: Int) -> Attributes {
        var attributes = Attributes()
        switch itemClass {
        case .genericPassword:
            if chance(density) { attributes[.account] = pick(Self.names) }
            if chance(density) { attributes[.service] = pick(Self.names) }
            if chance(density / 4) { attributes[.generic] = pick(Self.names) }
        case .internetPassword:
            if chance(density) { attributes[.account] = pick(Self.names) }
            if chance(density) { attributes[.server] = pick(Self.names) }
            if chance(density / 2) { attributes[.port] = pick([0, 443]) }
            if chance(density / 2) { attributes[.protocol] = pick([0, "http", "htps"]) }
        case .certificate:
            if chance(density) { attributes[.issuer] = pick(Self.datas) }
            if chance(density) { attributes[.serialNumber] = pick(Self.datas) }
            if chance(density / 2) { attributes[.certificateType] = pick([0, 3]) }
            if chance(density / 2) { attributes[.subject] = pick(Self.datas) }
        default:
            if chance(density) { attributes[.applicationLabel] = pick(Self.datas) }
            if chance(density) { attributes[.applicationTag] = pick(Self.names) }
            if chance(density / 2) { attributes[.keyClass] = pick([0, 1]) }
            if chance(density / 2) { attributes[.type] = pick([0, 73, "2147483678"]) }
            if chance(density / 4) { attributes[.startDate] = pick([.date(0), .date(1)]) }
            if chance(density / 4) { attributes[.canSign] = pick([0, 1]) }
        }
        if chance(density / 3) { attributes[.label] = pick(Self.names) }
        if itemClass != .certificate, chance(density / 4) { attributes[.creator] = pick([1, 2]) }
        if chance(density / 5) { attributes[.accessGroup] = pick(Self.groups) }
        if chance(density / 2) { attributes[.synchronizable] = pick([0, 1, 1]) }
        if chance(density / 8) { attributes[.syncViewHint] = pick(["canary v", "canary w"]) }
        if chance(density / 4) { attributes[.accessible] = chance(8) ? "akpu" : pick(Self.protections) }
        return attributes
    }

    private mutating func secret() -> SecretBuffer? {
        let count = pick([0, 1, 15, 16, 17, 200])
        return chance(10)
            ? nil : SecretBuffer(Array("canary".utf8) + (0..<count).map { UInt8(truncatingIfNeeded: $0) })
    }

    private mutating func itemClass() -> ItemClass {
        pick([.genericPassword, .genericPassword, .internetPassword, .certificate, .key])
    }

    private mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    private mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: elements.indices, using: &random)]
    }
}
