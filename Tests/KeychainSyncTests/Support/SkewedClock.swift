// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The environment in which a program sees another time of day; libfaketime changes what the C library returns.
///
/// A shell must start Swift programs: libfaketime adds a variable to the environment of the first program, whose
/// `CommandLine.arguments` are then empty, because Swift searches them in front of the environment.
enum SkewedClock {
    struct Missing: Error {}

    private static let library = ["x86_64", "aarch64"]
        .map { "/usr/lib/\($0)-linux-gnu/faketime/libfaketimeMT.so.1" }
        .first { FileManager.default.fileExists(atPath: $0) }

    /// Deletes the shared memory that a killed process has left.
    static func removeMemory(of process: pid_t) {
        for name in ["faketime_shm_\(process)", "sem.faketime_sem_\(process)"] {
            try? FileManager.default.removeItem(atPath: "/dev/shm/" + name)
        }
    }

    static func environment(seconds: Int) throws -> [String: String] {
        guard let library else { throw Missing() }
        return [
            "LD_PRELOAD": library, "FAKETIME": seconds < 0 ? "\(seconds)" : "+\(seconds)",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1", "NO_FAKE_STAT": "1",
        ]
    }
}
