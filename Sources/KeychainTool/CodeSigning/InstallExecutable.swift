// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainClient

/// `codesign install`: copies a signed executable to a directory, set-group-ID to its team's system group.
struct InstallExecutable {
    let arguments: ScannedArguments

    func run() throws(Failure) {
        let path = try ExecutableArgument.path(arguments)
        guard geteuid() == 0 else { throw .message("install requires root", result: 1) }
        let directory = try Self.resolved(arguments.value("directory") ?? "/usr/local/bin")
        let source = try ExecutableArgument.open(path)
        guard let signature = SignatureSource.read(path) else { throw VerifyExecutable.unsigned(path) }
        let target = directory + "/" + (path.lastComponentOfPath ?? path)
        var copy = try InstalledCopy(as: target)
        try copy.fill(from: source, path)
        // Check and verify the copy, not the source: only root can change the copy.
        try Self.check(copy.image, hasCapabilities: source.hasCapabilities, path)
        let verdict = TrustedTeams.warned(.ofSystem(), TrustStore.systemDirectory)
            .evaluate(signature, of: try copy.digest(), at: EndDate.now)
        let identity = try VerifyExecutable.identity(verdict, path)
        let group = try Self.group(of: identity.team)
        try copy.finish(signature, group: group)
        try Console.write(
            "\(BlobText.line(target)): installed as \(identity.applicationIdentifier), group \(identity.team.group ?? "")\n"
        )
    }

    private static func resolved(_ directory: String) throws(Failure) -> String {
        guard let real = unsafe realpath(directory, nil) else { throw InputFile.failure(directory, errno) }
        defer { unsafe free(real) }
        let path = unsafe String(cString: real)
        guard LibraryDirectories.isProtected(path) else {
            throw .message(
                "\(BlobText.line(path)): users other than root can write the directory or one above it",
                result: 1
            )
        }
        return path
    }

    private static func check(
        _ image: ExecutableImage?,
        hasCapabilities: Bool,
        _ path: String
    ) throws(Failure) {
        let problem: String
        if let image {
            if image.usesOrigin {
                problem = "it loads libraries relative to itself ($ORIGIN), which set-group-ID forbids"
            } else if let directory = LibraryDirectories.writable(of: image).first {
                problem = "users other than root can write the library directory \(BlobText.line(directory))"
            } else if hasCapabilities {
                problem = "it has file capabilities"
            } else {
                return
            }
        } else {
            problem = "not an ELF executable"
        }
        throw .message("\(BlobText.line(path)): \(problem)", result: 1)
    }

    private static func group(of team: Team) throws(Failure) -> UInt32 {
        guard let name = team.group else {
            throw .message(
                "\(TrustStore.systemDirectory)/\(TeamFile.name(of: team.identifier)): the team has no group",
                result: 1
            )
        }
        do throws(TeamGroupDefect) {
            return try TeamGroup.number(of: name)
        } catch {
            throw .message("group \(name): \(error.text)", result: 1)
        }
    }
}

/// A copy of an executable in the target directory, not yet renamed.
private struct InstalledCopy: ~Copyable {
    private let target: String
    private let temporary: String
    private let descriptor: Int32
    private var isFinished = false

    init(as target: String) throws(Failure) {
        self.target = target
        temporary = "\(target).\(String(UInt64.random(in: 0...UInt64.max), radix: 16))"
        descriptor = unsafe open(temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw InputFile.failure(target, errno) }
    }

    deinit {
        guard descriptor >= 0 else { return }
        close(descriptor)
        if !isFinished { unsafe unlink(temporary) }
    }

    func fill(from source: borrowing OpenExecutable, _ path: String) throws(Failure) {
        var block = [UInt8](repeating: 0, count: 1 << 18)
        var offset: off_t = 0
        while offset <= off_t(ExecutableDigest.maximumSize) {
            let count = unsafe pread(source.descriptor, &block, block.count, offset)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw InputFile.failure(path, errno) }
            if count == 0 { return }
            var written = 0
            while written < count {
                let part = unsafe block[written..<count].withUnsafeBytes {
                    unsafe pwrite(descriptor, $0.baseAddress, $0.count, offset + off_t(written))
                }
                if part < 0, errno == EINTR { continue }
                guard part > 0 else { throw InputFile.failure(target, errno) }
                written += part
            }
            offset += off_t(count)
        }
        throw ExecutableArgument.failure(.tooLarge, path)
    }

    /// The libraries that the copy loads; `nil` if it is not an ELF executable.
    var image: ExecutableImage? { ExecutableImage(of: descriptor) }

    func digest() throws(Failure) -> ExecutableDigest {
        let (digest, ignoresSetID): (ExecutableDigest, Bool)
        do throws(ExecutableDefect) {
            ignoresSetID = try ExecutableStatus(of: descriptor).ignoresSetID
            digest = try ExecutableDigest(of: descriptor)
        } catch {
            throw ExecutableArgument.failure(error, target)
        }
        guard !ignoresSetID else {
            throw .message("\(BlobText.line(target)): the file system is mounted nosuid", result: 1)
        }
        return digest
    }

    /// Moves the copy to its target, with the signature, the group and mode 2755.
    mutating func finish(_ signature: [UInt8], group: UInt32) throws(Failure) {
        if SignatureSource.writeAttribute(signature, to: temporary) != 0 {
            let name = target + SignatureSource.suffix
            try OutputFile.replace(name, by: signature, mode: 0o644, calling: name)
        }
        // The mode is set last, because a write or a change of the owner clears set-group-ID.
        guard fchown(descriptor, 0, group) == 0, fchmod(descriptor, 0o2755) == 0, fsync(descriptor) == 0,
            unsafe rename(temporary, target) == 0
        else { throw InputFile.failure(target, errno) }
        isFinished = true
    }
}
