// SPDX-License-Identifier: Apache-2.0

import KeychainModel

enum StatusText {
    static func sentence(_ status: Status) -> String {
        status.rule?.message ?? "OSStatus \(status.rawValue)"
    }

    /// `error`: prints the message of each status, given as a decimal or hexadecimal number or a name.
    ///
    /// For a number that is also an exit code, it explains that code too.
    static func explain(_ arguments: ScannedArguments) throws(Failure) {
        guard !arguments.operands.isEmpty else { throw .usage("a status is required") }
        var statuses: [Int32] = []
        for operand in arguments.operands {
            guard let status = number(operand) ?? named(operand) else {
                throw .usage("a status must be a 32-bit number, or a name such as errSecItemNotFound")
            }
            statuses.append(status)
        }
        guard !arguments.has("json") else {
            let document = JSONText.object([
                ("schemaVersion", .number(1)), ("statuses", .array(statuses.map(json))),
            ])
            return try Console.write(document.line)
        }
        for status in statuses {
            let digits = String(UInt32(bitPattern: status), radix: 16, uppercase: true)
            let padded = String(repeating: "0", count: 8 - digits.count) + digits
            try Console.write("Error: 0x\(padded) \(status) \(sentence(Status(rawValue: status)))\n")
            if let meaning = meaning(ofExitCode: status) {
                try Console.write("Exit code \(status): \(meaning)\n")
            }
        }
    }

    private static func json(_ status: Int32) -> JSONText {
        let rule = Status(rawValue: status).rule
        return .object(
            [("status", .number(Int(status))), ("message", .string(sentence(Status(rawValue: status))))]
                + (rule.map { [("symbol", .string($0.symbol))] } ?? [])
                + (meaning(ofExitCode: status).map { [("exitCode", .string($0))] } ?? [])
        )
    }

    private static func named(_ text: String) -> Int32? {
        StatusRule.table.first { $0.symbol == text }?.status.rawValue
    }

    /// The meaning of an exit code, or else the negative status that has this low byte; `nil` for a number that is
    /// neither.
    private static func meaning(ofExitCode code: Int32) -> String? {
        guard 1...255 ~= code else { return nil }
        if let meaning = ExitCode.meaning(ofCodeWithoutStatus: code) { return meaning }
        let rule = StatusRule.table.first {
            $0.status.rawValue < 0 && UInt8(truncatingIfNeeded: $0.status.rawValue) == code
        }
        return rule.map { "\($0.symbol) \($0.status.rawValue) \($0.message)" }
    }

    private static func number(_ text: String) -> Int32? {
        if text.utf8.starts(with: "0x".utf8) || text.utf8.starts(with: "0X".utf8) {
            return UInt32(text.dropFirst(2), radix: 16).map { Int32(bitPattern: $0) }
        }
        return Int32(text)
    }
}
