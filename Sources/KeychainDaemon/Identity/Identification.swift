// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainModel

/// Determines which program is behind a connection.
struct Identification: Sendable {
    private let service: ServerConfiguration.Service

    init(_ service: ServerConfiguration.Service) { self.service = service }

    /// The user identifier that the kernel reports for users of another user namespace.
    private static let unknownUser: uid_t = 65_534

    /// Whether a process may connect at all.
    ///
    /// Rejects process 0, which is in a process namespace that the daemon cannot see, and user 65534, which the kernel
    /// reports for all users of another user namespace.
    func mayConnect(_ peer: Peer) -> Bool {
        guard peer.process > 0, peer.user != Self.unknownUser else { return false }
        switch service {
        case .user: return peer.user == geteuid()
        }
    }

    /// The identity of a client that has answered the hello.
    func identify(_ connection: Connection, _ hello: ClientHello) throws(StatusError) -> CallerIdentity {
        switch service {
        case .user:
            // Programs of one user can read the store's files, so groups are a convention here, as without a daemon.
            let caller = Caller(
                applicationIdentifier: hello.claim.identifier,
                accessGroups: hello.claim.accessGroups
            )
            guard !hello.claim.identifier.isEmpty else {
                throw StatusError(.missingEntitlement, .callerRefused)
            }
            return CallerIdentity(caller: caller, level: .embedded, user: connection.peer.user)
        }
    }
}
