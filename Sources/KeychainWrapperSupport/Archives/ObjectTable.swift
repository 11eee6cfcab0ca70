// SPDX-License-Identifier: Apache-2.0

/// A parsed object, with the weight of the object and everything in it; see ``ParserLimits/weight``.
struct Weighed<Value> {
    let value: Value
    let weight: Int
}

/// The objects of a property list or an archive by index, each read once.
struct ObjectTable<Value> {
    private enum Entry {
        case unread, beingRead
        case read(Weighed<Value>)
    }

    private var entries: [Entry]

    init(count: Int) { entries = Array(repeating: .unread, count: count) }

    /// Returns an object that has been read; otherwise marks it as being read and returns `nil`.
    ///
    /// Throws `cycle` if the object is already being read, because it then contains itself.
    mutating func begin(_ index: Int) throws(KeyedArchiveError) -> Weighed<Value>? {
        guard entries.indices.contains(index) else { throw .malformed }
        switch entries[index] {
        case .read(let object): return object
        case .beingRead: throw .cycle
        case .unread:
            entries[index] = .beingRead
            return nil
        }
    }

    mutating func end(_ index: Int, _ object: Weighed<Value>) { entries[index] = .read(object) }
}
