// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

extension KeychainControl {
    /// The synchronization of the keychain of this process with other devices.
    public static var synchronization: KeychainSynchronization { KeychainSynchronization() }
}

/// Synchronizes a keychain with other devices over etcd, end-to-end encrypted.
///
/// A *circle* is the set of devices that synchronize one keychain.
///
/// The functions run the program `keychain-sync`, which uses the network, so that this module needs no network
/// library. Each function blocks until the program ends; ``synchronize()`` and the functions that change the
/// circle wait for etcd. All functions are safe to call from any thread. Changes are exchanged while the
/// synchronization agent runs, which `security sync run` or the systemd unit `keychain-sync.service` starts.
///
/// ```swift
/// let synchronization = KeychainControl.synchronization
/// try synchronization.create(.init(endpoints: ["https://etcd.example.com:2379"]))
/// try synchronization.invite { code in print(code) } confirm: { device in device.name == "laptop" }
/// ```
///
/// Besides the errors documented with each function, all throw ``KeychainSynchronizationError``, for example with the
/// code `program-missing` if the program is not installed, `not-configured` if they need a circle and the keychain
/// belongs to none, `locked` before the first unlock, and `store` if the store cannot be used. The functions that wait
/// for etcd also throw its errors, such as `unreachable` and `credentials`.
public struct KeychainSynchronization: Sendable, Hashable {
    /// The path of `keychain-sync`; a name without a slash is looked up in `PATH`.
    public var program = "keychain-sync"
    /// The directory of the keychain; `nil` for the one that the environment selects.
    public var directory: String?

    /// Creates the synchronization of the keychain in a directory.
    ///
    /// - Parameter directory: An absolute path; by default the keychain that the environment selects, as
    ///   `security sync` uses it.
    public init(directory: String? = nil) { self.directory = directory }

    private func run(
        _ arguments: [String],
        input: String? = nil
    ) throws(KeychainSynchronizationError) -> [UInt8] {
        let process = try SyncProcess(program, arguments + ["--json"], directory: directory)
        if let input { process.send(input) }
        guard let line = process.lastLine() else { throw .noAnswer }
        return line
    }

    private func run<Answer: Decodable>(
        _ arguments: [String],
        input: String? = nil,
        returning type: Answer.Type = Answer.self
    ) throws(KeychainSynchronizationError) -> Answer {
        try SyncAnswer.decode(run(arguments, input: input))
    }

    private func perform(_ arguments: [String], input: String? = nil) throws(KeychainSynchronizationError) {
        _ = try run(arguments, input: input, returning: SyncAnswer.Result.self)
    }
}

extension KeychainSynchronization {
    /// Creates a circle, whose only device is this one.
    ///
    /// - Parameters:
    ///   - server: The cluster of etcd, which this function must reach.
    ///   - name: The name of the device; by default the host name.
    ///   - hasRecoveryCode: Whether to create a recovery code.
    /// - Returns: The recovery code, a secret that the user writes on paper; `nil` if `hasRecoveryCode` is false.
    /// - Throws: ``KeychainSynchronizationError``; `already-configured` if the keychain belongs to a circle.
    @discardableResult
    public func create(
        _ server: KeychainSynchronizationServer,
        name: String? = nil,
        hasRecoveryCode: Bool = false
    ) throws(KeychainSynchronizationError) -> String? {
        let arguments = ["create"] + server.arguments(name) + (hasRecoveryCode ? ["--recovery-code"] : [])
        let answer = try run(arguments, input: server.password, returning: SyncAnswer.Result.self)
        return answer.recoveryCode
    }

    /// Invites one device, and waits at most ten minutes until it has joined.
    ///
    /// - Parameters:
    ///   - role: What the device may do.
    ///   - show: Receives the one-time code, a secret that the user enters on the device.
    ///   - confirm: Decides whether to add the device that has used the code.
    /// - Returns: The device that was added.
    /// - Throws: ``KeychainSynchronizationError``; `not-admin` if this device is not an admin,
    ///   `invitation-unknown` after ten minutes, and `invitation-refused` if `confirm` returns false.
    @discardableResult
    public func invite(
        as role: SynchronizedDevice.Role = .member,
        _ show: (String) -> Void,
        confirm: (SynchronizedDevice) -> Bool
    ) throws(KeychainSynchronizationError) -> SynchronizedDevice {
        let options = role == .member ? [] : ["--" + role.description]
        let process = try SyncProcess(program, ["invite", "--json"] + options, directory: directory)
        var device: SynchronizedDevice?
        while let line = process.line() {
            let answer: SyncAnswer.Result = try SyncAnswer.decode(line)
            if let code = answer.code {
                show(code)
            } else if let identifier = answer.device {
                let joining = SynchronizedDevice(
                    identifier: identifier,
                    name: answer.name ?? "",
                    role: role,
                    isThisDevice: false,
                    lastActivity: nil
                )
                process.send(confirm(joining) ? "yes" : "no")
                device = joining
            } else if answer.added != nil, let device {
                return device
            }
        }
        throw .noAnswer
    }

