// SPDX-License-Identifier: Apache-2.0

import KeychainModel

/// Updates the matching items in one transaction, or adds an item if none match.
extension ItemChange {
    func set(_ request: SetRequest) throws(StatusError) {
        try session.change { () throws(StatusError) in
            do throws(StatusError) {
                try update([request.update])
            } catch {
                guard error.status == .itemNotFound else { throw error }
                _ = try add(request.item)
            }
        }
    }
}
