// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import KeychainModel
import KeychainObjects

/// The messages between an SSH agent and its clients (draft-ietf-sshm-ssh-agent).
enum AgentProtocol {
    /// The size of the largest message, as in OpenSSH.
    static let largestMessage = 256 * 1024

    private static let failure: UInt8 = 5
    private static let requestIdentities: UInt8 = 11
    private static let identitiesAnswer: UInt8 = 12
    private static let signRequest: UInt8 = 13
    private static let signResponse: UInt8 = 14

    /// Removes and returns the first message of the received bytes; `nil` if the message is incomplete.
    static func takeMessage(from bytes: inout Data) throws(AsymmetricKeyError) -> Data? {
        var fields = SSHFields(bytes)
        guard bytes.count >= 4 else { return nil }
        let count = Int(try fields.nextInteger())
        guard (1...largestMessage).contains(count) else { throw .malformedKey }
        guard fields.rest.count >= count else { return nil }
        defer { bytes = Data(fields.rest.dropFirst(count)) }
        return Data(fields.rest.prefix(count))
    }

    /// Answers a request to list the keys or to sign.
    ///
    /// The answer is a failure if the request cannot be executed, is malformed, or is of any other kind.
    static func answer(_ message: Data, with keys: AgentKeys) -> Data {
        var answer = Data()
        do {
            answer.append(sshField: try content(message, keys))
        } catch {
            if let failure = error as? Failure { complain(failure) }
            answer.append(sshField: Data([failure]))
        }
        return answer
    }

    private static func content(_ message: Data, _ keys: AgentKeys) throws -> Data {
        var fields = SSHFields(message)
        switch try fields.nextByte() {
        case requestIdentities:
            try fields.finish()
            let found = try keys.all()
            var answer = Data([identitiesAnswer])
            answer.append(sshInteger: UInt32(found.count))
            for key in found {
                answer.append(sshField: key.blob)
                answer.append(sshString: key.label)
            }
            return answer
        case signRequest:
            let (blob, data) = (try fields.next(), try fields.next())
            let flags = try fields.nextInteger()
            try fields.finish()
            var answer = Data([signResponse])
            answer.append(sshField: try keys.signature(by: blob, of: data, flags: flags))
            return answer
        default: return Data([failure])
        }
    }

    private static func complain(_ failure: Failure) {
        switch failure {
        case .status(let status, let step, let reason):
            let detail = reason.flatMap { $0.reason == nil ? nil : KeychainCalls.described($0) }
            Console.complain("\(step): \(detail ?? StatusText.sentence(status))")
        case .store(_, let step, let detail): Console.complain("\(step): \(detail)")
        case .message(let text, _): Console.complain(text)
        default: break
        }
    }
}
