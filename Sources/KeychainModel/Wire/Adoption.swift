// SPDX-License-Identifier: Apache-2.0

/// A call about the access groups of unsigned programs; needs the passcode, unless root makes it.
package struct AdoptionCall: Sendable, WireValue {
    package enum Operation: Hashable, Sendable {
        /// Lists the groups of unsigned programs that have items.
        case list
        /// Moves the items of a program's earlier access group into its present one.
        case move(from: String, to: String)
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
        case .list: writer.flag(false)
        case .move(let source, let target):
            writer.flag(true)
            writer.string(source)
            writer.string(target)
        }
        writer.optional(user)
        writer.value(passcode)
    }

    package init(from reader: inout WireReader) throws(StatusError) {
        if try reader.flag() {
            let source = try reader.string(atMost: WireLimit.string)
            operation = .move(from: source, to: try reader.string(atMost: WireLimit.string))
        } else {
            operation = .list
        }
        user = try reader.optional()
        passcode = try reader.value()
    }
}

/// The reply to an ``AdoptionCall``.
package struct AdoptionReply: Hashable, Sendable, WireValue {
    /// The number of items that were moved.
    package var moved: UInt32 = 0
    /// The number of items that stay in the program's earlier group.
    ///
    /// An item stays if the group to which it would be moved has an item with the same primary key, or if the item
    /// requires a higher level of identification or another authentication than the passcode.
    package var kept: UInt32 = 0
    /// The groups of unsigned programs that have items, sorted by name.
    ///
    /// Items whose access control is not satisfied by the passcode are not counted.
    package var groups: [GroupCount] = []

    package init() {}

    package func encode(into writer: inout WireWriter) {
        writer.integer(moved)
        writer.integer(kept)
        writer.list(groups)
    }

    package init(from reader: inout WireReader) throws(StatusError) {
        moved = try reader.integer()
        kept = try reader.integer()
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
