// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainClient
import KeychainModel

/// The open files of a process's directory in `/proc`.
struct ProcessFiles {
    let maps: Descriptor
    private let directory: Descriptor

    /// Opens the directory of a process in `/proc`, and its `maps`.
    ///
    /// `maps` is opened before the other files: after `exec` it reads as empty, so a later read shows whether
    /// all files belong to one program. See ``ProgramImage``.
    init?(_ number: pid_t) {
        directory = Descriptor(unsafe Glibc.open("/proc/\(number)", O_RDONLY | O_DIRECTORY | O_CLOEXEC))
        guard directory.number >= 0 else { return nil }
        maps = Descriptor(unsafe openat(directory.number, "maps", O_RDONLY | O_CLOEXEC))
        guard maps.number >= 0 else { return nil }
    }

    /// Returns the process ID of a pidfd; `nil` if the process has ended or is not in a PID namespace that this process
    /// sees.
    static func number(of process: Descriptor) -> pid_t? {
        let file = Descriptor(unsafe Glibc.open("/proc/self/fdinfo/\(process.number)", O_RDONLY | O_CLOEXEC))
        guard let number = line("Pid:", in: file).flatMap({ pid_t($0) }), number > 0 else { return nil }
        return number
    }

    /// `O_PATH`, which Swift does not import.
    private static let pathOnly: CInt = 0o10_000_000

    /// An `O_PATH` descriptor of the executable, which does not open the file; `nil` on failure.
    var executable: Descriptor? {
        let file = unsafe openat(directory.number, "exe", Self.pathOnly | O_CLOEXEC)
        return file >= 0 ? Descriptor(file) : nil
    }

    /// The path of the executable; `nil` if it was deleted or cannot be read.
    var executablePath: String? {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        let count = unsafe readlinkat(directory.number, "exe", &buffer, buffer.count - 1)
        guard count > 0 else { return nil }
        let path = String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return path.hasSuffix(" (deleted)") ? nil : path
    }

    /// Opens the file of an `O_PATH` descriptor for reading; the number of the result is negative on failure.
    static func open(_ location: Descriptor) -> Descriptor {
        Descriptor(unsafe Glibc.open("/proc/self/fd/\(location.number)", O_RDONLY | O_CLOEXEC | O_NONBLOCK))
    }

    /// Returns whether the file of an `O_PATH` descriptor is on a local file system.
    ///
    /// The type is read from the process's mount table, because the server of a network file system could delay the
    /// system call that returns it. A mount that the table does not list, such as that of an anonymous file, counts as
    /// not local.
    func isLocal(_ location: Descriptor) -> Bool {
        let status = Descriptor(
            unsafe Glibc.open("/proc/self/fdinfo/\(location.number)", O_RDONLY | O_CLOEXEC)
        )
        let table = Descriptor(unsafe openat(directory.number, "mountinfo", O_RDONLY | O_CLOEXEC))
        guard let mount = Self.line("mnt_id:", in: status), table.number >= 0,
            let bytes = BoundedFile.read(table.number, atMost: 1 << 22)
        else { return false }
        return LocalFileSystems.isLocal(mount: mount, in: bytes)
    }

    /// Whether the process is in another user or PID namespace than the process that runs this code.
    ///
    /// It is `nil` if that cannot be read.
    ///
    /// The owner of a PID namespace can send messages in the name of any process of the namespace.
    var isInOtherNamespace: Bool? {
        let status = Descriptor(unsafe openat(directory.number, "status", O_RDONLY | O_CLOEXEC))
        guard let numbers = Self.words("NSpid:", in: status),
            let user = Self.target("ns/user", in: directory.number),
            let own = Self.target("/proc/self/ns/user", in: AT_FDCWD)
        else { return nil }
        return numbers.count != 1 || user != own
    }

    private static func target(_ link: String, in directory: CInt) -> [CChar]? {
        var buffer = [CChar](repeating: 0, count: 64)
        let count = unsafe readlinkat(directory, link, &buffer, buffer.count)
        return count > 0 ? Array(buffer[..<count]) : nil
    }

    /// Whether the process is traced with `ptrace`; `nil` if that cannot be read.
    var isTraced: Bool? {
        let status = Descriptor(unsafe openat(directory.number, "status", O_RDONLY | O_CLOEXEC))
        return Self.line("TracerPid:", in: status).map { $0 != "0" }
    }

    /// Whether the kernel started the program in secure-execution mode (`AT_SECURE`), for example as a set-group-ID
    /// program.
    ///
    /// The loader then ignores `LD_PRELOAD` and similar variables of the user.
    var isSecureExecution: Bool {
        let file = Descriptor(unsafe openat(directory.number, "auxv", O_RDONLY | O_CLOEXEC))
        guard file.number >= 0 else { return false }
        var words = [UInt](repeating: 0, count: 256)
        let count = unsafe words.withUnsafeMutableBytes { unsafe read(file.number, $0.baseAddress, $0.count) }
        let used = max(count, 0) / MemoryLayout<UInt>.size
        return stride(from: 0, to: used - 1, by: 2).contains { index in
            words[index] == Self.secure && words[index + 1] != 0
        }
    }

    /// `AT_SECURE`, the key of an entry of the auxiliary vector.
    private static let secure: UInt = 23

    /// The confinement of the process; `nil` if its files show none.
    ///
    /// The cgroup does not count: the user can move processes between the user's own cgroups.
    var sandbox: Sandbox? {
        for name in ["attr/apparmor/current", "attr/current"] {
            if let label = text(of: name), let sandbox = Sandbox(appArmorLabel: label) { return sandbox }
        }
        return text(of: "root/.flatpak-info").flatMap(Sandbox.init(flatpakInformation:))
    }

    /// Returns the first 4 KiB of a file in the process's directory; `nil` if it is empty or cannot be read.
    private func text(of name: String) -> String? {
        let flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY
        let file = Descriptor(unsafe openat(directory.number, name, flags))
        guard file.number >= 0 else { return nil }
        var buffer = [UInt8](repeating: 0, count: 4_096)
        let count = unsafe read(file.number, &buffer, buffer.count)
        return count > 0 ? String(decoding: buffer[..<count], as: UTF8.self) : nil
    }

    /// Returns the first word that follows a name in a file; `nil` if there is none.
    private static func line(_ name: String, in file: Descriptor) -> String? { words(name, in: file)?.first }

    /// Returns the words that follow a name in the first line that starts with it; `nil` if the first 8 KiB of the file
    /// have no such line.
    private static func words(_ name: String, in file: Descriptor) -> [String]? {
        var buffer = [UInt8](repeating: 0, count: 8_192)
        let count = unsafe read(file.number, &buffer, buffer.count)
        guard count > 0 else { return nil }
        let text = String(decoding: buffer[..<count], as: UTF8.self)
        guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix(name) }) else { return nil }
        return line.dropFirst(name.count).split(whereSeparator: { $0 == " " || $0 == "\t" }).map(String.init)
    }
}
