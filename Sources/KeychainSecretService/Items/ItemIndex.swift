// SPDX-License-Identifier: Apache-2.0

/// The items by ID and by attribute, so that a search reads only the items that have the rarest of
/// the attributes it looks for.
struct ItemIndex {
    private struct Pair: Hashable {
        let name: String
        let value: String
    }

    private var items: [String: ServiceItem] = [:]
    private var byAttribute: [Pair: Set<String>] = [:]

    var count: Int { items.count }
    var all: some Collection<ServiceItem> { items.values }

    subscript(id: String) -> ServiceItem? { items[id] }

    mutating func set(_ item: ServiceItem) {
        remove(item.id)
        items[item.id] = item
        for (name, value) in item.attributes {
            byAttribute[Pair(name: name, value: value), default: []].insert(item.id)
        }
    }

    mutating func remove(_ id: String) {
        guard let item = items.removeValue(forKey: id) else { return }
        for (name, value) in item.attributes {
            let pair = Pair(name: name, value: value)
            byAttribute[pair]?.remove(id)
            if byAttribute[pair]?.isEmpty == true { byAttribute[pair] = nil }
        }
    }

    /// Returns the items that have all attributes and pass the test, the most recently changed first.
    func search(_ attributes: [String: String], where test: (ServiceItem) -> Bool) -> [ServiceItem] {
        var rarest: Set<String>?
        for (name, value) in attributes {
            guard let ids = byAttribute[Pair(name: name, value: value)] else { return [] }
            if ids.count < rarest?.count ?? .max { rarest = ids }
        }
        let candidates = rarest.map { ids in ids.compactMap { items[$0] } } ?? Array(items.values)
        return
            candidates
            .filter { item in
                test(item) && attributes.allSatisfy { item.attributes[$0.key] == $0.value }
            }
            .sorted { ($1.modified, $0.id) < ($0.modified, $1.id) }
    }
}
