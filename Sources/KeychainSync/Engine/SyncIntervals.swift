// SPDX-License-Identifier: Apache-2.0

/// The intervals of the agent's periodic work, in milliseconds.
package struct SyncIntervals: Hashable, Sendable {
    /// The pause between two ticks, at which the agent does its periodic work.
    ///
    /// The pause is random, so that the agents of many devices do not call the server at once.
    package var tick: ClosedRange<UInt64> = 60_000...75_000
    /// After this time without an answer, the agent's next periodic work considers the server unreachable.
    package var answer: UInt64 = 10_000
    /// How long an etcd watch may take to report a change that etcd has made.
    package var grace: UInt64 = 5_000

    package init() {}
}
