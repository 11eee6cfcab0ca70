// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainModel

/// Determines which program is behind a connection.
struct Identification: Sendable {
    private let service: ServerConfiguration.Service

    init(_ service: ServerConfiguration.Service) { self.service = service }

    /// The user that the kernel reports for those of a foreign user namespace.
    private static let unknownUser: uid_t = 65_534

    /// Whether a process may connect at all.
    ///
    /// Process 0 is in a process namespace that the daemon does not see, and user 65534 stands for every user of a foreign
    /// user namespace: neither names anyone.
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
