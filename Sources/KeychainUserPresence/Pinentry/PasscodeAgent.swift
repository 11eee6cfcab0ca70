// SPDX-License-Identifier: Apache-2.0

import Glibc
package import KeychainClient
package import KeychainModel

/// Runs the daemon's agent, which prompts the user on this program's terminal or display.
package enum PasscodeAgent {
    /// Why the agent got no correct passcode.
    package enum Failure: Error {
        case prompt(PinentryFailure)
        case keychain(StatusError)
    }

    /// The result of a prompt by the agent.
    package enum Outcome {
        /// This program must ask: the daemon has no agent, or this user cannot run the agent with its set-group-ID
        /// group.
        case absent
        /// The passcode was correct; the value refers to a key that the daemon keeps for this program, if there is one.
        case correct(KeptKey?)
    }

    /// The environment variables that the agent uses.
    package static let variables = [
        "TERM", "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_RUNTIME_DIR", "LANG", "LC_ALL", "LC_CTYPE",
    ]

    /// The exit status of an agent that the kernel has started without its set-group-ID group.
    ///
    /// The kernel does so if the process cannot gain privileges (`no_new_privs`), or on a file system with `nosuid`.
    package static let withoutGroup: Int32 = 8

    /// How long to wait for an agent that was told to end, in steps of 10 ms.
    private static let endPolls = 200

    /// Lets the agent ask for the passcode, if the daemon has an agent.
    package static func ask(
        for purpose: PromptPurpose,
        reason: String?,
        _ settings: PinentrySettings,
        isCancelled: @Sendable () -> Bool = { false }
    ) throws(Failure) -> Outcome {
        guard settings.simulatedUser == nil else { return .absent }
        let prompt: AgentPrompt
        do throws(StatusError) {
            guard let begun = try AgentPrompt.begin(purpose, reason: reason) else { return .absent }
            prompt = begun
        } catch {
            throw .keychain(error)
        }
        let failure: PinentryFailure?
        switch run(prompt, settings, isCancelled) {
        case .withoutGroup:
            _ = try? prompt.end()
            return .absent
        case .ended(let reason): failure = reason
        }
        do throws(StatusError) {
            return .correct(try prompt.end())
        } catch {
            // If the user gave no answer, the agent's exit status has the reason.
            if error.reason == .promptCanceled, let failure { throw .prompt(failure) }
            throw .keychain(error)
        }
    }

    private enum Run {
        /// The agent has ended or was not started, with the reason if it got no correct passcode.
        case ended(PinentryFailure?)
        case withoutGroup
    }

    private static func run(
        _ prompt: AgentPrompt,
        _ settings: PinentrySettings,
        _ isCancelled: () -> Bool
    ) -> Run {
        if let obstacle = settings.obstacleOfAgent { return .ended(obstacle) }
        let environment = variables.compactMap { name in
            unsafe getenv(name).map { unsafe "\(name)=\(String(cString: $0))" }
        }
        guard let process = PromptProgram.start(prompt.agent, prompt.arguments, environment: environment)
        else {
            return unsafe access(prompt.agent, X_OK) == 0 ? .ended(.noProgram) : .withoutGroup
        }
        let deadline = Deadline(milliseconds: (prompt.seconds + 2) * 1_000, by: settings.now)
        var failure: PinentryFailure?
        while failure == nil {
            switch process.status() {
            case .ended(withoutGroup << 8): return .withoutGroup
            case .ended(let status): return .ended(PinentryFailure(waitStatus: status))
            // The agent's exit status is lost; the daemon has the result.
            case .lost: return .ended(.unavailable)
            case .running: break
            }
            if isCancelled() { failure = .stopped }
            if deadline.millisecondsLeft == 0 { failure = .timedOut }
            process.wait(milliseconds: 100)
        }
        // Do not kill the agent at once, because it ends its pinentry program first.
        process.end(by: SIGTERM, count: endPolls)
        return .ended(failure)
    }
}

/// The exit statuses with which the agent reports that it got no correct passcode.
///
/// The other statuses are 0 for success, ``PasscodeAgent/withoutGroup``, and 64 for invalid arguments.
extension PinentryFailure {
    package var exitStatus: Int32 {
        switch self {
        case .cancelled: 1
        case .timedOut: 2
        case .forbidden: 3
        case .noTerminal: 4
        case .noProgram: 5
        case .unavailable: 6
        case .stopped: 7
        }
    }

    /// Creates the failure from the status that `waitpid` has returned; `nil` if the agent has succeeded.
    fileprivate init?(waitStatus status: CInt) {
        if status == 0 { return nil }
        let exited = status & 0x7f == 0 ? (status >> 8) & 0xff : 0
        let all: [Self] = [
            .cancelled, .timedOut, .forbidden, .noTerminal, .noProgram, .unavailable, .stopped,
        ]
        self = all.first { $0.exitStatus == exited } ?? .unavailable
    }
}

extension PinentrySettings {
    /// Why this program must not start the agent; `nil` if it may.
    ///
    /// Prompts are forbidden, or there is no terminal or display.
    fileprivate var obstacleOfAgent: PinentryFailure? {
        if program == nil { return .forbidden }
        return terminal == nil && display == nil && waylandDisplay == nil ? .noTerminal : nil
    }
}
