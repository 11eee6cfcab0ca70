// SPDX-License-Identifier: Apache-2.0

import KeychainModel
import KeychainUserPresence

/// Adds items in one durable transaction; none of them if one cannot be added.
///
/// Apple has no such function. Key generation calls it to store both keys. The function never prompts: it
/// uses the authentication results of the first `LAContext` in the dictionaries, and returns
/// `errSecInteractionNotAllowed` if an addition requires another authentication.
///
/// - Parameter items: Dictionaries as for `SecItemAdd`, without return keys; there may be none.
/// - Returns: The status of the first failed addition, or `errSecSuccess`.
package func SecItemAddTogether(_ items: [CFDictionary]) -> OSStatus {
    // Adding no item succeeds even without a keychain.
    guard !items.isEmpty else { return errSecSuccess }
    do throws(StatusError) {
        var requests: [Request] = []
        var options = AuthenticationOptions()
        for item in items {
            let query = try QueryDictionary(item, as: .add)
            requests.append(try query.addRequest())
            if options.state == nil { options = query.authentication }
        }
        var authenticating = ItemAuthentication(options)
        try authenticating.forChanges(requests).perform(together: requests) { _ in true }
        return errSecSuccess
    } catch {
        return OSStatus(recording: error)
    }
}
