// SPDX-License-Identifier: Apache-2.0

import KeychainServices

/// The sentences of statuses.
enum StatusText {
    static func sentence(_ status: OSStatus) -> String {
        SecCopyErrorMessageString(status, nil).map { $0 as String } ?? "OSStatus \(status)"
    }

    /// `error`: statuses as decimal or hexadecimal numbers, each with its sentence.
    static func explain(_ operands: [String]) throws(Failure) {
        guard !operands.isEmpty else { throw .usage("a status is required") }
        for operand in operands {
            guard let status = number(operand) else { throw .usage("a status is a number of 32 bits") }
            let digits = String(UInt32(bitPattern: status), radix: 16, uppercase: true)
            let padded = String(repeating: "0", count: 8 - digits.count) + digits
            try Console.write("Error: 0x\(padded) \(status) \(sentence(status))\n")
        }
    }

    private static func number(_ text: String) -> OSStatus? {
        if text.utf8.starts(with: "0x".utf8) || text.utf8.starts(with: "0X".utf8) {
            return UInt32(text.dropFirst(2), radix: 16).map { OSStatus(bitPattern: $0) }
        }
        return OSStatus(text)
    }
}
