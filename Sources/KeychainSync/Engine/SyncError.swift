// SPDX-License-Identifier: Apache-2.0

package import KeychainModel

package enum SyncError: Error, Hashable, Sendable {
    case etcd(EtcdError)
    case store(StatusError)
    case notConfigured
    case alreadyConfigured
    /// The saved state of synchronization is damaged, or has the format of an earlier, unreleased version.
    case stateUnreadable
    /// The keys of the device can be read only after the first unlock.
    case locked
    case removed
    /// The keychain is served by the system service, whose store only its user `keychain` can open.
    case systemService
    /// No attempt to change the circle was acknowledged, but etcd may have made the change.
    case resultUnknown
    /// Data in etcd are forged or missing: for example, the records do not match the signed ``Head`` of each device.
    case inconsistent
    /// The cluster is a different one, or has lost changes that this device had received.
    case rolledBack
    /// Another copy of this store writes with the same device keys.
    case deviceKeyUsedTwice
    /// A record, ``Head`` or ``Manifest`` has the format of a newer version of the program.
    case updateNeeded
    /// A manifest, the signed list of the circle's devices, is malformed or not a valid successor of the one before.
    case manifestInvalid
    /// Another admin has changed the circle at the same time.
    case manifestConflict
    /// No attempt to push has succeeded, for example because other devices change the same records too often.
    case busy
    case notAdmin
    /// The code has a typing error.
    case codeMalformed
    /// The invitation has expired, was used or never existed.
    case invitationUnknown
    /// The circle of this device does not have this recovery code.
    ///
    /// For a device without a circle: no circle on the server has this recovery code.
    case recoveryCodeUnknown
    /// The inviting device did not confirm in time.
    case joinTimedOut
    /// The inviting device has refused to add the device, or the invitation has expired.
    case invitationRefused
    case deviceUnknown
    /// Without the device that leaves or is removed, the circle would have no admin.
    case lastAdmin
    case agentIsRunning
    case paused

    /// The code of the problem in `security sync status --json`.
    package var code: String {
        switch self {
        case .etcd(let error): error.code
        case .store: "store"
        case .notConfigured: "not-configured"
        case .alreadyConfigured: "already-configured"
        case .stateUnreadable: "state-unreadable"
        case .locked: "locked"
        case .removed: "removed"
        case .systemService: "system-service"
        case .resultUnknown: "result-unknown"
        case .inconsistent: "server-inconsistent"
        case .rolledBack: "server-went-back"
        case .deviceKeyUsedTwice: "device-key-used-twice"
        case .updateNeeded: "update-needed"
        case .manifestInvalid: "manifest-invalid"
        case .manifestConflict: "manifest-conflict"
        case .busy: "busy"
        case .notAdmin: "not-admin"
        case .codeMalformed: "code-malformed"
        case .invitationUnknown: "invitation-unknown"
        case .recoveryCodeUnknown: "recovery-code-unknown"
        case .joinTimedOut: "join-timed-out"
        case .invitationRefused: "invitation-refused"
        case .deviceUnknown: "device-unknown"
        case .lastAdmin: "last-admin"
        case .agentIsRunning: "agent-is-running"
        case .paused: "paused"
        }
    }

    /// The problem as a sentence without a period; for some errors, advice follows after a semicolon.
    package var message: String {
        switch self {
        case .etcd(let error): error.message
        case .store(let error): error.explanation.problem
        case .notConfigured: "this keychain belongs to no circle; run security sync create or join"
        case .alreadyConfigured: "this keychain already belongs to a circle; run security sync leave first"
        case .stateUnreadable:
            "the state of synchronization is damaged, or was written by an earlier version; "
                + "run security sync leave --force, and join again"
        case .locked: "the keychain was not unlocked since the system started"
        case .removed: "the circle has removed this device"
        case .systemService:
            "the system service stores this keychain; an administrator runs security sync as its user keychain"
        case .resultUnknown: "the server has not answered, and may have made the change; try again"
        case .inconsistent: "the server's records do not match what the devices have signed"
        case .rolledBack: "the server is a different one, or has lost changes that it had before"
        case .deviceKeyUsedTwice: "a copy of this keychain writes with the keys of this device"
        case .updateNeeded: "another device uses a newer version of the protocol"
        case .manifestInvalid: "the server's list of devices is not signed by an admin of the circle"
        case .manifestConflict: "another device has changed the circle at the same time"
        case .busy: "other devices are changing the same items; the changes are pushed later"
        case .notAdmin: "only an admin of the circle can do this"
        case .codeMalformed: "the code has a typing error"
        case .invitationUnknown: "the invitation has expired, was used, or belongs to another server"
        case .recoveryCodeUnknown: "no circle on this server has this recovery code"
        case .joinTimedOut: "the inviting device has not confirmed in time"
        case .invitationRefused: "the device was not added: it was refused, or the invitation has expired"
        case .deviceUnknown: "the circle has no such device"
        case .lastAdmin: "the other devices would have no admin; first run security sync invite --admin"
        case .agentIsRunning: "another process synchronizes this keychain"
        case .paused: "synchronization is paused; run security sync resume"
        }
    }
}

extension SyncError {
    /// Returns the error for a value that cannot be decoded: `updateNeeded` or `error`.
    ///
    /// A magic string such as `KCM1` ends with the format's version. The error is `updateNeeded` if the value begins
    /// with the same letters and another version.
    static func undecodable(_ value: [UInt8], _ magic: String, _ error: Self) -> Self {
        let name = magic.utf8.dropLast()
        return value.starts(with: name) && !value.starts(with: magic.utf8) ? .updateNeeded : error
    }
}

extension EtcdError {
    /// The code of the problem; see ``SyncError/code``.
    fileprivate var code: String {
        switch self {
        case .unreachable: "unreachable"
        case .noLeader: "no-leader"
        case .certificateFile: "certificate-file"
        case .certificateRefused: "certificate-refused"
        case .tokenExpired, .credentialsRefused: "credentials"
        case .outOfSpace: "server-full"
        case .tooLarge: "too-large"
        case .compacted: "compacted"
        case .futureRevision: "server-went-back"
        case .malformedAnswer: "not-etcd"
        case .refused: "refused"
        }
    }

    /// The problem as a sentence without a period.
    package var message: String {
        switch self {
        case .unreachable: "no server answers"
        case .noLeader: "the cluster has no leader"
        case .certificateFile: "a file with a certificate or key is missing or malformed"
        case .certificateRefused: "the server's or the client's certificate was refused"
        case .tokenExpired, .credentialsRefused: "the server refuses the user or the password"
        case .outOfSpace: "the server's quota is exhausted"
        case .tooLarge: "the server refuses a change because of its size"
        case .compacted: "the server has compacted its history"
        case .futureRevision: "the server has lost changes that it had before"
        case .malformedAnswer: "the server does not speak the protocol of etcd"
        case .refused(let status, let text):
            "the server has answered with the status \(status)" + (text.isEmpty ? "" : ": \(text)")
        }
    }
}
