// SPDX-License-Identifier: Apache-2.0

import CKeychainLinux
import Glibc
import KeychainClient
import KeychainModel
import Synchronization

/// Determines which program is behind a connection.
final class Identification: Sendable {
    private let service: ServerConfiguration.Service
    private let trust: Mutex<TrustStore>

    init(_ service: ServerConfiguration.Service) {
        self.service = service
        trust = Mutex(Self.teams(of: service))
    }

    /// Reads the trusted teams again.
    func reload() {
        let teams = Self.teams(of: service)
        trust.withLock { $0 = teams }
    }

    private static func teams(of service: ServerConfiguration.Service) -> TrustStore {
        switch service {
        case .user: TrustStore()
        case .system(let service): TrustStore(directory: service.teams)
        }
    }

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
        case .system: return true
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
            return CallerIdentity(caller: caller, level: .embedded, user: connection.peer.user, image: nil)
        case .system(let service): return try identify(connection, hello.signature, service)
        }
    }

    /// The identity by the executable that the kernel names; what the client claims is not read.
    private func identify(
        _ connection: Connection,
        _ signature: [UInt8],
        _ service: SystemService
    ) throws(StatusError) -> CallerIdentity {
        let (record, image) = try service.identify.examine(try Self.process(of: connection))
        let caller = caller(record, signature, connection.peer, service)
        return CallerIdentity(caller: caller.0, level: caller.1, user: connection.peer.user, image: image)
    }

    /// A pidfd of the process that connected.
    ///
    /// Before Linux 6.5 the number could belong to another process by now; the hello's writer was alive afterwards.
    private static func process(of connection: Connection) throws(StatusError) -> Descriptor {
        var number = clinux_peer_pidfd(connection.socket.number)
        if number < 0 { number = clinux_pidfd_open(connection.peer.process) }
        guard number >= 0 else { throw StatusError(.missingEntitlement, .callerRefused) }
        return Descriptor(number)
    }

    private func caller(
        _ record: ProgramRecord,
        _ signature: [UInt8],
        _ peer: Peer,
        _ service: SystemService
    ) -> (Caller, CallerLevel) {
        let time = Clock.unixMilliseconds / 1_000
        let trust = trust.withLock { $0 }
        guard !signature.isEmpty,
            case .trusted(let identity) = trust.evaluate(signature, of: record.executable, at: time)
        else { return (Self.unsigned(record), .digest) }
        let level: CallerLevel = Self.isGroup(identity.team.group, of: peer) ? .group : .digest
        // Below the level that the team demands, the program is one without a signature.
        guard level >= identity.minimumLevel else { return (Self.unsigned(record), .digest) }
        let owners = GroupOwners(directory: service.directory(of: peer.user))
        let team = identity.team.identifier.text
        return (identity.caller { owners.claim($0, for: team) }, level)
    }

    /// A program without a trusted signature: the only group is that of its executable.
    private static func unsigned(_ record: ProgramRecord) -> Caller {
        let group = record.executable.privateGroup
        return Caller(applicationIdentifier: group, accessGroups: record.hasPrivateGroup ? [group] : [])
    }

    /// Whether the effective group at `connect` is the system group of a team, which nobody may be a member of.
    private static func isGroup(_ name: String?, of peer: Peer) -> Bool {
        guard let name else { return false }
        var strings = [CChar](repeating: 0, count: 1 << 14)
        return unsafe strings.withUnsafeMutableBufferPointer { strings in
            var (entry, result) = unsafe (group(), nil as UnsafeMutablePointer<group>?)
            guard let start = strings.baseAddress,
                unsafe getgrnam_r(name, &entry, start, strings.count, &result) == 0, unsafe result != nil
            else { return false }
            // `newgrp` would give the group to its members.
            let hasMembers = unsafe entry.gr_mem.pointee != nil
            return unsafe entry.gr_gid == peer.group && !hasMembers
        }
    }
}
