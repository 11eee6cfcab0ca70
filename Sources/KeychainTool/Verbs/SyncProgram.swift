// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainClient

/// `sync`: replaces this process with `keychain-sync`, which uses the network.
struct SyncProgram {
    let arguments: ScannedArguments

    /// Replaces this process with the program in the same directory; returns only on failure.
    func start() -> Failure {
        guard !arguments.isInteractive else { return .usage("sync is not available in interactive mode") }
        guard !arguments.operands.isEmpty else {
            return .usage(
                "a subcommand is required: create, invite, join, recover, devices, remove, leave, rebuild, status, conflicts, "
                    + "pause, resume, run"
            )
        }
        let path = Self.path()
        var words = unsafe ([path] + arguments.operands).map { unsafe strdup($0) } + [nil]
        unsafe execv(path, &words)
        return .message(
            "\(path): \(unsafe String(cString: strerror(errno)))",
            result: errno == ENOENT ? 127 : 126
        )
    }

    private static func path() -> String {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe readlink("/proc/self/exe", &buffer, buffer.count)
        let path = String(decoding: buffer.prefix(max(count, 0)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return path.directoryOfPath + "/keychain-sync"
    }
}
