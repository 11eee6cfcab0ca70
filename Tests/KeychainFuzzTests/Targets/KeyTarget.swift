// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainObjects

/// Parses a key file, exports the key to every format that supports it, and parses the exports again.
func fuzzKey(_ data: Data) {
    guard let key = try? AsymmetricKey(file: data) else { return }
    for format in KeyFormat.allCases {
        guard let written = try? key.exported(as: format) else { continue }
        // OpenSSH's private keys exist in PEM only.
        let isPEM = format == .openSSH && key.half == .private
        let block = isPEM ? (try? key.exportedBlock(as: format)).map { Data($0.text.utf8) } : written
        precondition(block.flatMap { try? AsymmetricKey(file: $0) } == key)
    }
    _ = key.publicHalf
}
