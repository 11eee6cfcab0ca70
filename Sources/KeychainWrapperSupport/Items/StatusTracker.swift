// SPDX-License-Identifier: Apache-2.0

package import KeychainServices
import Synchronization

/// Keeps the failure of a wrapper's last call, on any thread.
package final class StatusTracker<Failure: KeychainStatusError>: Sendable {
    private let last = Mutex<Failure?>(nil)

    package init() {}

    /// Why the last call failed; `nil` if it succeeded.
    package var error: Failure? { last.withLock { $0 } }

    package var status: OSStatus { error?.status ?? errSecSuccess }

    package func note(_ error: Failure?) { last.withLock { $0 = error } }

    /// Records the failure of a call, if any.
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

    /// Records the failure of a call, if any; returns whether it succeeded.
    package func reports(_ call: () throws(Failure) -> Void) -> Bool { (try? tracking(call)) != nil }
}
