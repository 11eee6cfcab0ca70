// SPDX-License-Identifier: Apache-2.0

import KeychainModel

enum StatusText {
    static func sentence(_ status: Status) -> String {
        status.rule?.message ?? "OSStatus \(status.rawValue)"
    }

    /// `error`: prints the message of each status, given as a decimal or hexadecimal number or a name.
    ///
    /// For a number that is also an exit code, it explains that code too.
    static func explain(_ operands: [String]) throws(Failure) {
        guard !operands.isEmpty else { throw .usage("a status is required") }
        for operand in operands {
            guard let status = number(operand) ?? named(operand) else {
                throw .usage("a status must be a 32-bit number, or a name such as errSecItemNotFound")
            }
            let digits = String(UInt32(bitPattern: status), radix: 16, uppercase: true)
            let padded = String(repeating: "0", count: 8 - digits.count) + digits
            try Console.write("Error: 0x\(padded) \(status) \(sentence(Status(rawValue: status)))\n")
            if let meaning = meaning(ofExitCode: status) {
                try Console.write("Exit code \(status): \(meaning)\n")
            }
        }
    }

    private static func named(_ text: String) -> Int32? {
        StatusRule.table.first { $0.symbol == text }?.status.rawValue
    }

    /// The meaning of exit code 1, 2 or 3, or else the negative status that has this low byte; `nil` if there is
    /// none.
    private static func meaning(ofExitCode code: Int32) -> String? {
        switch code {
        case 1: return "an error that has no status; the message names the error"
        case 2: return "the arguments are invalid"
        case 3: return "codesign: the signature is valid, but not trusted, expired or revoked"
        case 4...255:
            let rule = StatusRule.table.first {
                $0.status.rawValue < 0 && UInt8(truncatingIfNeeded: $0.status.rawValue) == code
            }
            return rule.map { "\($0.symbol) \($0.status.rawValue) \($0.message)" }
        default: return nil
        }
    }

    private static func number(_ text: String) -> Int32? {
        if text.utf8.starts(with: "0x".utf8) || text.utf8.starts(with: "0X".utf8) {
            return UInt32(text.dropFirst(2), radix: 16).map { Int32(bitPattern: $0) }
        }
        return Int32(text)
    }
}
