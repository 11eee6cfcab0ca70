// SPDX-License-Identifier: Apache-2.0

package enum DaemonReply: Sendable, WireValue {
    case failure(StatusError)
    case response(Response)
    /// A number of items, or the number under which the daemon keeps a credential.
    case number(UInt64)
    case versions([ItemVersion])
    /// The indexes of the changes that a transaction has skipped, or of the items that a migration reports.
    case skipped([UInt32])
    /// The error of a transaction, and how many changes had been made before the error; they were undone.
    case undone(UInt32, StatusError)
    case daemon(DaemonStatus)
    /// The texts of the team files of the developers whose programs the user trusts.
    case teams([String])
    case prompt(PromptTicket)
    case promptText(PromptText)
    case verification(StoreVerification)
    case adoption(AdoptionReply)
    case rotation(RotationStatus)
    case repair(RepairSummary)

    package func encode(into writer: inout WireWriter) {
        switch self {
        case .failure(let error): writer.value(error, code: 1)
        case .response(let response): writer.value(response, code: 2)
        case .number(let number):
            writer.integer(3 as UInt8)
            writer.integer(number)
        case .versions(let versions):
            writer.integer(4 as UInt8)
            writer.list(versions)
        case .skipped(let numbers):
            writer.integer(5 as UInt8)
            writer.list(numbers)
        case .daemon(let status): writer.value(status, code: 6)
        case .undone(let completed, let error):
            writer.integer(7 as UInt8)
            writer.integer(completed)
            writer.value(error)
        case .teams(let teams):
            writer.integer(8 as UInt8)
            writer.list(teams)
        case .prompt(let ticket): writer.value(ticket, code: 9)
        case .promptText(let text): writer.value(text, code: 10)
        case .verification(let verification): writer.value(verification, code: 11)
        case .adoption(let reply): writer.value(reply, code: 12)
        case .rotation(let status): writer.value(status, code: 13)
        case .repair(let summary): writer.value(summary, code: 14)
        }
    }

    package init(from reader: inout WireReader) throws(StatusError) {
        switch try reader.integer(UInt8.self) {
        case 1: self = .failure(try reader.value())
        case 2: self = .response(try reader.value())
        case 3: self = .number(try reader.integer())
        case 4: self = .versions(try reader.list())
        case 5: self = .skipped(try reader.list())
        case 6: self = .daemon(try reader.value())
        case 7: self = .undone(try reader.integer(), try reader.value())
        case 8: self = .teams(try reader.list())
        case 9: self = .prompt(try reader.value())
        case 10: self = .promptText(try reader.value())
        case 11: self = .verification(try reader.value())
        case 12: self = .adoption(try reader.value())
        case 13: self = .rotation(try reader.value())
        case 14: self = .repair(try reader.value())
        default: throw WireReader.malformed
        }
    }
}

extension UInt32: WireValue {
    package func encode(into writer: inout WireWriter) { writer.integer(self) }

    package init(from reader: inout WireReader) throws(StatusError) { self = try reader.integer() }
}
