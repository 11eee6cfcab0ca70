// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainObjects

/// A key file in any form, and the same key in every form that is written.
func fuzzKey(_ data: Data) {
    guard let key = try? AsymmetricKey(file: data) else { return }
    for format in KeyFormat.allCases {
        guard let written = try? key.exposed(as: format) else { continue }
        precondition((try? AsymmetricKey(file: written)) == key)
    }
    _ = key.publicHalf
}
