// SPDX-License-Identifier: Apache-2.0

import CKeychainLinux
import Glibc
package import KeychainClient
import KeychainModel

package struct ExaminedProgram: Sendable {
    package enum Identity: Hashable, Sendable {
        /// An executable that only root can change, at this path; an update does not change its identity.
        case installed(path: String)
        case digest(ExecutableDigest)
        case sandbox(Sandbox)
        /// A program outside a sandbox that cannot be told from others: it is traced, its executable was deleted since it
        /// started, or is on a file system, such as FUSE or NFS, whose server can change files without a trace.
        case unidentified
    }

    package let identity: Identity
    /// The path of the executable, as the kernel names it; of an unidentified program perhaps only the file name.
    package let path: String
    private let image: ProgramImage

    fileprivate init(_ identity: Identity, path: String, image: ProgramImage) {
        self.identity = identity
        self.path = path
        self.image = image
    }

    package var isRunning: Bool { image.isUnchanged }
}

/// Identifies programs of this user for services on the D-Bus session bus.
package final class ProgramExaminer {
    private let service = IdentifyService(connection: -1)

    package init() {}

    /// Identifies the program of a process.
    ///
    /// The result is `nil` if it is unknown whether the program is in a sandbox: if it forbids core dumps, so that its
    /// files in `/proc` are unreadable, or is in another user or PID namespace and not in Flatpak.
    ///
    /// If the process has ended, another process may have its ID. After this call, the caller must check that the
    /// process with this ID still owns its connection to the bus.
    package func examine(_ number: Int32) -> ExaminedProgram? {
        let process = Descriptor(clinux_pidfd_open(number))
        guard process.number >= 0, let files = ProcessFiles(number) else { return nil }
        guard let isTraced = files.isTraced, let isInOtherNamespace = files.isInOtherNamespace else {
            return nil
        }
        let image = ProgramImage(maps: files.maps)
        let path = isTraced ? nil : files.executablePath
        if let sandbox = files.sandbox {
            guard let path, !isInOtherNamespace || sandbox.kind == .flatpak, image.isUnchanged else {
                return nil
            }
            return ExaminedProgram(.sandbox(sandbox), path: path, image: image)
        }
        guard !isInOtherNamespace else { return nil }
        if let path, let program = identified(process, files, path, image) { return program }
        let name = path ?? ProcessName.ofProgram(number) ?? ""
        return image.isUnchanged ? ExaminedProgram(.unidentified, path: name, image: image) : nil
    }

    /// Identifies a program outside a sandbox by its path or digest; `nil` if that is impossible.
    private func identified(
        _ process: Descriptor,
        _ files: ProcessFiles,
        _ path: String,
        _ image: ProgramImage
    ) -> ExaminedProgram? {
        if InstalledFile.isProtected(path), let location = files.executable,
            InstalledFile.isSame(location.number, path), image.isUnchanged
        {
            return ExaminedProgram(.installed(path: path), path: path, image: image)
        }
        let (record, maps) = service.examine(process)
        guard record.result == .identified, record.isLocal, record.hasPrivateGroup, let maps else {
            return nil
        }
        return ExaminedProgram(.digest(record.executable), path: path, image: ProgramImage(maps: maps))
    }

    package func digest(_ program: ExaminedProgram) -> ExecutableDigest? {
        if case .digest(let digest) = program.identity { return digest }
        guard let executable = try? OpenExecutable(program.path) else { return nil }
        return try? executable.digest()
    }
}
