// SPDX-License-Identifier: Apache-2.0

extension StoreVerification: WireValue {
    package func encode(into writer: inout WireWriter) {
        for count in [intact, locked, constrained, tombstones] {
            writer.integer(UInt64(truncatingIfNeeded: count))
        }
        writer.list(damages)
        writer.list(problems)
    }

    package init(from reader: inout WireReader) throws(StatusError) {
        self.init()
        intact = try Self.count(from: &reader)
        locked = try Self.count(from: &reader)
        constrained = try Self.count(from: &reader)
        tombstones = try Self.count(from: &reader)
        damages = try reader.list()
        problems = try reader.list()
    }

    private static func count(from reader: inout WireReader) throws(StatusError) -> Int {
        guard let count = Int(exactly: try reader.integer(UInt64.self)) else { throw WireReader.malformed }
        return count
    }
}

extension StoreVerification.Damage: WireValue {
    package func encode(into writer: inout WireWriter) {
        writer.integer(row)
        writer.optional(itemClass)
        writer.optional(group)
        writer.value(problem)
    }

    package init(from reader: inout WireReader) throws(StatusError) {
        self.init(
            row: try reader.integer(),
            itemClass: try reader.optional(),
            group: try reader.optional(),
            problem: try reader.value()
        )
    }
}

extension StoreVerification.Problem: WireValue {
    package func encode(into writer: inout WireWriter) { writer.string(rawValue) }

    package init(from reader: inout WireReader) throws(StatusError) {
        guard let problem = Self(rawValue: try reader.string(atMost: 64)) else { throw WireReader.malformed }
        self = problem
    }
}
