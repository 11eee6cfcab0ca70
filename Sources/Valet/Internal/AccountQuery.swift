// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices

/// A query that lacks nothing but the account, which is another one in every call.
struct AccountQuery: Sendable {
    #if canImport(Darwin)
    private let query: Query

    init(_ query: Query) { self.query = query }

    func callAsFunction(_ account: String) -> Query { query.adding(account: account) }
    #else
    @safe private nonisolated(unsafe) let keys: [Any]
    @safe private nonisolated(unsafe) let values: [Any]

    init(_ query: Query) {
        // Never changed, so that the two are in one order.
        keys = query.dictionary.allKeys + [kSecAttrAccount]
        values = query.dictionary.allValues
    }

    func callAsFunction(_ account: String) -> Query {
        Query(taking: PairsDictionary(keys, values + [NSString(string: account)]))
    }
    #endif
}

#if !canImport(Darwin)
/// A dictionary of pairs that are ready, made without hashing any of them.
///
/// To set one entry of a dictionary takes longer on Linux than to copy it, 1.3 µs against 0.1 µs: more than a tenth of a
/// read. The keychain looks at all pairs anyway, one after the other.
private final class PairsDictionary: NSDictionary {
    private let keys: [Any]
    private let values: [Any]

    init(_ keys: [Any], _ values: [Any]) {
        (self.keys, self.values) = (keys, values)
        unsafe super.init(objects: nil, forKeys: nil, count: 0)
    }

    required init?(coder: NSCoder) { nil }

    required init(
        objects: UnsafePointer<AnyObject>?,
        forKeys keys: UnsafePointer<NSObject>?,
        count: Int
    ) {
        (self.keys, values) = ([], [])
        unsafe super.init(objects: nil, forKeys: nil, count: 0)
    }

    override var count: Int { keys.count }
    override var allKeys: [Any] { keys }
    override var allValues: [Any] { values }

    override func object(forKey key: Any) -> Any? {
        keys.firstIndex { ($0 as? NSString)?.isEqual(key) == true }.map { values[$0] }
    }

    override func keyEnumerator() -> NSEnumerator { NSArray(array: keys).objectEnumerator() }
}
#endif
