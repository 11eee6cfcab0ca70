// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainClient
import KeychainModel
import Limits

/// A directory for the two stores of a section, gone with the value.
final class Place {
    let path: String

    private static let memory = "/dev/shm"

    /// - Parameter onDisk: in the package's build folder (or `BENCHMARK_DIRECTORY`) instead of in memory.
    /// - Throws: the error of the file system.
    init(onDisk: Bool) throws {
        let disk = ProcessInfo.processInfo.environment["BENCHMARK_DIRECTORY"] ?? Child.ownDirectory
        let hasMemory = FileManager.default.isWritableFile(atPath: Self.memory)
        let parent = !onDisk && hasMemory ? Self.memory : disk
        path = "\(parent)/keychain-benchmark-\(UUID().uuidString)"
        for directory in [path, subject, limit] { try Self.make(directory) }
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    var subject: String { "\(path)/subject" }
    var limit: String { "\(path)/limit" }
    var environment: [String: String] { Self.environment(subject: subject, limit: limit) }

    static func environment(subject: String, limit: String) -> [String: String] {
        var environment = [
            "KEYCHAIN_HOME": subject, "KEYCHAIN_BACKEND": "embedded", "BENCHMARK_LIMIT": limit,
            "HOME": "/nonexistent", "PATH": "/usr/bin:/bin",
        ]
        for (name, value) in ProcessInfo.processInfo.environment where name.hasPrefix("BENCHMARK_EMPTY") {
            environment[name] = value
        }
        return environment
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
    /// Fills both with the same items: in memory, then copied, because 10,000 durable writes are not what is measured.
    static func fill(_ size: Int) throws {
        let place = try Place(onDisk: false)
        try fill(size, at: place.subject, for: Entitlements.callerOfThisProcess(), thenCopyTo: subject)
        do {
            let limit = try LimitSubject(at: place.limit)
            try limit.fill(0..<size)
            // One transaction for all leaves a log of megabytes, which no store has that is written item by item.
            limit_checkpoint(limit.store)
        }
        try copy(place.limit, to: limit)
    }

    /// Fills a store of another program.
    static func fill(_ size: Int, at source: String, for caller: Caller, thenCopyTo target: String) throws {
        do { try EngineSubject(at: source, caller: caller).fill(0..<size) }
        try copy(source, to: target)
    }

    private static func copy(_ source: String, to target: String) throws {
        for file in try FileManager.default.contentsOfDirectory(atPath: source) where !file.hasSuffix("-shm")
        {
            try FileManager.default.copyItem(atPath: "\(source)/\(file)", toPath: "\(target)/\(file)")
        }
    }

    static let subject = required("KEYCHAIN_HOME")
    static let limit = required("BENCHMARK_LIMIT")

    private static func required(_ name: String) -> String {
        guard let value = ProcessInfo.processInfo.environment[name] else {
            preconditionFailure("\(name) is not set")
        }
        return value
    }
}
