// SPDX-License-Identifier: Apache-2.0

package import KeychainItems
package import KeychainServices
import Synchronization

/// An error of a wrapper, created from a keychain status.
package protocol KeychainStatusError: Error {
    var status: OSStatus { get }
    init(status: OSStatus)
}

extension KeychainStatusError {
    package init(_ error: VaultError) { self.init(status: error.status) }

    /// Runs calls of the typed API, converting their errors to the wrapper's.
    package static func catching<Result>(
        _ body: () throws(VaultError) -> Result
    ) throws(Self) -> Result {
        do throws(VaultError) {
            return try body()
        } catch {
            throw Self(error)
        }
    }
}

/// Records the failure of a wrapper's last call, on any thread.
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
