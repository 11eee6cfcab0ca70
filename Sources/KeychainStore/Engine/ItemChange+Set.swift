// SPDX-License-Identifier: Apache-2.0

import KeychainModel

/// Updates what matches or, where nothing does, adds an item: one transaction, so that no other writer comes in between.
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
