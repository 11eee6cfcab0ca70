// SPDX-License-Identifier: Apache-2.0

/// A call about a prompt for the passcode, which the daemon's agent shows.
package enum PromptCall: Sendable, WireValue {
    /// A client begins a prompt; `reason` is the program's message for the user. The reply is a ``PromptTicket``.
    case begin(PromptPurpose, reason: String?)
    /// A client ends its prompt.
    ///
    /// If the daemon keeps an access control key, the reply is the number of that key; after an unlock, it is `done`.
    /// If the prompt has not been answered with the correct passcode, the reply is an error.
    case end(Bytes16)
    /// The agent requests the text of a prompt; from then on, no other agent can show this prompt.
    case describe(Bytes16)
    /// The agent sends the passcode that the user has typed.
    case answer(Bytes16, SentSecret)

    /// Whether only the agent may make the call.
    package var isOfAgent: Bool {
        switch self {
        case .begin, .end: false
        case .describe, .answer: true
        }
    }

    package func encode(into writer: inout WireWriter) {
        switch self {
        case .begin(let purpose, let reason):
            writer.integer(1 as UInt8)
            writer.integer(purpose.rawValue)
            writer.flag(reason != nil)
            if let reason { writer.string(reason) }
        case .end(let prompt): writer.value(prompt, code: 2)
        case .describe(let prompt): writer.value(prompt, code: 3)
        case .answer(let prompt, let passcode):
            writer.integer(4 as UInt8)
            writer.value(prompt)
            writer.value(passcode)
        }
    }

    package init(from reader: inout WireReader) throws(StatusError) {
        switch try reader.integer(UInt8.self) {
        case 1:
            let purpose = try PromptPurpose(from: &reader)
            self = .begin(purpose, reason: try reader.flag() ? reader.string(atMost: WireLimit.string) : nil)
        case 2: self = .end(try reader.value())
        case 3: self = .describe(try reader.value())
        case 4:
            let prompt: Bytes16 = try reader.value()
            self = .answer(prompt, try reader.value())
        default: throw WireReader.malformed
        }
    }
}

/// What the daemon does with a correct passcode.
package enum PromptPurpose: UInt8, CaseIterable, Sendable {
    /// The daemon keeps the access control key, so that the client can use items that require authentication.
    case authenticate = 1
    /// The daemon unlocks the keychain.
    case unlock = 2

    init(from reader: inout WireReader) throws(StatusError) {
        guard let purpose = Self(rawValue: try reader.integer()) else { throw WireReader.malformed }
        self = purpose
    }
}

/// A new prompt: its identifier, its time limit, and the path of the agent.
///
/// The client runs the agent, which shows the prompt.
package struct PromptTicket: Hashable, Sendable, WireValue {
    package let prompt: Bytes16
    package let agent: String
    package let seconds: UInt32

    package init(prompt: Bytes16, agent: String, seconds: UInt32) {
        self.prompt = prompt
        self.agent = agent
        self.seconds = seconds
    }

    package func encode(into writer: inout WireWriter) {
        writer.value(prompt)
        writer.string(agent)
        writer.integer(seconds)
    }

    package init(from reader: inout WireReader) throws(StatusError) {
        let prompt: Bytes16 = try reader.value()
        let agent = try reader.string(atMost: WireLimit.string)
        self.init(prompt: prompt, agent: agent, seconds: try reader.integer())
    }
}

/// The text of a prompt, and the pinentry program with which the agent shows it.
package struct PromptText: Hashable, Sendable, WireValue {
    package let purpose: PromptPurpose
    /// The program that asks, as the daemon has identified it.
    package let program: String
    /// The program's message for the user, which may be false.
    package let reason: String?
    /// The path of the pinentry program.
    package let pinentry: String

    package init(purpose: PromptPurpose, program: String, reason: String?, pinentry: String) {
        self.purpose = purpose
        self.program = program
        self.reason = reason
        self.pinentry = pinentry
    }

    package func encode(into writer: inout WireWriter) {
        writer.integer(purpose.rawValue)
        writer.string(program)
        writer.flag(reason != nil)
        if let reason { writer.string(reason) }
        writer.string(pinentry)
    }

    package init(from reader: inout WireReader) throws(StatusError) {
        let purpose = try PromptPurpose(from: &reader)
        let program = try reader.string(atMost: WireLimit.string)
        let reason = try reader.flag() ? reader.string(atMost: WireLimit.string) : nil
        self.init(
            purpose: purpose,
            program: program,
            reason: reason,
            pinentry: try reader.string(atMost: WireLimit.string)
        )
    }
}
