// SPDX-License-Identifier: Apache-2.0

import KeychainClient
import KeychainModel

/// The answer of `keychain-identify` about a process, encoded in 512 bytes.
///
/// If the executable is not on a local file system, the record contains only the result and the path.
struct ProgramRecord: Hashable, Sendable {
    enum Result: UInt8, Sendable {
        case identified = 0
        /// The process ended, or started other programs too often.
        case gone = 1
        /// Another process traces the process, and can change what the process does.
        case traced = 2
        /// The executable is too large, was written while it was read, or cannot be read.
        case undigestible = 3
        case failed = 4
        /// The process is in a user or PID namespace other than that of `keychain-identify`.
        case otherNamespace = 5
    }

    let result: Result
    let executable: ExecutableDigest
    /// Whether the program may have an access group of its own: its executable has not been deleted.
    let hasPrivateGroup: Bool
    /// The AppArmor, Snap or Flatpak sandbox of the process; `nil` if its files show none.
    let sandbox: Sandbox?
    /// Whether a local file system stores the executable; the server of another file system may change it unnoticed.
    let isLocal: Bool
    /// Whether the kernel started the program in secure-execution mode, so that `LD_PRELOAD` of the user loads no code.
    let isSecureExecution: Bool
    /// Whether the executable is the file at ``path``, and only root can replace it.
    let isInstalled: Bool
    /// The executable's path from the kernel, or the end of a long path; empty if the file was deleted or the path
    /// cannot be read.
    ///
    /// Unless ``isInstalled``, it is only shown to the user: in another mount namespace, it may lead to another file.
    let path: String
    /// The number of the request that this record answers.
    var request: UInt64 = 0

    static let byteCount = 512
    private static let pathLimit = RegisteredPrograms.maximumPathByteCount

    init(
        _ result: Result,
        _ executable: ExecutableDigest? = nil,
        hasPrivateGroup: Bool = false,
        isLocal: Bool = false,
        isSecureExecution: Bool = false,
        isInstalled: Bool = false,
        sandbox: Sandbox? = nil,
        path: String = ""
    ) {
        self.path = Self.shortened(path)
        self.isInstalled = isInstalled && self.path == path
        self.sandbox = sandbox
        self.result = result
        self.executable = executable ?? ExecutableDigest(digest: .zero, size: 0)
        self.hasPrivateGroup = hasPrivateGroup
        self.isLocal = isLocal
        self.isSecureExecution = isSecureExecution
    }

    /// Returns the end of a path that is too long for a record.
    private static func shortened(_ path: String) -> String {
        var rest = path[...]
        while rest.utf8.count > pathLimit { rest.removeFirst() }
        return String(rest)
    }

    var bytes: [UInt8] {
        var writer = WireWriter(capacity: Self.byteCount)
        writer.integer(result.rawValue)
        writer.flag(hasPrivateGroup)
        writer.flag(isLocal)
        writer.flag(isSecureExecution)
        writer.flag(isInstalled)
        writer.integer(request)
        writer.value(executable.digest)
        writer.integer(executable.size)
        writer.integer(sandbox?.kind.rawValue ?? 0)
        writer.string(sandbox?.name ?? "")
        writer.string(path)
        return writer.bytes + [UInt8](repeating: 0, count: Self.byteCount - writer.bytes.count)
    }

    init(bytes: [UInt8]) throws(StatusError) {
        self = try WireReader.decode(bytes) { reader throws(StatusError) in
            guard let result = Result(rawValue: try reader.integer()) else { throw WireReader.malformed }
            let (hasPrivateGroup, isLocal) = (try reader.flag(), try reader.flag())
            let (isSecureExecution, isInstalled) = (try reader.flag(), try reader.flag())
            let request: UInt64 = try reader.integer()
            let digest: Bytes32 = try reader.value()
            let executable = ExecutableDigest(digest: digest, size: try reader.integer())
            let sandbox = try Self.sandbox(from: &reader)
            let path = try reader.string(atMost: Self.pathLimit)
            guard try reader.fixed(reader.remaining).allSatisfy({ $0 == 0 }), bytes.count == Self.byteCount
            else {
                throw WireReader.malformed
            }
            var record = Self(
                result,
                executable,
                hasPrivateGroup: hasPrivateGroup,
                isLocal: isLocal,
                isSecureExecution: isSecureExecution,
                isInstalled: isInstalled,
                sandbox: sandbox,
                path: path
            )
            record.request = request
            return record
        }
    }

    private static func sandbox(from reader: inout WireReader) throws(StatusError) -> Sandbox? {
        let (number, name) = (
            try reader.integer(UInt8.self), try reader.string(atMost: Sandbox.maximumByteCount)
        )
        if number == 0, name.isEmpty { return nil }
        guard let kind = Sandbox.Kind(rawValue: number), let sandbox = Sandbox(kind, name) else {
            throw WireReader.malformed
        }
        return sandbox
    }
}
