// SPDX-License-Identifier: Apache-2.0

import CKeychainRecordingVFS
import Foundation
import Testing

final class Recorder: Sendable {
    let name = "recording-\(UUID().uuidString)"
    // Threads may share the recorder, because the C code locks a mutex.
    private nonisolated(unsafe) let handle: OpaquePointer

    init() {
        guard let handle = crv_register(name) else { preconditionFailure("SQLite refuses the file system") }
        self.handle = handle
    }

    deinit { crv_unregister(handle) }

    var length: Int { crv_length(handle) }
    var databaseSyncs: Int { crv_database_syncs(handle) }
    var logSyncs: Int { crv_log_syncs(handle) }
    var bytesRead: Int { Int(crv_bytes_read(handle)) }

    func markAcknowledged(_ operations: Int) { crv_mark(handle, UInt64(operations)) }

    func fail(_ fault: Fault, at nth: Int) {
        crv_fail(handle, UInt32(fault.kind.rawValue), UInt64(nth), fault.code, fault.lasts)
    }

    func failNothing() { crv_fail(handle, 0, 0, 0, false) }

    /// The number of calls of the failing kind since `fail` was called.
    var calls: Int { Int(crv_calls(handle)) }

    /// Replays the recording, and passes the disk to `body` before the first entry and after each.
    ///
    /// With `honouringSyncs: false`, the disk ignores syncs, so no call becomes durable.
    func replay(honouringSyncs: Bool = true, _ body: (borrowing Disk) throws -> Void) rethrows {
        let replay = crv_replay_begin(handle, honouringSyncs)
        defer { crv_replay_end(replay) }
        var callCount = 0
        repeat {
            try body(Disk(replay: replay, callCount: callCount))
            callCount += 1
        } while crv_replay_advance(replay)
    }
}

/// The state of the disk after a number of recorded calls.
struct Disk: ~Copyable {
    fileprivate let replay: OpaquePointer?
    /// The number of recorded calls before the power loss.
    let callCount: Int

    /// The number of operations acknowledged before the power loss.
    var acknowledged: Int { Int(crv_replay_acknowledged(replay)) }
    /// Whether some calls are not yet durable, so that a power loss has several outcomes.
    var isUncertain: Bool { crv_replay_uncertain(replay) > 0 }

    func write(to directory: String, fate: crv_fate, seed: UInt64) throws {
        let code = crv_replay_write(replay, directory, fate, seed)
        guard code == 0 else { throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EIO) }
    }
}

struct Fault: Sendable, CustomTestStringConvertible {
    enum Kind: Int32, CaseIterable {
        case read = 1
        case write = 2
        case truncate = 4
        case sync = 8
    }

    let kind: Kind
    let code: Int32
    /// Whether all later calls of the kind fail, too.
    let lasts: Bool

    var testDescription: String { "\(kind) \(lasts ? "from there on" : "once"), code \(code)" }
}