    /// Joins the circle that has issued a code, and waits until the inviting device has confirmed.
    ///
    /// - Parameters:
    ///   - code: The code; spaces, hyphens and case are ignored.
    ///   - server: The cluster of etcd.
    ///   - name: The name of the device; by default the host name.
    /// - Throws: ``KeychainSynchronizationError``; `code-malformed`, `invitation-unknown`, `invitation-refused`,
    ///   `join-timed-out`, `already-configured`.
    public func join(
        _ code: String,
        _ server: KeychainSynchronizationServer,
        name: String? = nil
    ) throws(KeychainSynchronizationError) {
        // Others can read the arguments of a process: the code is sent through its standard input.
        let input = [server.password, code].compactMap { $0 }.joined(separator: "\n")
        try perform(["join", "-"] + server.arguments(name), input: input)
    }

    /// Makes this device an admin of the circle that a recovery code belongs to.
    ///
    /// A device without a circle joins that circle.
    ///
    /// - Parameters:
    ///   - code: The recovery code.
    ///   - server: The cluster of etcd; only for a device without a circle.
    ///   - name: The name of the device; by default the host name.
    /// - Throws: ``KeychainSynchronizationError``; `code-malformed`, `recovery-code-unknown`, and `removed` if the
    ///   circle has removed this device.
    public func recover(
        with code: String,
        _ server: KeychainSynchronizationServer? = nil,
        name: String? = nil
    ) throws(KeychainSynchronizationError) {
        let options = server?.arguments(name) ?? []
        try perform(
            ["recover", "-"] + options,
            input: [code, server?.password].compactMap { $0 }.joined(separator: "\n")
        )
    }

    /// Returns the devices of the circle, and an entry for its recovery code, as this device last saw them.
    public func devices() throws(KeychainSynchronizationError) -> [SynchronizedDevice] {
        try run(["devices"], returning: [SyncAnswer.Device].self).map { SynchronizedDevice($0) }
    }

    /// Removes a device, which cannot read the items that other devices write afterwards.
    ///
    /// - Throws: ``KeychainSynchronizationError``; `not-admin`, `device-unknown`, `last-admin`.
    public func remove(_ device: SynchronizedDevice) throws(KeychainSynchronizationError) {
        try perform(["remove", device.identifier])
    }

    /// Leaves the circle; the items stay.
    ///
    /// - Parameter isForced: Whether to leave even if the server does not answer or no admin would be left.
    /// - Throws: ``KeychainSynchronizationError``; `last-admin`, `unreachable`.
    public func leave(isForced: Bool = false) throws(KeychainSynchronizationError) {
        try perform(["leave"] + (isForced ? ["--force"] : []))
    }

    /// Repairs the circle after its etcd cluster was lost or restored from a backup.
    ///
    /// Every device then sends its items again.
    ///
    /// - Returns: The new generation: the number of times that the circle was rebuilt, plus one.
    /// - Throws: ``KeychainSynchronizationError``; `not-admin`.
    @discardableResult
    public func rebuild() throws(KeychainSynchronizationError) -> Int {
        let answer = try run(["rebuild"], returning: SyncAnswer.Result.self)
        return answer.generation.flatMap { Int($0) } ?? 0
    }
}

extension KeychainSynchronization {
    /// Returns the status of synchronization, without using the network.
    public func status() throws(KeychainSynchronizationError) -> KeychainSynchronizationStatus {
        KeychainSynchronizationStatus(try run(["status"], returning: SyncAnswer.Status.self))
    }

    /// Receives the changes of other devices and sends this device's changes, once.
    ///
    /// - Throws: ``KeychainSynchronizationError``; `agent-is-running` if an agent runs, which synchronizes by
    ///   itself, and `paused` after ``pause()``.
    public func synchronize() throws(KeychainSynchronizationError) { try perform(["run", "--once"]) }

    /// Stops the exchange of changes until ``resume()``; the agent continues to run.
    public func pause() throws(KeychainSynchronizationError) { try perform(["pause"]) }

    /// Continues the exchange of changes.
    public func resume() throws(KeychainSynchronizationError) { try perform(["resume"]) }

    /// Returns the item versions that lost a conflict with another device's version.
    ///
    /// At most 1,000 versions are kept; another one replaces the oldest. A version is deleted 30 days after it was
    /// saved, or later: for example, if the keychain is then locked for the version's protection class, or if no
    /// agent runs.
    public func conflicts() throws(KeychainSynchronizationError) -> [SynchronizationConflict] {
        try run(["conflicts"], returning: [SyncAnswer.Conflict].self).map { SynchronizationConflict($0) }
    }

    /// Restores a version that lost a conflict: it replaces the current version on all devices.
    ///
    /// - Throws: ``KeychainSynchronizationError``; `store` if the keychain is locked for the item's protection class,
    ///   or the version was restored before.
    public func restore(_ conflict: SynchronizationConflict) throws(KeychainSynchronizationError) {
        try perform(["conflicts", "restore", String(conflict.number)])
    }
}
