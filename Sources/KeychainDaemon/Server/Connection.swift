// SPDX-License-Identifier: Apache-2.0

import CKeychainLinux
import Glibc
import KeychainModel
import Synchronization

/// The process at the other end of a connection, as reported by the kernel.
struct Peer: Hashable, Sendable {
    let process: pid_t
    let user: uid_t
    let group: gid_t

    /// Reads the credentials of the process that connected.
    init?(of socket: CInt) {
        var peer = clinux_peer()
        guard unsafe clinux_peer(socket, &peer) == 0 else { return nil }
        (process, user, group) = (peer.process, peer.user, peer.group)
    }
}

/// A connection of a client, which one worker serves at a time.
final class Connection: Sendable {
    enum Phase: Sendable {
        /// The client has not yet answered the hello that contains this nonce.
        case greeted(Bytes16)
        case open(Session)
        /// Nothing more is read; the unsent bytes are still sent.
        case closing
    }

    struct State: Sendable {
        var phase: Phase
        var incoming: MessageBuffer
        var unsent: ArraySlice<UInt8> = []
        /// The bytes that the server has counted for this connection.
        var countedBytes = 0
        var hasDeadline = true
        var isWelcomed = false
    }

    /// The result of receiving.
    enum Received {
        case message(Message)
        /// The client has sent a part of a message, or nothing.
        case nothing
        case end
    }

    let socket: Descriptor
    let peer: Peer
    let state: Mutex<State>

    init(_ socket: Descriptor, peer: Peer, nonce: Bytes16) {
        self.socket = socket
        self.peer = peer
        state = Mutex(
            State(phase: .greeted(nonce), incoming: MessageBuffer(limit: WireLimit.handshake))
        )
    }

    private static let chunk = 1 << 16

    /// Reads until a message is complete or nothing more has arrived.
    ///
    /// Every byte must come from the process that connected. Another process with an inherited or passed descriptor
    /// would otherwise act under its identity.
    func receive(_ state: inout State) -> Received {
        var buffer = [UInt8](repeating: 0, count: min(max(state.incoming.missing, 512), Self.chunk))
        defer { buffer.wipe() }
        while true {
            let wanted = min(state.incoming.missing, Self.chunk)
            if buffer.count < wanted {
                buffer.wipe()
                buffer = [UInt8](repeating: 0, count: wanted)
            }
            var sender: Int32 = 0
            let count = unsafe clinux_receive(socket.number, &buffer, wanted, &sender)
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN { return .nothing }
            guard count > 0, sender == peer.process else { return .end }
            do throws(StatusError) {
                if let message = try state.incoming.add(buffer[..<count]) { return .message(message) }
            } catch {
                return .end
            }
        }
    }

    /// Sends a message, or keeps the unsent part for later; returns `false` if the client has closed.
    func send(_ message: Message, _ state: inout State) -> Bool {
        state.unsent += message.frames
        return flush(&state)
    }

    /// Sends as many unsent bytes as the socket accepts.
    func flush(_ state: inout State) -> Bool {
        while !state.unsent.isEmpty {
            let sent = unsafe state.unsent.withUnsafeBytes {
                unsafe clinux_send(socket.number, $0.baseAddress, $0.count)
            }
            if sent < 0, errno == EINTR { continue }
            if sent < 0 { return errno == EAGAIN }
            state.unsent = state.unsent.dropFirst(sent)
        }
        state.unsent = []
        return true
    }
}

/// What a welcomed client may do, and what the daemon keeps for its connection.
final class Session: Sendable {
    let identity: CallerIdentity
    let credentials: KeptCredentials

    init(_ identity: CallerIdentity, limit: Int) {
        self.identity = identity
        credentials = KeptCredentials(limit: limit)
    }
}

/// The program behind a connection.
struct CallerIdentity: Sendable {
    let caller: Caller
    let level: CallerLevel
    let user: uid_t
    /// The program that was identified; `nil` if the identity is a claim.
    let image: ProgramImage?

    /// Whether the process still runs the program that was identified.
    var isCurrent: Bool { image?.isUnchanged ?? true }
}
