// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainClient
import KeychainModel

/// A directory for the stores of a section, removed on deallocation.
final class StoreDirectories {
    let path: String

    private static let memory = "/dev/shm"

    /// - Parameter onDisk: Whether to use the package's build folder (or `BENCHMARK_DIRECTORY`) even if
    ///   `/dev/shm` is writable.
    /// - Throws: The error of the file system.
    init(onDisk: Bool) throws {
        let disk = ProcessInfo.processInfo.environment["BENCHMARK_DIRECTORY"] ?? Child.ownDirectory
        let hasMemory = FileManager.default.isWritableFile(atPath: Self.memory)
        let parent = !onDisk && hasMemory ? Self.memory : disk
        path = "\(parent)/keychain-benchmark-\(UUID().uuidString)"
        for directory in [path, subject, reference, sqlcipher] { try Self.make(directory) }
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    var subject: String { "\(path)/subject" }
    var reference: String { "\(path)/reference" }
    var sqlcipher: String { "\(path)/sqlcipher" }

    /// The environment variables for a child process that uses these stores.
    var environment: [String: String] {
        [
            "KEYCHAIN_HOME": subject, "KEYCHAIN_BACKEND": "embedded", "BENCHMARK_ROOT": path,
            "HOME": "/nonexistent", "PATH": "/usr/bin:/bin",
        ]
    }

    static func make(_ directory: String) throws {
        try FileManager.default.createDirectory(
            atPath: directory,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
    }
}

/// The stores of this process, found through its environment variables.
enum Stores {
    static let root: String = {
        guard let value = ProcessInfo.processInfo.environment["BENCHMARK_ROOT"] else {
            preconditionFailure("BENCHMARK_ROOT is not set")
        }
        return value
    }()
    static let subject = "\(root)/subject"
    static let reference = "\(root)/reference"
    static let sqlcipher = "\(root)/sqlcipher"

    static var environment: [String: String] {
        [
            "KEYCHAIN_HOME": subject, "KEYCHAIN_BACKEND": "embedded", "BENCHMARK_ROOT": root,
            "HOME": "/nonexistent", "PATH": "/usr/bin:/bin",
        ]
    }

    /// Fills the store and both reference stores with the same items.
    ///
    /// The keychain's store is filled in memory and then copied, because filling it on a disk with durable writes
    /// would take long.
    static func fill(_ size: Int) throws {
        try fill(size, for: Entitlements.callerOfThisProcess(), thenCopyTo: subject)
        try CReferenceStore().fill(0..<size)
        try SQLCipherStore().fill(0..<size)
    }

    static func fill(_ size: Int, for caller: Caller, thenCopyTo target: String) throws {
        let memory = try StoreDirectories(onDisk: false)
        do { try StoreSubject(at: memory.subject, caller: caller).fill(0..<size) }
        for file in try FileManager.default.contentsOfDirectory(atPath: memory.subject)
        where !file.hasSuffix("-shm") {
            try FileManager.default.copyItem(atPath: "\(memory.subject)/\(file)", toPath: "\(target)/\(file)")
        }
    }
}
