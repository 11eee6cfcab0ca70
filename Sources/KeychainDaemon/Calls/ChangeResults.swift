// SPDX-License-Identifier: Apache-2.0

import KeychainModel

/// Keeps the outcomes of each program's latest changes, so that a repeated change is not applied again.
///
/// A client repeats a change when the connection breaks before the reply. The repetition is refused if the outcome was
/// not kept, for example because the change is too old, or because its reply is large or contains values or attributes
/// of items.
final class ChangeResults: Sendable {
    fileprivate enum Entry: Sendable {
        case running
        case done(DaemonReply)
        /// The change was applied; its reply is not kept.
        case applied
    }

    /// The latest changes of one program.
    fileprivate struct Program {
        var entries: [Bytes16: Entry] = [:]
        /// The identifiers of the completed changes, the oldest first.
        var order: [Bytes16] = []
    }

    fileprivate struct State {
        var programs: [String: Program] = [:]
        /// The identifiers of the programs, the least recently used first.
        var order: [String] = []
    }

    private enum Decision: Sendable {
        case apply
        case reply(DaemonReply)
    }

    static let changesOfProgram = 64
    static let programs = 64
    /// How long a repeated change waits for the end of its first application, in milliseconds.
    private static let waitMilliseconds: UInt64 = 5_000
    private let state = Monitor(State())

    /// Applies a program's change.
    ///
    /// For a repeated change, returns the first reply, or `outcomeUnknown` if that reply is not kept or does not come
    /// in time.
    func apply(_ header: CallHeader, of program: String, _ body: () -> DaemonReply) -> DaemonReply {
        switch decide(header, of: program) {
        case .reply(let reply): return reply
        case .apply: break
        }
        let reply = body()
        state.withLock { state in
            var latest = state.programs[program] ?? Program()
            latest.entries[header.change] = Self.isKept(reply) ? .done(reply) : .applied
            latest.order.append(header.change)
            if latest.order.count > Self.changesOfProgram {
                latest.entries[latest.order.removeFirst()] = nil
            }
            state.programs[program] = latest
            state.use(program)
        }
        state.wakeAll()
        return reply
    }

    private func decide(_ header: CallHeader, of program: String) -> Decision {
        let deadline = min(header.deadline, SystemClock.milliseconds + Self.waitMilliseconds)
        let decision: Decision? = state.wait(until: deadline) { state in
            switch state.programs[program]?.entries[header.change] {
            case .done(let reply): return .reply(reply)
            case .applied: return .reply(Self.unknown)
            case .running: return nil
            case nil where header.isRepetition: return .reply(Self.unknown)
            case nil:
                state.programs[program, default: Program()].entries[header.change] = .running
                return .apply
            }
        }
        return decision ?? .reply(Self.unknown)
    }

    private static var unknown: DaemonReply { .failure(StatusError(.notAvailable, .outcomeUnknown)) }

    /// Whether a reply is small, and contains neither values nor attributes of items.
    private static func isKept(_ reply: DaemonReply) -> Bool {
        switch reply {
        case .failure, .number, .undone, .response(.done): true
        case .skipped(let numbers): numbers.count <= 256
        case .adoption(let reply): reply.groups.isEmpty
        case .repair(let summary): summary.verification.damages.count <= 256
        case .response(.items(let items)):
            items.count <= 16
                && items.allSatisfy { $0.secret == nil && $0.certificate == nil && $0.attributes.isEmpty }
        case .response(.status), .versions, .daemon, .teams, .prompt, .promptText, .verification, .rotation:
            false
        }
    }
}

extension ChangeResults.State {
    /// Makes a program the most recently used one, and discards the least recently used one above the limit.
    fileprivate mutating func use(_ program: String) {
        guard order.last != program else { return }
        order.removeAll { $0 == program }
        order.append(program)
        if order.count > ChangeResults.programs { programs[order.removeFirst()] = nil }
    }
}
