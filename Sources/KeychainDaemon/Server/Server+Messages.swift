// SPDX-License-Identifier: Apache-2.0

import CKeychainLinux
import Glibc
import KeychainModel
import Synchronization

extension Server {
    /// What happens to a connection after a message was served.
    private enum Outcome {
        case keep
        case close
    }

    /// Serves one message of a connection that is ready, and further messages that follow at once.
    func serve(_ connection: Connection) {
        connection.state.withLock { state in
            repeat {
                guard case .keep = turn(of: connection, &state), account(for: connection, &state) else {
                    return close(connection, &state)
                }
            } while hasNextMessage(connection, &state)
            if isStopping || isOutdated(state), state.unsent.isEmpty {
                leave(connection, &state)
                guard account(for: connection, &state) else { return close(connection, &state) }
            }
            rearm(connection, writing: !state.unsent.isEmpty)
        }
    }

    /// Polls for a short time for the client's next message, unless other connections are ready.
    private func hasNextMessage(_ connection: Connection, _ state: inout Connection.State) -> Bool {
        guard case .open = state.phase, state.unsent.isEmpty, state.incoming.heldBytes == 0,
            !isOutdated(state), beginPolling()
        else { return false }
        defer { endPolling() }
        var isReady = false
        return state.polling.poll {
            isReady = connection.isReadable
            return isReady || !mayPoll
        } && isReady
    }

    /// Whether the teams were reloaded after the client was identified.
    private func isOutdated(_ state: Connection.State) -> Bool {
        state.generation != identification.generation
    }

    private func turn(of connection: Connection, _ state: inout Connection.State) -> Outcome {
        if !state.unsent.isEmpty {
            guard connection.flush(&state) else { return .close }
            if !state.unsent.isEmpty { return .keep }
        }
        if case .closing = state.phase { return .close }
        switch connection.receive(&state) {
        case .end: return .close
        case .otherWriter:
            noteOtherProgram(on: connection, state)
            return .close
        case .nothing: return .keep
        case .message(var message):
            defer { message.body.wipe() }
            endReceiving(from: connection, &state)
            return handle(message, of: connection, &state)
        }
    }

    private func handle(
        _ message: Message,
        of connection: Connection,
        _ state: inout Connection.State
    ) -> Outcome {
        switch (state.phase, message.kind) {
        case (.greeted(let nonce), .clientHello):
            return welcome(message, nonce, connection, &state)
        case (.open(let session), .request):
            // After `exec`, the connection belongs to another program.
            guard session.identity.isCurrent else {
                noteOtherProgram(on: connection, state)
                return .close
            }
            // If the teams were reloaded, do not serve the request: the client repeats it on a new connection.
            guard !isOutdated(state) else { return .keep }
            var writer = handler.reply(to: message.body, for: session)
            defer { writer.erase() }
            var reply = Message(.response, request: message.request, body: writer.bytes)
            defer { reply.body.wipe() }
            return connection.send(reply, &state) ? .keep : .close
        default: return .close
        }
    }

    /// Identifies the client, and sends it the result.
    private func welcome(
        _ message: Message,
        _ nonce: Bytes16,
        _ connection: Connection,
        _ state: inout Connection.State
    ) -> Outcome {
        var writer = WireWriter()
        do throws(StatusError) {
            let hello = try WireReader.decode(message.body) { reader throws(StatusError) in
                try reader.value(ClientHello.self)
            }
            guard hello.nonce == nonce, hello.version == WireLimit.version else { throw WireReader.malformed }
            state.generation = identification.generation
            let identity = try identification.identify(connection, hello)
            state.phase = .open(session(of: connection, identity))
            state.isWelcomed = true
            state.incoming.limit = WireLimit.message
            table.welcome(connection)
            let caller = ClaimedIdentity(
                identifier: identity.caller.applicationIdentifier,
                accessGroups: identity.caller.accessGroups
            )
            writer.value(Welcome(level: identity.level, identity: caller, instance: instance))
            return connection.send(Message(.welcome, body: writer.bytes), &state) ? .keep : .close
        } catch {
            noteRefusal(of: connection.peer, error)
            if identification.hasEnded { fail() }
            // Close without a reply: the client tries again over a new connection.
            if error.reason == .daemonTimeout { return .close }
            writer.value(error)
            state.phase = .closing
            return connection.send(Message(.refused, body: writer.bytes), &state) && !state.unsent.isEmpty
                ? .keep : .close
        }
    }

