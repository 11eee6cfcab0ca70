// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainClient
import KeychainControl
import KeychainModel

/// `rotate-keys`: makes new keys for the protection classes, and encrypts every item with them.
///
/// It continues a rotation that was interrupted.
struct RotateKeys {
    let arguments: ScannedArguments

    private static let step = "rotate-keys"

    func run() throws(Failure) {
        try Keychains.useOperand(of: arguments)
        try begin()
        guard !arguments.has("background") else { return try continueInBackground() }
        // While this process has the lock, no other process is started to continue the rotation.
        let lock = RotationLock(KeychainCalls.directory())
        defer { lock?.release() }
        let progress = ProgressReport("rotate-keys", arguments)
        defer { progress.finish() }
        let summary = try Maintenance.call(Self.step) { _ throws(StatusError) in
            try SystemKeychain.resumeKeyRotation(progress.receiver)
        }
        progress.finish()
        if arguments.has("json") {
            let members: [(String, JSONText)] = [
                ("schemaVersion", .number(1)), ("reencrypted", .number(summary.rotated)),
                ("damaged", .number(summary.damaged)), ("complete", .boolean(summary.isComplete)),
            ]
            try Console.write(JSONText.object(members).line)
        } else {
            try Console.write("re-encrypted: \(summary.rotated)\n")
        }
        guard !summary.isComplete else { return }
        Console.complain(
            "damaged rows: \(summary.damaged); the former keys stay until security repair has removed these rows and security rotate-keys is run again"
        )
        throw .said(result: Status.undecodable.rawValue)
    }

    /// Starts a process that encrypts the items, unless securityd encrypts them; returns at once.
    private func continueInBackground() throws(Failure) {
        if try !Self.isServed() {
            guard try KeychainCalls.status(Self.step).keyCache != .thisProcess else {
                throw .message(
                    "another process cannot use the unlocked keys; leave out --background",
                    result: 1
                )
            }
            try Self.startInBackground()
        }
        try arguments.reportChange([("background", .boolean(true))])
    }

    /// Whether securityd serves the keychain, and itself re-encrypts the items in the background.
    private static func isServed() throws(Failure) -> Bool {
        try Maintenance.call(step) { _ throws(StatusError) in try SystemKeychain.hasDaemon() }
    }

    /// Starts a process that continues the rotation of the current keychain.
    ///
    /// If the process is interrupted, the next unlock, change or `rotate-keys` continues the rotation.
    static func startInBackground() throws(Failure) {
        let arguments = ["-q", Verb.rotateKeys.name, KeychainCalls.directory()]
        try ChildProgram("/proc/self/exe", arguments).startInBackground(input: MemoryFile([]))
    }

    /// Continues an interrupted rotation in another process, after the keychain was unlocked or changed.
    ///
    /// Does nothing while the keychain is locked, or if only damaged rows remain. Errors are ignored: the command has
    /// succeeded, and the next change tries again.
    static func resumeInBackground() {
        guard (try? SystemKeychain.canContinueKeyRotation()) == true,
            let status = try? KeychainControl.status(), status.keyCache != .thisProcess,
            [.unlocked, .noPasscode].contains(status.lockState),
            let lock = RotationLock(status.directory)
        else { return }
        lock.release()
        try? startInBackground()
    }

    /// Creates the new keys, unless a rotation has begun; reads the passcode if one is set.
    ///
    /// The passcode is not needed to continue a rotation while the keychain is unlocked.
    private func begin() throws(Failure) {
        let isRotating = try Maintenance.call(Self.step) { _ throws(StatusError) in
            try SystemKeychain.isRotatingKeys()
        }
        let status = try KeychainCalls.status(Self.step)
        guard status.passcodeIsSet, !isRotating || status.lockState != .unlocked else {
            return try Maintenance.call(Self.step) { _ throws(StatusError) in
                try SystemKeychain.beginKeyRotation()
            }
        }
        let passcode = try passcode(of: BlobText.line(status.directory))
        try Maintenance.call(Self.step) { _ throws(StatusError) in
            try SystemKeychain.beginKeyRotation(with: passcode.bytes)
        }
    }

    private func passcode(of directory: String) throws(Failure) -> Passcode {
        guard let text = arguments.value("passcode-fd") else {
            return try PasscodeInput(arguments).required("passcode", asking: ["passcode of \(directory): "])
        }
        guard let descriptor = Int32(text), descriptor >= 0 else {
            throw .usage("--passcode-fd requires the number of an open file descriptor")
        }
        return try PasscodeFile.read(descriptor)
    }
}

/// A lock on a keychain's directory that a process holds while it rotates the keys.
private struct RotationLock {
    private let descriptor: Int32

    /// Acquires the lock; `nil` if another process has it, or the directory cannot be opened.
    init?(_ directory: String) {
        descriptor = unsafe open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            return nil
        }
    }

    func release() { close(descriptor) }
}
