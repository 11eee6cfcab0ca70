// SPDX-License-Identifier: Apache-2.0

import KeychainModel

/// Key cache files in the user's runtime directory, which is in memory and removed when the user logs out.
enum RuntimeFile {
    private static let folder = "/keychain"

    /// Opens this library's folder in a runtime directory; `nil` if it is missing, inaccessible or not in memory.
    ///
    /// - Throws: The reason why the directory is not trusted.
    private static func folder(
        of path: String,
        creating: Bool
    ) throws(StatusError) -> (PrivateDirectory)? {
        do throws(StatusError) {
            let runtime = try PrivateDirectory(path: path, creating: false)
            guard runtime.withDescriptor(KernelMemory.isInMemory) else { return nil }
            return try PrivateDirectory(path: path + folder, creating: creating)
        } catch {
            guard isUnavailable(error) else { throw error }
            return nil
        }
    }

    /// Returns whether an error means a missing, inaccessible or full directory, not an untrusted one.
    private static func isUnavailable(_ error: StatusError) -> Bool {
        switch error.reason {
        case .directoryMissing, .directoryClosed, .pathTooLong, .notPermitted, .noSpace, .readOnlyStore,
            .transferFailed, .systemCall:
            true
        default: false
        }
    }

    static func isAvailable(in path: String) -> Bool { (try? folder(of: path, creating: true)) != nil }

    static func read(_ name: String, in path: String) -> [UInt8]? {
        guard let folder = try? folder(of: path, creating: false) else { return nil }
        return try? folder.read(name, atMost: KeyCacheEntry.longest)
    }

    /// Writes a file, and reads it back through its path.
    ///
    /// - Returns: `kept` if reading the file by its name has returned the same bytes.
    /// - Throws: The reason why a file or directory is not trusted.
    static func put(_ bytes: [UInt8], _ name: String, in path: String) throws(StatusError) -> PutOutcome {
        do throws(StatusError) {
            guard let folder = try folder(of: path, creating: true) else { return .refused }
            try folder.put(name, contents: bytes)
        } catch {
            guard isUnavailable(error) else { throw error }
            return error.reason == .noSpace ? .full : .refused
        }
        return read(name, in: path) == bytes ? .kept : .refused
    }

    static func inspect(_ name: String, in path: String) throws(StatusError) {
        guard let folder = try folder(of: path, creating: false) else { return }
        _ = try folder.inspect(name)
    }

    static func remove(_ name: String, in path: String, unfinished: Bool) {
        guard let folder = try? folder(of: path, creating: false) else { return }
        folder.remove(name)
        if unfinished { folder.removeUnfinished(name) }
    }

    /// Removes the files that the closure selects by name and content, and returns their number.
    static func remove(
        in path: String,
        where isChosen: (_ name: String, _ content: [UInt8]) -> Bool
    ) -> Int {
        guard let folder = try? folder(of: path, creating: false) else { return 0 }
        let chosen = folder.names().filter { name in
            guard let content = try? folder.read(name, atMost: KeyCacheEntry.longest) else { return false }
            return isChosen(name, content)
        }
        for name in chosen { folder.remove(name) }
        return chosen.count
    }
}
