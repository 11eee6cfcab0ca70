// SPDX-License-Identifier: Apache-2.0

import Foundation

extension Data {
    var hex: String { map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined() }

    /// Decodes pairs of hexadecimal digits, ignoring other characters, such as spaces.
    init(hex: String) {
        let digits = hex.compactMap { $0.hexDigitValue }
        self.init(
            stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] * 16 + digits[$0 + 1]) }
        )
    }
}
