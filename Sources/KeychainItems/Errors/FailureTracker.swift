// SPDX-License-Identifier: Apache-2.0

import KeychainModel
import Synchronization

#if !canImport(Darwin)
import KeychainClient
#endif

/// The error type of a wrapper library such as Lockbox, created from a vault's error.
package protocol WrapperError: Error {
    var status: Int32 { get }
    init(_ error: VaultError)
}

extension WrapperError {
    /// Runs a closure that calls a vault; converts its error to the wrapper's error type.
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
package final class FailureTracker<Failure: WrapperError>: Sendable {
    private let last = Mutex<Failure?>(nil)

    package init() {}

    /// The error of the last call; `nil` if the call succeeded.
    package var error: Failure? { last.withLock { $0 } }

    /// The status of the last call; 0 if the call succeeded.
    package var status: Int32 { error?.status ?? 0 }

    package func note(_ error: Failure?) { last.withLock { $0 = error } }

    /// Runs a call and records its error, or `nil` on success.
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

    /// Runs a call and records its error, or `nil` on success; returns whether the call succeeded.
    package func reports(_ call: () throws(Failure) -> Void) -> Bool { (try? tracking(call)) != nil }
}

extension VaultError {
    /// Creates an error from a status that a `SecItem` function has just returned on this thread.
    package init(status: Int32, _ operation: Operation) {
        #if !canImport(Darwin)
        if let failure = FailureLog.last, failure.status.rawValue == status {
            self.init(failure, operation)
            return
        }
        #endif
        self.init(StatusError(Status(rawValue: status)), operation)
    }
}
