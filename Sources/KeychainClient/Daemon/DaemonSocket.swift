// SPDX-License-Identifier: Apache-2.0

import CKeychainLinux
import Glibc
import KeychainModel

/// The path of a daemon's socket, and the users whose processes may serve it.
package struct DaemonAddress: Hashable, Sendable {
    package let path: String
    /// Whether the environment names the socket, so that no other one is tried.
    var isNamed = false
    /// Returns whether a user other than root may serve the socket; root always may.
    let isTrusted: @Sendable (uid_t) -> Bool

    package static func == (left: Self, right: Self) -> Bool { left.path == right.path }

    package func hash(into hasher: inout Hasher) { hasher.combine(path) }

    /// The daemon of this user, in the user's runtime directory.
    package static func ofUser(runtimeDirectory: String) -> Self {
        Self(path: runtimeDirectory + "/keychain/socket") { $0 == geteuid() }
    }

    var directory: String { path.directoryOfPath }

    /// The socket of the daemon for all users; only root or the daemon's own user may serve it.
    package static let ofSystem = ofSystem(at: "/run/keychain/socket")

    /// A socket that only root or the daemon's own user may serve.
    static func ofSystem(at path: String) -> Self { Self(path: path) { $0 == serviceUser } }

    /// Returns the address of a socket that the environment names.
    static func named(_ path: String) -> Self {
        Self(path: path, isNamed: true) { $0 == geteuid() || $0 == serviceUser }
    }

    /// The user ID of the user `keychain`; `nil` if there is no such user.
    private static let serviceUser: uid_t? = (try? UserAccount.find(named: "keychain"))?.user

    var exists: Bool { unsafe access(path, F_OK) == 0 }
}

/// The reason why a call to the daemon has no reply.
enum ExchangeFailure: Error {
    /// The daemon has not read the request, so the call can be repeated.
    case notSent
    /// The connection broke after the request was sent, so the outcome is unknown.
    case lost
    case timeout
    case refused(StatusError)
}

/// A connection to the daemon, used by one thread at a time.
final class DaemonSocket {
    private let socket: CInt
    var descriptor: CInt { socket }
    private var buffer = MessageBuffer(limit: WireLimit.message)
    private var lastRequest: UInt64 = 0
    private var polling = AdaptivePolling()
    private(set) var welcome: Welcome

    /// Connects, checks which user serves the socket, and sends the identity and the signature of this program.
    init(
        _ address: DaemonAddress,
        claim: ClaimedIdentity,
        until deadline: CallDeadline
    ) throws(ExchangeFailure) {
        socket = unsafe clinux_connect(address.path)
        welcome = Welcome(level: .embedded, identity: claim, instance: .zero)
        guard socket >= 0 else { throw .notSent }
        var peer = clinux_peer()
        guard unsafe clinux_peer(socket, &peer) == 0, peer.user == 0 || address.isTrusted(peer.user) else {
            throw .refused(StatusError(.notAvailable, .daemonNotTrusted))
        }
        welcome = try introduce(claim, deadline)
    }

    deinit { if socket >= 0 { close(socket) } }

    /// Whether the daemon has closed the connection, or announced that it will; between calls, it sends nothing else.
    var hasEnded: Bool { isReadable }

