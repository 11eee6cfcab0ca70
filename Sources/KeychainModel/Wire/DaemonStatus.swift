// SPDX-License-Identifier: Apache-2.0

package enum PackageVersion {
    package static let text = "0.1.0"
}

/// The daemon's state, and its counters since it started.
package struct DaemonStatus: Hashable, Sendable, WireValue {
    package var process: UInt32 = 0
    package var version = PackageVersion.text
    package var isSystemService = false
    /// Whether the daemon's agent prompts the user, so that programs do not see the passcode.
    package var hasAgent = false
    /// The level at which the daemon has identified the calling program.
    package var level = CallerLevel.userService
    package var uptimeSeconds: UInt64 = 0
    package var connections: UInt32 = 0
    package var openStores: UInt32 = 0
    /// Whether the audit log could be written at the last attempt.
    package var auditWorks = true
    /// The administrator's files that are not used, and the groups that identify no program.
    package var defects: [TrustDefect] = []
    /// The maximum number of defects in a status.
    package static let largestDefects = 64
    package var requests: UInt64 = 0
    package var failures: UInt64 = 0
    package var refusedConnections: UInt64 = 0
    /// The time that the daemon spent on all requests, in nanoseconds.
    package var totalNanoseconds: UInt64 = 0
    package var longestNanoseconds: UInt64 = 0
    package var metrics: [CallMetrics] = []

    package init() {}

    package func encode(into writer: inout WireWriter) {
        writer.integer(process)
        writer.string(version)
        writer.flag(isSystemService)
        writer.flag(hasAgent)
        writer.value(level)
        writer.integer(uptimeSeconds)
        writer.integer(connections)
        writer.integer(openStores)
        writer.flag(auditWorks)
        writer.list(defects)
        for number in [requests, failures, refusedConnections, totalNanoseconds, longestNanoseconds] {
            writer.integer(number)
        }
        writer.list(metrics)
    }

    package init(from reader: inout WireReader) throws(StatusError) {
        process = try reader.integer()
        version = try reader.string(atMost: 64)
        isSystemService = try reader.flag()
        hasAgent = try reader.flag()
        level = try reader.value()
        uptimeSeconds = try reader.integer()
        connections = try reader.integer()
        openStores = try reader.integer()
        auditWorks = try reader.flag()
        defects = try reader.list(atMost: Self.largestDefects)
        requests = try reader.integer()
        failures = try reader.integer()
        refusedConnections = try reader.integer()
        totalNanoseconds = try reader.integer()
        longestNanoseconds = try reader.integer()
        metrics = try reader.list(atMost: 64)
    }
}

/// The counts and latencies of one kind of call.
package struct CallMetrics: Hashable, Sendable, WireValue {
    package let kind: CallKind
    package var calls: UInt64 = 0
    package var failures: UInt64 = 0
    package var totalNanoseconds: UInt64 = 0
    package var longestNanoseconds: UInt64 = 0
    /// The number of calls by latency, in buckets.
    ///
    /// Bucket 0 counts calls below 1 µs, and bucket `n` those from 2ⁿ⁻¹ to below 2ⁿ µs. The last bucket also counts
    /// all longer calls.
    package var buckets: [UInt64]

    package static let bucketCount = 28

    package init(_ kind: CallKind) {
        self.kind = kind
        buckets = [UInt64](repeating: 0, count: Self.bucketCount)
    }

    package mutating func count(nanoseconds: UInt64, failed: Bool) {
        calls += 1
        if failed { failures += 1 }
        totalNanoseconds &+= nanoseconds
        longestNanoseconds = max(longestNanoseconds, nanoseconds)
        let bucket = UInt64.bitWidth - (nanoseconds / 1_000).leadingZeroBitCount
        buckets[min(bucket, Self.bucketCount - 1)] += 1
    }

    /// Returns an upper bound of a percentile of the latency, such as 0.99, in microseconds.
    ///
    /// If the percentile is in the last bucket, which has no upper bound, the result is 2²⁷.
    package func microseconds(ofPart part: Double) -> UInt64 {
        var rest = (Double(calls) * part).rounded(.up)
        for (bucket, count) in buckets.enumerated() {
            rest -= Double(count)
            if rest <= 0 { return 1 << UInt64(bucket) }
        }
        return 1 << UInt64(Self.bucketCount - 1)
    }

    package func encode(into writer: inout WireWriter) {
        writer.integer(kind.rawValue)
        for number in [calls, failures, totalNanoseconds, longestNanoseconds] + buckets {
            writer.integer(number)
        }
    }

    package init(from reader: inout WireReader) throws(StatusError) {
        guard let kind = CallKind(rawValue: try reader.integer()) else { throw WireReader.malformed }
        self.init(kind)
        calls = try reader.integer()
        failures = try reader.integer()
        totalNanoseconds = try reader.integer()
        longestNanoseconds = try reader.integer()
        for bucket in buckets.indices { buckets[bucket] = try reader.integer() }
    }
}

/// The kinds of calls that metrics and the audit log distinguish.
package enum CallKind: UInt8, CaseIterable, Sendable {
    case read = 0
    case add = 1
    case update = 2
    case delete = 3
    /// Several changes in one transaction.
    case transaction = 4
    case unlock = 5
    case lock = 6
    /// Sets, changes or removes the passcode, or sets the lock settings.
    case passcode = 7
    case migrate = 8
    /// Adds or removes a trusted team of developers.
    case team = 9
    /// All other calls; they return no contents of items and change no item.
    case status = 10
    /// Uses a private key that the daemon keeps.
    case use = 11
    /// Moves items of an unsigned program into another access group, or lists the groups of such programs.
    case adopt = 12
    /// Makes new class keys, or replaces a damaged store with a repaired one.
    case maintain = 13

    /// The kind's name in the status and the audit log.
    package var name: String {
        switch self {
        case .read: "read"
        case .add: "add"
        case .update: "update"
        case .delete: "delete"
        case .transaction: "transaction"
        case .unlock: "unlock"
        case .lock: "lock"
        case .passcode: "passcode"
        case .migrate: "migrate"
        case .team: "team"
        case .status: "status"
        case .use: "use"
        case .adopt: "adopt"
        case .maintain: "maintain"
        }
    }
}

extension DaemonCall {
    package var kind: CallKind {
        switch self {
        case .perform(let request, _): request.kind
        case .performTogether: .transaction
        case .changePasscode, .setLockSettings: .passcode
        case .secret(let call, _):
            switch call {
            case .setPasscode, .removePasscode: .passcode
            case .unlock, .authenticate: .unlock
            case .beginMigration: .migrate
            case .beginKeyRotation: .maintain
            case .countItemsNeedingPasscode, .keepApplicationPassword: .status
            }
        case .discard: .status
        case .plain(let call):
            switch call {
            case .lock: .lock
            case .endMigration: .migrate
            case .repair: .maintain
            case .versions, .itemCount, .daemonStatus, .userTeams, .verify, .keyRotation, .previewRepair:
                .status
            }
        case .migrate: .migrate
        case .trustTeam, .removeTeam: .team
        case .adoption: .adopt
        case .prompt(.answer): .unlock
        case .prompt: .status
        }
    }
}

extension Request {
    fileprivate var kind: CallKind {
        switch self {
        case .copy, .copyIdentities: .read
        case .add, .addIdentity, .makeTokenKey: .add
        case .update, .updateEach, .set: .update
        case .delete, .deleteEach, .deleteIdentities: .delete
        case .status: .status
        case .useTokenKey: .use
        }
    }
}
