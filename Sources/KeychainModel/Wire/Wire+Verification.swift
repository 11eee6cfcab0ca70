// SPDX-License-Identifier: Apache-2.0

extension StoreVerification: WireValue {
    package func encode(into writer: inout WireWriter) {
        for count in [intact, locked, constrained, tombstones] { writer.count(count) }
        writer.list(damages)
        writer.list(problems)
    }

    package init(from reader: inout WireReader) throws(StatusError) {
        self.init()
        intact = try reader.count()
        locked = try reader.count()
        constrained = try reader.count()
        tombstones = try reader.count()
        damages = try reader.list()
        problems = try reader.list()
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
        self = try reader.name()
    }
}

extension RotationStatus: WireValue {
    package func encode(into writer: inout WireWriter) {
        writer.flag(isRotating)
        writer.flag(isRunning)
        for count in [completed, total, summary.rotated, summary.damaged] { writer.count(count) }
        writer.flag(summary.isComplete)
        writer.optional(failure)
    }

    package init(from reader: inout WireReader) throws(StatusError) {
        self.init()
        isRotating = try reader.flag()
        isRunning = try reader.flag()
        completed = try reader.count()
        total = try reader.count()
        summary.rotated = try reader.count()
        summary.damaged = try reader.count()
        summary.isComplete = try reader.flag()
        failure = try reader.optional()
    }
}

extension RepairSummary: WireValue {
    package func encode(into writer: inout WireWriter) {
        writer.value(verification)
        writer.count(salvaged)
        writer.optional(copy)
        writer.flag(endedSynchronization)
    }

    package init(from reader: inout WireReader) throws(StatusError) {
        self.init(
            verification: try reader.value(),
            salvaged: try reader.count(),
            copy: try reader.optional(),
            endedSynchronization: try reader.flag()
        )
    }
}

extension WireWriter {
    fileprivate mutating func count(_ number: Int) { integer(UInt64(truncatingIfNeeded: number)) }
}

extension WireReader {
    fileprivate mutating func count() throws(StatusError) -> Int {
        guard let count = Int(exactly: try integer(UInt64.self)) else { throw WireReader.malformed }
        return count
    }
}
