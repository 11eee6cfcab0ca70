// SPDX-License-Identifier: Apache-2.0

package import KeychainServices
import Synchronization

/// The status of the last call of a wrapper, on any thread, for those who ask afterwards.
package final class StatusTracker<Failure: KeychainStatusError>: Sendable {
    private let last = Mutex(errSecSuccess)

    package init() {}

    package var status: OSStatus { last.withLock { $0 } }

    package func note(_ status: OSStatus) { last.withLock { $0 = status } }

    /// Keeps the status of a call.
    package func tracking<Result>(_ call: () throws(Failure) -> Result) throws(Failure) -> Result {
        do throws(Failure) {
            let result = try call()
            note(errSecSuccess)
            return result
        } catch {
            note(error.status)
            throw error
        }
    }

    /// Keeps the status of a call, and says whether it succeeded.
    package func reports(_ call: () throws(Failure) -> Void) -> Bool { (try? tracking(call)) != nil }
}
