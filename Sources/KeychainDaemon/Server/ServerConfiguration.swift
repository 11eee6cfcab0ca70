// SPDX-License-Identifier: Apache-2.0

package struct ServerConfiguration: Sendable {
    package enum Service: Sendable {
        /// The store of one user, in a directory that this user's programs can read.
        case user(store: String)
        /// The stores of all users, which only the daemon can read.
        case system(SystemService)
    }

    package var service: Service
    package var workers: Int
    /// Seconds without connections after which the daemon exits; `nil` for never.
    package var idleExit: UInt32?
    package var limits = ServerLimits()
    /// The token that makes and uses private keys; `nil` for none.
    package var token: (any PrivateKeyToken)?

    package init(service: Service, workers: Int, idleExit: UInt32? = nil) {
        self.service = service
        self.workers = min(max(workers, 4), 16)
        self.idleExit = idleExit
        // The service of one user needs no such limits, because it uses this user's disk space.
        if case .system = service { limits.store = StoreLimits() }
    }
}

/// The limits on the connections, messages, passcode prompts and stores of a daemon's clients.
package struct ServerLimits: Sendable {
    package var connections = 4_096
    /// The maximum number of a user's connections; lower while fewer connections of the daemon are free.
    package var connectionsOfUser = 2_048
    /// The maximum number of a user's connections that have not finished the handshake.
    package var handshakesOfUser = 64
    package var handshakeMilliseconds: UInt64 = 2_000
    /// The maximum time for receiving a message or for the client to read a reply, in milliseconds.
    package var messageMilliseconds: UInt64 = 5_000
    /// The maximum size of a user's incomplete messages and unsent replies, in bytes.
    package var heldBytesOfUser = 64 << 20
    package var users: ClosedRange<UInt32> = 0...UInt32.max
    /// The limits of a user's store; `nil` for none.
    package var store: StoreLimits?
    /// How long a user may take to enter the right passcode, including repeated attempts, in seconds.
    package var promptSeconds: UInt32 = 300
    /// The maximum number of keys and application passwords that the daemon keeps for one connection.
    ///
    /// The keys open items whose access control requires the passcode.
    package var keptCredentials = 64

    package init() {}
}

/// The limits of a user's store; once one is reached, items can only be read and deleted.
package struct StoreLimits: Sendable {
    /// The maximum size of the database, in bytes.
    package var bytes: UInt64 = 256 << 20
    /// The maximum number of items and tombstones.
    package var rows: UInt64 = 500_000
    /// The minimum free space on the file system of the stores, in bytes.
    package var freeBytes: UInt64 = 64 << 20

    package init() {}
}
