// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A directory for the two stores of a section, gone with the value.
final class Place {
    let path: String

    /// - Parameter onDisk: in the package's build folder (or `BENCHMARK_DIRECTORY`) instead of in memory.
    /// - Throws: the error of the file system.
    init(onDisk: Bool) throws {
        let memory = "/dev/shm"
        let disk = ProcessInfo.processInfo.environment["BENCHMARK_DIRECTORY"] ?? Child.ownDirectory
        let parent = !onDisk && FileManager.default.isWritableFile(atPath: memory) ? memory : disk
        path = "\(parent)/keychain-benchmark-\(UUID().uuidString)"
        for directory in [path, subject, limit] { try Self.make(directory) }
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    var subject: String { "\(path)/subject" }
    var limit: String { "\(path)/limit" }
    var environment: [String: String] { Self.environment(subject: subject, limit: limit) }

    static func environment(subject: String, limit: String) -> [String: String] {
        [
            "KEYCHAIN_HOME": subject, "KEYCHAIN_BACKEND": "embedded", "BENCHMARK_LIMIT": limit,
            "HOME": "/nonexistent", "PATH": "/usr/bin:/bin",
        ]
    }

    /// Makes a private directory.
    static func make(_ directory: String) throws {
        try FileManager.default.createDirectory(
            atPath: directory,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
    }
}

/// The stores that the process was started with.
enum Stores {
    static let subject = required("KEYCHAIN_HOME")
    static let limit = required("BENCHMARK_LIMIT")

    private static func required(_ name: String) -> String {
        guard let value = ProcessInfo.processInfo.environment[name] else {
            preconditionFailure("\(name) is not set")
        }
        return value
    }
}
