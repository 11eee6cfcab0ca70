// SPDX-License-Identifier: Apache-2.0

/// Lists the access groups of unsigned programs, or moves items from a former access group into the current one.
///
/// The call needs the passcode, unless root makes it.
package struct AdoptionCall: Sendable, WireValue {
    package enum Operation: Hashable, Sendable {
        /// Lists each access group of an unsigned program, if the group contains items.
        case list
        /// Moves the items of a program's former access group into its current one.
        case move(from: String, to: String)
        /// Moves the items of all access groups of the team `from`: from each group `FROM.name` into `TO.name`.
        case moveTeam(from: String, to: String)

        /// Whether the operation moves items.
        package var isChange: Bool { self != .list }
    }

    package let operation: Operation
    /// The user whose items are listed or moved; `nil` for the caller.
    ///
    /// Only root may name another user.
    package let user: UInt32?
    package let passcode: SentSecret

    package init(_ operation: Operation, ofUser user: UInt32?, _ passcode: SentSecret) {
        self.operation = operation
        self.user = user
        self.passcode = passcode
    }

    package func encode(into writer: inout WireWriter) {
        switch operation {
        case .list: writer.integer(0 as UInt8)
        case .move(let source, let target): Self.encode(1, source, target, into: &writer)
        case .moveTeam(let source, let target): Self.encode(2, source, target, into: &writer)
        }
        writer.optional(user)
        writer.value(passcode)
    }

    private static func encode(
        _ code: UInt8,
        _ source: String,
        _ target: String,
        into writer: inout WireWriter
    ) {
        writer.integer(code)
        writer.string(source)
        writer.string(target)
    }

    package init(from reader: inout WireReader) throws(StatusError) {
        let code: UInt8 = try reader.integer()
        guard code <= 2 else { throw WireReader.malformed }
        if code == 0 {
            operation = .list
        } else {
            let source = try reader.string(atMost: WireLimit.string)
            let target = try reader.string(atMost: WireLimit.string)
            operation = code == 1 ? .move(from: source, to: target) : .moveTeam(from: source, to: target)
        }
        user = try reader.optional()
        passcode = try reader.value()
    }
}

/// The reply to an ``AdoptionCall``.
package struct AdoptionReply: Hashable, Sendable, WireValue {
    /// The number of items that were moved.
    package var moved: UInt32 = 0
    /// The number of items that were not moved.
    ///
    /// An item is not moved if the new group has an item with the same primary key, if the item requires a higher level
    /// of identification or another authentication than the passcode, or if it was deleted meanwhile.
    package var kept: UInt32 = 0
    /// The number of items whose access group cannot be read; some of them may belong to the team to move.
    package var unread: UInt32 = 0
    /// The access groups of unsigned programs that contain items, with the numbers of items, sorted by name.
    ///
    /// Items whose access control is not satisfied by the passcode are not counted.
    package var groups: [GroupCount] = []

    package init() {}

    package func encode(into writer: inout WireWriter) {
        writer.integer(moved)
        writer.integer(kept)
        writer.integer(unread)
        writer.list(groups)
    }

    package init(from reader: inout WireReader) throws(StatusError) {
        moved = try reader.integer()
        kept = try reader.integer()
        unread = try reader.integer()
        groups = try reader.list()
    }
}

/// The number of items in an access group.
package struct GroupCount: Hashable, Sendable, WireValue {
    package let group: String
    package let items: UInt32

    package init(group: String, items: UInt32) {
        self.group = group
        self.items = items
    }

    package func encode(into writer: inout WireWriter) {
        writer.string(group)
        writer.integer(items)
    }

    package init(from reader: inout WireReader) throws(StatusError) {
        let group = try reader.string(atMost: WireLimit.string)
        self.init(group: group, items: try reader.integer())
    }
}
