// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// The cluster of etcd through which devices synchronize.
public struct KeychainSynchronizationServer: Sendable, Hashable, CustomStringConvertible {
    /// The URLs of the cluster's members, such as `https://etcd.example.com:2379`.
    public var endpoints: [String]
    /// The path of a PEM file with the root certificates to trust; `nil` for those of the system.
    public var certificateAuthority: String?
    /// The paths of PEM files with the client's certificate and its private key; `nil` for no client certificate.
    public var clientCertificate: (certificate: String, key: String)?
    /// The name of the etcd user; `nil` for no password authentication.
    public var user: String?
    /// The password of the user.
    public var password: String?

    /// Creates the description of a cluster.
    public init(endpoints: [String]) { self.endpoints = endpoints }

    /// The endpoints; without the password.
    public var description: String { endpoints.joined(separator: ", ") }

    /// Returns whether all settings are equal.
    public static func == (left: Self, right: Self) -> Bool {
        left.endpoints == right.endpoints && left.certificateAuthority == right.certificateAuthority
            && left.clientCertificate?.certificate == right.clientCertificate?.certificate
            && left.clientCertificate?.key == right.clientCertificate?.key && left.user == right.user
            && left.password == right.password
    }

    /// Hashes the endpoints.
    public func hash(into hasher: inout Hasher) { hasher.combine(endpoints) }

    func arguments(_ name: String?) -> [String] {
        var arguments = endpoints.flatMap { ["--endpoint", $0] }
        if let certificateAuthority { arguments += ["--ca", certificateAuthority] }
        if let clientCertificate {
            arguments += ["--cert", clientCertificate.certificate, "--key", clientCertificate.key]
        }
        if let user { arguments += ["--user", user] }
        if let name { arguments += ["--name", name] }
        return arguments
    }
}

/// A device of a circle, or the circle's recovery code.
///
/// A circle is the set of devices that synchronize one keychain.
public struct SynchronizedDevice: Sendable, Hashable {
    /// What a device may do.
    public struct Role: Sendable, Hashable, CustomStringConvertible {
        /// The role's name, as `security sync devices` prints it.
        public let description: String

        /// Reads and writes items, and manages the devices of the circle.
        public static let admin = Self(description: "admin")
        /// Reads and writes items.
        public static let member = Self(description: "member")
        /// Reads items.
        public static let readOnly = Self(description: "read-only")
        /// A recovery code, which is not a device.
        public static let recovery = Self(description: "recovery")
    }

    /// The identifier: 32 hexadecimal digits.
    public let identifier: String
    /// The name that the device has chosen.
    public let name: String
    /// What the device may do.
    public let role: Role
    /// Whether this entry is the device on which this process runs.
    public let isThisDevice: Bool
    /// When the device last sent changes or reported that it is active, by its own clock; `nil` if it never did.
    public let lastActivity: Date?
}

/// The state of synchronization.
public struct KeychainSynchronizationStatus: Sendable, Hashable {
    /// The identifier of the circle, the set of synchronized devices: 32 hexadecimal digits.
    public let circle: String
    /// The identifier of this device.
    public let device: String
    /// What this device may do; `nil` after the circle has removed it.
    public let role: SynchronizedDevice.Role?
    /// The number of devices in the circle; a recovery code counts as one.
    public let deviceCount: Int
    /// The number of times that the circle was rebuilt, plus one.
    public let generation: Int
    /// The number of synchronized items.
    public let itemCount: Int
    /// The number of changes that were not sent yet, without changes of locked items.
    public let unsentCount: Int
    /// The number of changed items that stay on this device.
    ///
    /// For example, they are too large for the server, are damaged, or have an access control.
    public let localOnlyCount: Int
    /// The number of received items that wait for an unlock.
    public let lockedCount: Int
    /// The number of saved item versions that lost a conflict: see ``KeychainSynchronization/conflicts()``.
    public let conflictCount: Int
    /// A short digest of the newest device list and the latest changes of all devices.
    ///
    /// Devices that have seen the same list and changes have the same fingerprint. Compare it on two devices to
    /// detect a server that shows them different data.
    public let fingerprint: String
    /// When the server last acknowledged that this device is active; `nil` if it never did, or not since a rebuild.
    public let lastAcknowledgement: Date?
    /// Whether the last acknowledgement is more than 48 hours old; `false` for a device that only reads items.
    public let isOutOfContact: Bool
    /// Whether the clock of another device is more than 24 hours ahead of this device's clock.
    ///
    /// Changes that this device makes then lose against concurrent changes of other devices.
    public let isClockBehind: Bool
    /// Whether synchronization is paused.
    public let isPaused: Bool
    /// Why the background agent's last attempt to synchronize failed; `nil` if it succeeded or made no attempt yet.
    public let problem: KeychainSynchronizationError?
}

/// A version of an item that lost a conflict with another device's version.
///
/// The version is locked while the keychain is locked for the item's protection class. A version whose saved bytes are
/// malformed also counts as locked.
public struct SynchronizationConflict: Sendable, Hashable {
    /// The number that identifies the version on this device.
    public let number: Int64
    /// The identifier of the device that wrote the version; `nil` while the version is locked.
    public let device: String?
    /// When the version was saved; `nil` while it is locked.
    public let date: Date?
    /// The access group of the item; `nil` while the version is locked.
    public let accessGroup: String?
    /// The service or server of the item; `nil` if the item has none, and while the version is locked.
    public let service: String?
    /// The account of the item; `nil` if the item has none, and while the version is locked.
    public let account: String?
}

/// Why a call of ``KeychainSynchronization``, or the background agent's last attempt to synchronize, failed.
public struct KeychainSynchronizationError: LocalizedError, Sendable, Hashable, CustomStringConvertible {
    /// The code of the problem, as `security sync` prints it in brackets.
    public let code: String
    /// A sentence for the user, without a period.
    public let description: String

    /// The same as ``description``; `localizedDescription` returns it.
    public var errorDescription: String? { description }

    static let programMissing = Self(
        code: "program-missing",
        description: "the program keychain-sync is not installed"
    )
    static let noAnswer = Self(
        code: "no-answer",
        description: "the program keychain-sync has ended unexpectedly"
    )
}
