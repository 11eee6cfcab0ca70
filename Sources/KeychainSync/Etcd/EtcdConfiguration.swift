// SPDX-License-Identifier: Apache-2.0

package struct EtcdConfiguration: Codable, Hashable, Sendable {
    /// The URLs of the cluster's members, such as `https://etcd1.example.com:2379`.
    package var endpoints: [String]
    /// The path of a PEM file with the certificates to trust; the system's if `nil`.
    package var certificateAuthority: String?
    /// The path of a PEM file with the client's certificate.
    package var certificate: String?
    /// The path of a PEM file with the private key of the client's certificate.
    package var key: String?
    /// The name of etcd's user; no password authentication if `nil`.
    package var user: String?
    package var password: String?

    package init(endpoints: [String]) { self.endpoints = endpoints }
}

package enum EtcdError: Error, Hashable, Sendable {
    /// No member answered in time; a transaction may have been applied.
    case unreachable
    case noLeader
    /// A certificate or key file is missing or malformed.
    case certificateFile
    case certificateRefused
    /// The authentication token has expired, or is no longer valid.
    case tokenExpired
    /// The user, password or role was refused.
    case credentialsRefused
    /// The cluster's quota is exhausted.
    case outOfSpace
    /// The request exceeds etcd's limit, or the answer exceeds that of the transport.
    case tooLarge
    /// The history was compacted up to this revision; 0 if the answer does not state it.
    case compacted(UInt64)
    /// The cluster has not reached a revision that it has returned before, as after restoring a backup.
    case futureRevision
    case malformedAnswer
    /// Another error: the HTTP status, and the server's message, shortened and without control characters.
    case refused(Int, String)

    /// Whether the cluster refuses the same transaction each time, or until an administrator acts.
    package var isFinal: Bool {
        switch self {
        case .tooLarge, .outOfSpace, .refused(400, _): true
        default: false
        }
    }

    /// Whether to repeat the failed call at the next member of the cluster.
    ///
    /// A member that lags behind the others may not know a user or a role yet.
    package var allowsFailover: Bool { isTransient || self == .credentialsRefused }

    /// Whether the same call may succeed later, or may have succeeded although its answer was lost.
    package var isTransient: Bool {
        switch self {
        case .unreachable, .noLeader, .malformedAnswer, .refused, .tokenExpired: true
        case .certificateFile, .certificateRefused, .credentialsRefused, .outOfSpace, .tooLarge, .compacted,
            .futureRevision:
            false
        }
    }
}

/// The time limits of calls, in milliseconds.
package struct EtcdDeadlines: Hashable, Sendable {
    package var connect: Int64 = 1_000
    package var call: Int64 = 2_000
    package var page: Int64 = 10_000

    package init() {}
}
