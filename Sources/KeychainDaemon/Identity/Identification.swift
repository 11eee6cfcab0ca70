// SPDX-License-Identifier: Apache-2.0

import CKeychainLinux
import Glibc
import KeychainClient
import KeychainModel
import Synchronization

/// Identifies the program at the other end of a connection.
final class Identification: Sendable {
    private let service: ServerConfiguration.Service
    private let trust: Mutex<AdministratorTrust>
    private let reloads = Atomic(0)
    private let userTeams: @Sendable (uid_t) -> [Team]

    init(_ service: ServerConfiguration.Service, userTeams: @escaping @Sendable (uid_t) -> [Team]) {
        self.service = service
        self.userTeams = userTeams
        trust = Mutex(AdministratorTrust(service))
    }

    private var administrator: AdministratorTrust { trust.withLock { $0 } }

    /// Returns the program `keychain-agent` of the system service.
    ///
    /// It is `nil` in the user service, and if the program is missing or other users could replace or imitate it.
    ///
    /// - Throws: `notAvailable` with `daemonTimeout` while it is unknown whether users can join the agent's group.
    func agent() throws(StatusError) -> AgentProgram? {
        guard let agent = administrator.agent, try agent.group.isClosed() else { return nil }
        return agent.program
    }

    /// Whether programs must leave prompts to the agent; true also while the agent's group is not checked.
    var hasAgent: Bool { administrator.agent.map { $0.group.known != false } ?? false }

    /// Reads the administrator's lists of teams and programs, and the executable of `keychain-agent`, again.
    func reload() {
        let new = AdministratorTrust(service)
        trust.withLock { $0 = new }
        // Increment the number last: a client that was identified by the old teams then has an old number, and must
        // connect again.
        reloads.add(1, ordering: .sequentiallyConsistent)
    }

    /// Who trusts a team.
    enum TrustSource: Sendable {
        case administrator, user
        /// The administrator's file of the team is defective, so no signature of the team is trusted.
        case defective
    }

    /// Returns who trusts a team when a user's programs are identified; `nil` if no one does.
    func source(of team: TeamIdentifier, for user: uid_t) -> TrustSource? {
        let trust = administrator.teams
        if trust.teams.contains(where: { $0.identifier == team }) { return .administrator }
        if trust.problems.contains(where: { $0.file == team.text + TeamFile.suffix }) { return .defective }
        return userTeams(user).contains { $0.identifier == team } ? .user : nil
    }

    var teamCount: Int { administrator.teams.teams.count }

    /// The administrator's files that are not used, and the groups that identify no program.
    var defects: [TrustDefect] { administrator.defects }

    /// Whether `keychain-identify` has ended, so that no program can be identified.
    var hasEnded: Bool {
        if case .system(let service) = service { service.identify.hasEnded } else { false }
    }

    /// How many times the trusted teams were read again.
    ///
    /// A client that was identified before the last time must connect again.
    var generation: Int { reloads.load(ordering: .sequentiallyConsistent) }

    /// The user ID that the kernel reports for a user who is not mapped into the daemon's user namespace.
    private static let unknownUser: uid_t = 65_534

    /// Returns whether a process may connect; to the user service, only a process of its user.
    ///
    /// Process ID 0 is rejected: the process is in a PID namespace that the daemon cannot see. User ID 65534 is
    /// rejected too: the kernel reports it for every user who is not mapped into the daemon's user namespace.
    func mayConnect(_ peer: Peer) -> Bool {
        guard peer.process > 0, peer.user != Self.unknownUser else { return false }
        switch service {
        case .user: return peer.user == geteuid()
        case .system: return true
        }
    }

    func identify(_ connection: Connection, _ hello: ClientHello) throws(StatusError) -> CallerIdentity {
        switch service {
        case .user:
            // Programs of one user can read the store's files, so groups are only a convention here, as
            // without a daemon.
            let caller = Caller(
                applicationIdentifier: hello.claim.identifier,
                accessGroups: hello.claim.accessGroups
            )
            guard !hello.claim.identifier.isEmpty else {
                throw StatusError(.missingEntitlement, .callerRefused)
            }
            return CallerIdentity(
                caller: caller,
                level: .userService,
                user: connection.peer.user,
                executable: nil,
                image: nil
            )
        case .system(let service): return try identify(connection, hello.signature, service)
        }
    }

    /// Identifies a client by the executable that the kernel reports, ignoring the client's claim.
    private func identify(
        _ connection: Connection,
        _ signature: [UInt8],
        _ service: SystemService
    ) throws(StatusError) -> CallerIdentity {
        let process = try Self.process(of: connection)
        let (record, image) = try service.identify.examine(process, of: connection.peer.user)
        if connection.peer.group == administrator.agent?.program.group, let agent = try agent() {
            guard agent.isRun(by: record) else { throw StatusError(.missingEntitlement, .callerRefused) }
            return Self.agent(connection.peer, record, image)
        }
        let label = Peer.label(of: connection.socket.number)
        let sandbox = record.sandbox.flatMap { $0.isConfirmed(by: label) ? $0 : nil }
        let program = try program(record, sandbox, signature, connection.peer, service)
        return CallerIdentity(
            caller: program.caller,
            level: program.level,
            user: connection.peer.user,
            title: program.title,
            executable: record.executable.digest,
            image: image
        )
    }

