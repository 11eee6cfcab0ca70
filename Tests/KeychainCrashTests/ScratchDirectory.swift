// SPDX-License-Identifier: Apache-2.0

import Foundation

final class ScratchDirectory: Sendable {
    let path: String

    private static let root: String = {
        let memory = "/dev/shm"
        return FileManager.default.isWritableFile(atPath: memory) ? memory : NSTemporaryDirectory()
    }()

    init() throws {
        path = "\(Self.root)/keychain-crash-\(UUID().uuidString)"
        try Self.makeDirectory(path)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func directory(_ name: String) throws -> String {
        let directory = "\(path)/\(name)"
        try Self.makeDirectory(directory)
        return directory
    }

    private static func makeDirectory(_ path: String) throws {
        try FileManager.default.createDirectory(
            atPath: path,
            withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700]
        )
    }
}

/// A copy in memory of a store's files, by name.
struct StoreFiles: Sendable {
    private var contents: [String: Data] = [:]

    init() {}

    /// Reads all files of a closed store except the WAL index.
    ///
    /// In an open store, reading and closing a file would drop SQLite's POSIX locks on it.
    init(closedStoreAt directory: String) throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: directory)
        where !name.hasSuffix("-shm") {
            contents[name] = try Data(contentsOf: URL(fileURLWithPath: "\(directory)/\(name)"))
        }
    }

    subscript(name: String) -> Data? {
        get { contents[name] }
        set { contents[name] = newValue }
    }

    func write(to directory: String) throws {
        for (name, bytes) in contents {
            let path = "\(directory)/\(name)"
            guard
                FileManager.default.createFile(
                    atPath: path,
                    contents: bytes,
                    attributes: [.posixPermissions: 0o600]
                )
            else { throw CocoaError(.fileWriteUnknown) }
        }
    }
}
