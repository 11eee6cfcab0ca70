// SPDX-License-Identifier: Apache-2.0

/// The random pauses after failed attempts of the agent.
///
/// A pause takes at least half of a limit and at most the limit. The limit starts at 0.1 s, and each failure
/// doubles it, up to 60 s.
struct BackOff: Sendable {
    private static let first: UInt64 = 100
    private static let longest: UInt64 = 60_000

    private var limit = Self.first

    mutating func reset() { limit = Self.first }

    /// Returns the milliseconds to wait after an error.
    mutating func next(after error: SyncError) -> UInt64 {
        let range = Self.range(after: error) ?? (limit / 2...limit)
        limit = min(limit * 2, Self.longest)
        return .random(in: range)
    }

    /// Returns longer pauses, in milliseconds, for errors that last until the user or an admin acts; `nil` for all
    /// others.
    private static func range(after error: SyncError) -> ClosedRange<UInt64>? {
        switch error {
        case .etcd(.credentialsRefused), .etcd(.certificateRefused), .etcd(.certificateFile): 60_000...300_000
        case .etcd(.outOfSpace): 60_000...300_000
        case .removed, .rolledBack, .inconsistent, .deviceKeyUsedTwice, .updateNeeded, .manifestInvalid:
            30_000...60_000
        case .notConfigured, .locked, .paused: 60_000...60_000
        default: nil
        }
    }
}