    private static func agent(_ peer: Peer, _ record: ProgramRecord, _ image: ProgramImage) -> CallerIdentity
    {
        CallerIdentity(
            caller: Caller(applicationIdentifier: "keychain-agent", accessGroups: []),
            level: .group,
            user: peer.user,
            isAgent: true,
            executable: record.executable.digest,
            image: image
        )
    }

    /// Returns a pidfd of the process that connected.
    ///
    /// Before Linux 6.5, the pidfd is opened by the process ID. If the client has ended, another process may have that
    /// ID by now. The client then gains nothing: ``Connection/receive(_:)`` accepts bytes only from a process with that
    /// ID.
    private static func process(of connection: Connection) throws(StatusError) -> Descriptor {
        var number = clinux_peer_pidfd(connection.socket.number)
        if number < 0 { number = clinux_pidfd_open(connection.peer.process) }
        guard number >= 0 else { throw StatusError(.missingEntitlement, .callerRefused) }
        return Descriptor(number)
    }

    private struct Program {
        let caller: Caller
        let level: CallerLevel
        let title: String

        /// Creates a program without a trusted signature.
        ///
        /// Its access group is derived from the executable's digest, or from its path if the administrator has
        /// registered it; it has none if the executable was deleted or is not on a local file system.
        init(unsigned record: ProgramRecord, isRegistered: Bool) {
            let group =
                isRegistered
                ? PrivateGroup.ofRegisteredProgram(record.path) : record.executable.privateGroup
            let isAllowed = record.hasPrivateGroup && record.isLocal
            caller = Caller(applicationIdentifier: group, accessGroups: isAllowed ? [group] : [])
            level = .digest
            if isRegistered {
                title = "The program \(record.path)"
            } else {
                title = record.path.isEmpty ? "An unsigned program" : "The unsigned program \(record.path)"
            }
        }

        init(_ caller: Caller, _ level: CallerLevel, of team: Team) {
            self.caller = caller
            self.level = level
            title = "\(caller.applicationIdentifier) (team \(team.name), level \(level.name))"
        }
    }

    private func program(
        _ record: ProgramRecord,
        _ sandbox: Sandbox?,
        _ signature: [UInt8],
        _ peer: Peer,
        _ service: SystemService
    ) throws(StatusError) -> Program {
        let isRegistered = record.isInstalled && administrator.programs.paths.contains(record.path)
        guard record.isLocal, !signature.isEmpty, let identity = identity(record, signature, peer.user) else {
            return Program(unsigned: record, isRegistered: isRegistered)
        }
        let level: CallerLevel =
            if try isGroup(identity.team.group, of: peer) {
                .group
            } else {
                identity.team.accepts(sandbox) ? .sandbox : .digest
            }
        // If the program is identified less strongly than the team requires, treat it as one without a signature.
        guard level >= identity.minimumLevel else {
            return Program(unsigned: record, isRegistered: isRegistered)
        }
        let owners = GroupOwners(directory: service.directory(of: peer.user))
        let team = identity.team.identifier.text
        return Program(identity.caller { owners.claim($0, for: team) }, level, of: identity.team)
    }

    /// Returns the signed identity of a program; `nil` without one.
    ///
    /// The signature must be valid, neither expired nor revoked, and of a team that the administrator or the user
    /// trusts.
    private func identity(_ record: ProgramRecord, _ signature: [UInt8], _ user: uid_t) -> SignedIdentity? {
        let time = SystemClock.unixMilliseconds / 1_000
        var trust = administrator.teams
        var verdict = trust.evaluate(signature, of: record.executable, at: time)
        if verdict == .distrusted(.unknownTeam) {
            // Reading the user's store takes longer, so do it only for a valid signature of a team that the
            // administrator does not trust.
            for team in userTeams(user) { trust.addUserTeam(team) }
            verdict = trust.evaluate(signature, of: record.executable, at: time)
        }
        if case .trusted(let identity) = verdict { return identity }
        return nil
    }

    /// Returns whether the client's effective group at `connect` was this system group, which no user can join.
    ///
    /// - Throws: `notAvailable` with `daemonTimeout` while this is unknown; the client then connects again.
    private func isGroup(_ name: String?, of peer: Peer) throws(StatusError) -> Bool {
        guard let name, case .success(let group)? = administrator.groups[name], group.number == peer.group
        else {
            return false
        }
        return try group.isClosed()
    }
}
