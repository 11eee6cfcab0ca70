// SPDX-License-Identifier: Apache-2.0

import CKeychainLinux
import Glibc
import KeychainModel
import KeychainStore
import Synchronization

/// The process at the other end of a connection, as reported by the kernel.
struct Peer: Hashable, Sendable {
    let process: pid_t
    let user: uid_t
    let group: gid_t

    init(process: pid_t, user: uid_t, group: gid_t) {
        (self.process, self.user, self.group) = (process, user, group)
    }

    init?(of socket: CInt) {
        var peer = clinux_peer()
        guard unsafe clinux_peer(socket, &peer) == 0 else { return nil }
        self.init(process: peer.process, user: peer.user, group: peer.group)
    }

    /// Returns the security label of the process when it connected.
    ///
    /// It is empty if it is too long, and `nil` if the kernel reports none.
    static func label(of socket: CInt) -> String? {
        var bytes = [UInt8](repeating: 0, count: 1_024)
        let count = unsafe clinux_peer_label(socket, &bytes, bytes.count)
        guard count >= 0 else { return errno == ERANGE ? "" : nil }
        return String(decoding: bytes[..<min(count, bytes.count)], as: UTF8.self)
    }
}

/// A client's connection, which one worker thread serves at a time.
final class Connection: Sendable {
    enum Phase: Sendable {
        /// The client has not yet answered the daemon's first message, which contains this nonce.
        case greeted(Bytes16)
        case open(Session)
        /// No more requests are served. Once the unsent bytes are sent, the client or the daemon closes the connection.
        case closing
    }

    struct State: Sendable {
        var phase: Phase
        var incoming: MessageBuffer
        var unsent = UnsentBytes()
        /// How many bytes in `incoming` and `unsent` were last counted towards the user's limit.
        var countedBytes = 0
        var hasDeadline = true
        var isWelcomed = false
        /// The value of ``Identification/generation`` when the client was identified.
        var generation = 0
        var polling = AdaptivePolling()
    }

    enum Received {
        case message(Message)
        /// The client has sent a part of a message, or nothing.
        case nothing
        case end
        /// A process other than the one that connected has sent bytes.
        case otherWriter
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

    /// Whether bytes of the client, or the end of the connection, can be read now.
    var isReadable: Bool {
        var request = pollfd(fd: socket.number, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&request, 1, 0) != 0
    }

    /// Reads until a message is complete or no more bytes are available.
    ///
    /// Every byte must come from the process that connected. Otherwise, another process with an inherited or
    /// passed descriptor would act under that process's identity.
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
            guard count > 0 else { return .end }
            guard sender == peer.process else { return .otherWriter }
            do throws(StatusError) {
                if let message = try state.incoming.add(buffer[..<count]) { return .message(message) }
            } catch {
                return .end
            }
        }
    }

    /// Sends a message and keeps its unsent bytes; returns `false` if the client has closed the connection.
    func send(_ message: Message, _ state: inout State) -> Bool {
        var frames = message.frames
        state.unsent.add(&frames)
        return flush(&state)
    }

    /// Sends as many unsent bytes as the socket accepts; returns `false` if the client has closed the
    /// connection.
    func flush(_ state: inout State) -> Bool {
        while !state.unsent.isEmpty {
            let sent = unsafe state.unsent.withBytes {
                unsafe clinux_send(socket.number, $0.baseAddress, $0.count)
            }
            if sent < 0, errno == EINTR { continue }
            if sent < 0 { return errno == EAGAIN }
            state.unsent.remove(sent)
        }
        return true
    }
}

/// The bytes that the socket has not accepted yet, which may contain secrets.
struct UnsentBytes: Sendable {
    private var bytes: [UInt8] = []
    private var sent = 0

    var count: Int { bytes.count - sent }
    var isEmpty: Bool { count == 0 }

    /// Moves the bytes of the parameter to the end, and leaves the parameter empty.
    mutating func add(_ added: inout [UInt8]) {
        guard !isEmpty else {
            erase()
            return swap(&bytes, &added)
        }
        bytes.growErasing(by: added.count)
        bytes += added
        added.wipe()
        added = []
    }

    func withBytes(_ body: (UnsafeRawBufferPointer) -> Int) -> Int {
        unsafe bytes.withUnsafeBytes { unsafe body(UnsafeRawBufferPointer(rebasing: $0[sent...])) }
    }

    /// Removes sent bytes; erases all bytes after the last was sent.
    mutating func remove(_ count: Int) {
        sent += count
        if isEmpty { erase() }
    }

    mutating func erase() {
        bytes.wipe()
        bytes = []
        sent = 0
    }
}

/// The identity of a client after the handshake, and the credentials that the daemon keeps for it.
final class Session: Sendable {
    let identity: CallerIdentity
    let credentials: KeptCredentials
    let audit: SessionAudit
    private let socket: Descriptor
    /// Whether this connection may add another store's items, in every access group.
    let migration = Mutex(MigrationPermission.none)

    init(_ identity: CallerIdentity, limit: Int, audit: SessionAudit, socket: Descriptor) {
        self.identity = identity
        self.socket = socket
        self.audit = audit
        credentials = KeptCredentials(limit: limit)
    }

    /// Ends the connection; a worker thread then closes it.
    func disconnect() { shutdown(socket.number, CInt(SHUT_RDWR)) }

    func credential(_ call: CallCredential) -> Credential {
        credentials.credential(call, at: identity.level)
    }
}

/// The identity of the program at the other end of a connection.
struct CallerIdentity: Sendable {
    let caller: Caller
    let level: CallerLevel
    let user: uid_t
    /// The program's name when a user is asked for the passcode on its behalf.
    var title = ""
    /// Whether the program is `keychain-agent`, which may show passcode prompts and answer them, and nothing else.
    var isAgent = false
    /// The digest of the executable; `nil` if the client only claims its identity.
    let executable: Bytes32?
    /// The identified program's address space; `nil` if the client only claims its identity.
    let image: ProgramImage?

    /// Whether the process still runs the program that was identified.
    var isCurrent: Bool { image?.isUnchanged ?? true }
}
