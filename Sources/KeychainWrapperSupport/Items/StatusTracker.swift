// SPDX-License-Identifier: Apache-2.0

package import KeychainServices
import Synchronization

/// The failure of the last call of a wrapper, on any thread, for those who ask afterwards.
package final class StatusTracker<Failure: KeychainStatusError>: Sendable {
    private let last = Mutex<Failure?>(nil)

    package init() {}

    /// Why the last call failed; `nil` if it succeeded.
    package var error: Failure? { last.withLock { $0 } }

    package var status: OSStatus { error?.status ?? errSecSuccess }

    package func note(_ error: Failure?) { last.withLock { $0 = error } }

    /// Keeps what a call fails with.
    package func tracking<Result>(_ call: () throws(Failure) -> Result) throws(Failure) -> Result {
        do throws(Failure) {
            let result = try call()
            note(nil)
            return result
        } catch {
            note(error)
            throw error
        }
    }

    /// Keeps what a call fails with, and says whether it succeeded.
    package func reports(_ call: () throws(Failure) -> Void) -> Bool { (try? tracking(call)) != nil }
}
