// SPDX-License-Identifier: Apache-2.0

/// What was read of an object, and what it weighs with everything in it.
struct Weighed<Value> {
    let value: Value
    let weight: Int
}

/// The objects of a list or an archive by index, each of which is read once.
struct ObjectTable<Value> {
    private enum Entry {
        case unread, beingRead
        case read(Weighed<Value>)
    }

    private var entries: [Entry]

    init(count: Int) { entries = Array(repeating: .unread, count: count) }

    /// The object, if it has been read; otherwise it is being read from now on, and may not be met again meanwhile.
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