    private func session(of connection: Connection, _ identity: CallerIdentity) -> Session {
        Session(
            identity,
            limit: configuration.limits.keptCredentials,
            audit: SessionAudit(audit, identity, process: connection.peer.process),
            socket: connection.socket
        )
    }

    /// Removes the deadline for receiving a message, which is complete now; its call may take longer.
    private func endReceiving(from connection: Connection, _ state: inout Connection.State) {
        guard state.isWelcomed, state.hasDeadline else { return }
        state.hasDeadline = false
        table.setDeadline(nil, of: connection)
    }

    private func noteRefusal(of peer: Peer, _ error: StatusError) {
        counters.refuse()
        SessionAudit.refuse(peer, error, in: audit)
        report(.refused(user: peer.user, process: peer.process, status: error.status.rawValue))
    }

    /// Records that a program other than the identified one has used the connection, before it is closed.
    private func noteOtherProgram(on connection: Connection, _ state: Connection.State) {
        if case .open(let session) = state.phase {
            counters.refuse()
            session.audit.refuse(StatusError(.missingEntitlement, .callerRefused))
        } else {
            noteRefusal(of: connection.peer, StatusError(.missingEntitlement, .callerRefused))
        }
    }

    /// Counts the bytes that the connection holds and sets its deadline.
    ///
    /// - Returns: `false` if the user's connections hold too many bytes.
    private func account(for connection: Connection, _ state: inout Connection.State) -> Bool {
        let held = state.incoming.heldBytes + state.unsent.count
        var isWaiting = held > 0
        // A client that was told to connect again must close this connection before a deadline.
        if case .closing = state.phase { isWaiting = true }
        if held != state.countedBytes {
            let isAllowed = table.hold(held, insteadOf: state.countedBytes, for: connection.peer.user)
            state.countedBytes = held
            guard isAllowed else { return false }
        }
        guard state.isWelcomed, isWaiting != state.hasDeadline else { return true }
        state.hasDeadline = isWaiting
        let deadline = SystemClock.milliseconds + configuration.limits.messageMilliseconds
        table.setDeadline(isWaiting ? deadline : nil, of: connection)
        if isWaiting { alarm.ring() }
        return true
    }

    private func close(_ connection: Connection, _ state: inout Connection.State) {
        if case .open(let session) = state.phase { handler.prompts.endAll(of: session) }
        state.phase = .closing
        state.incoming.erase()
        state.unsent.erase()
        table.remove(connection, wasWelcomed: state.isWelcomed, heldBytes: state.countedBytes)
        shutdown(connection.socket.number, CInt(SHUT_RDWR))
    }

    /// Tells a client to connect again, because the daemon ends or has reloaded the teams; reads no further request.
    func sayGoodbye(to connection: Connection) {
        // While a worker thread serves the connection, the state is locked. The thread says goodbye after its reply.
        _ = connection.state.withLockIfAvailable { state in
            guard state.unsent.isEmpty else { return }
            leave(connection, &state)
            _ = account(for: connection, &state)
        }
    }

    private func leave(_ connection: Connection, _ state: inout Connection.State) {
        guard case .open(let session) = state.phase else { return }
        handler.prompts.endAll(of: session)
        state.phase = .closing
        _ = connection.send(Message(.goodbye, body: []), &state)
    }
}
