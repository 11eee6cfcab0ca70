// SPDX-License-Identifier: Apache-2.0

import CKeychainLinux
import Glibc
import Synchronization

/// The limit of the size of core files: 0 for this command, and the user's limit for the programs that it runs for the
/// user.
enum CoreLimit {
    private static let ofUser = Atomic<rlim_t>(0)

    /// Disables core dumps of this process, and debuggers of other programs of the user; returns whether this succeeded.
    static func forbidDumps() -> Bool {
        var limit: rlim_t = 0
        defer { ofUser.store(limit, ordering: .relaxed) }
        return unsafe clinux_forbid_dumps_before_exec(&limit) == 0
    }

    /// Calls `body`, which executes or starts a program that has the user's limit.
    ///
    /// Meanwhile the kernel writes no core file of this process either, because it cannot be dumped.
    static func restored<Result>(_ body: () -> Result) -> Result {
        _ = clinux_limit_core_files(ofUser.load(ordering: .relaxed))
        defer { _ = clinux_limit_core_files(0) }
        return body()
    }
}
