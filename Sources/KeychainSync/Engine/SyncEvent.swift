// SPDX-License-Identifier: Apache-2.0

/// An event of synchronization, for logs and metrics.
package struct SyncEvent: Hashable, Sendable {
    package enum Kind: String, Sendable {
        case connected, pushed, received, fullResynchronization, newGeneration, problem, paused, locked
    }

    package let kind: Kind
    package var count: Int?
    package var revision: UInt64?
    /// How long etcd took to acknowledge a change.
    package var milliseconds: UInt64?
    package var problem: String?

    package init(_ kind: Kind, count: Int? = nil, revision: UInt64? = nil, problem: String? = nil) {
        self.kind = kind
        self.count = count
        self.revision = revision
        self.problem = problem
    }

    /// The event as `key=value` fields.
    package var fields: String {
        var text = "event=\(kind.rawValue)"
        if let count { text += " count=\(count)" }
        if let revision { text += " revision=\(revision)" }
        if let milliseconds { text += " milliseconds=\(milliseconds)" }
        if let problem { text += " problem=\(problem)" }
        return text
    }
}
