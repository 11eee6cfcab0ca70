// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainObjects

/// Parses a key file, exports the key to every format, and parses the exports again.
func fuzzKey(_ data: Data) {
    guard let key = try? AsymmetricKey(file: data) else { return }
    for format in KeyFormat.allCases {
        guard let written = try? key.exported(as: format) else { continue }
        precondition((try? AsymmetricKey(file: written)) == key)
    }
    _ = key.publicHalf
}