    /// Whether bytes of the daemon, or the end of the connection, can be read now.
    private var isReadable: Bool {
        var request = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&request, 1, 0) != 0
    }

    /// Sends a request and waits for its reply.
    func exchange(_ body: [UInt8], until deadline: CallDeadline) throws(ExchangeFailure) -> [UInt8] {
        lastRequest += 1
        var frames = Message(.request, request: lastRequest, body: body).frames
        defer { frames.wipe() }
        try send(frames, deadline)
        let reply = try receive(deadline)
        switch reply.kind {
        case .response where reply.request == lastRequest: return reply.body
        // The daemon reads no request after the message `goodbye`.
        case .goodbye: throw .notSent
        default: throw .lost
        }
    }

    func perform(
        _ call: DaemonCall,
        _ header: CallHeader,
        until deadline: CallDeadline
    ) throws(ExchangeFailure) -> DaemonReply {
        var writer = WireWriter()
        writer.value(header)
        writer.value(call)
        defer { writer.erase() }
        guard writer.bytes.count <= WireLimit.message else {
            throw .refused(StatusError(.dataTooLarge))
        }
        var body = try exchange(writer.bytes, until: deadline)
        defer { body.wipe() }
        do throws(StatusError) {
            return try WireReader.decode(body) { reader throws(StatusError) in
                try reader.value(DaemonReply.self)
            }
        } catch {
            throw .refused(WireReader.unintelligible)
        }
    }

    private func introduce(
        _ claim: ClaimedIdentity,
        _ deadline: CallDeadline
    ) throws(ExchangeFailure) -> Welcome {
        let greeting = try receive(deadline)
        guard greeting.kind == .serverHello, let hello: ServerHello = try? Self.decode(greeting),
            hello.versions.contains(WireLimit.version)
        else { throw .refused(WireReader.unintelligible) }
        var writer = WireWriter()
        writer.value(
            ClientHello(nonce: hello.nonce, signature: SignatureSource.ofThisProcess ?? [], claim: claim)
        )
        try send(Message(.clientHello, body: writer.bytes).frames, deadline)
        let answer = try receive(deadline)
        switch answer.kind {
        case .welcome:
            guard let welcome: Welcome = try? Self.decode(answer) else {
                throw .refused(WireReader.unintelligible)
            }
            return welcome
        case .refused:
            throw .refused((try? Self.decode(answer)) ?? StatusError(.notAvailable, .callerRefused))
        case .goodbye: throw .notSent
        default: throw .refused(WireReader.unintelligible)
        }
    }

    private static func decode<Value: WireValue>(_ message: Message) throws(StatusError) -> Value {
        try WireReader.decode(message.body) { reader throws(StatusError) in try reader.value() }
    }

    private func send(_ bytes: [UInt8], _ deadline: CallDeadline) throws(ExchangeFailure) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let sent = unsafe rest.withUnsafeBytes { unsafe clinux_send(socket, $0.baseAddress, $0.count) }
            if sent > 0 {
                rest = rest.dropFirst(sent)
            } else if errno == EAGAIN {
                try wait(for: POLLOUT, deadline)
            } else if errno != EINTR {
                // The daemon does not execute an incomplete request; it may have sent `goodbye`, which is not
                // read yet.
                throw .notSent
            }
        }
    }

    private func receive(_ deadline: CallDeadline) throws(ExchangeFailure) -> Message {
        var chunk = [UInt8](repeating: 0, count: 512)
        defer { chunk.wipe() }
        while true {
            let wanted = min(buffer.missing, 1 << 16)
            if chunk.count < wanted {
                chunk.wipe()
                chunk = [UInt8](repeating: 0, count: wanted)
            }
            let count = unsafe recv(socket, &chunk, wanted, CInt(MSG_DONTWAIT))
            if count > 0 {
                do throws(StatusError) {
                    if let message = try buffer.add(chunk[..<count]) { return message }
                } catch {
                    throw .refused(WireReader.unintelligible)
                }
                continue
            }
            if count == 0 { throw .lost }
            if errno == EAGAIN {
                if !Self.mayPoll || !polling.poll(until: { isReadable }) { try wait(for: POLLIN, deadline) }
            } else if errno != EINTR {
                throw .lost
            }
        }
    }

    /// On one processor, polling would only delay the daemon's reply.
    private static let mayPoll = clinux_processors() > 1

    private func wait(for events: CInt, _ deadline: CallDeadline) throws(ExchangeFailure) {
        var request = pollfd(fd: socket, events: Int16(events), revents: 0)
        guard deadline.remaining > 0 else { throw .timeout }
        let ready = unsafe poll(&request, 1, deadline.remaining)
        if ready == 0 { throw .timeout }
    }
}

extension CallHeader {
    /// The header of a call that may be executed twice, and so has no change identifier.
    init(until deadline: CallDeadline) { self.init(deadline: deadline.milliseconds, change: .zero) }
}

extension WireReader {
    /// The error for a message of the daemon that is malformed or of another version.
    fileprivate static var unintelligible: StatusError { StatusError(.notAvailable, .malformedMessage) }
}
