// SPDX-License-Identifier: Apache-2.0

public import Foundation
import KeychainModel
public import KeychainServices

/// Why a temporary keychain is missing or an operation on it failed.
public struct TemporaryKeychainError: LocalizedError, Hashable, Sendable, CustomStringConvertible {
    /// The status that a `SecItem` function would return.
    public let status: OSStatus
    /// A sentence that explains the error and, if possible, how to avoid it.
    public let description: String

    /// The same as ``description``; `localizedDescription` returns it.
    public var errorDescription: String? { description }

    init(_ error: StatusError) {
        status = error.status.rawValue
        description = error.explanation.sentence
    }

    private init(status: OSStatus, description: String) {
        self.status = status
        self.description = description
    }

    /// This thread or task has no temporary keychain.
    public static let noTemporaryKeychain = Self(
        status: errSecNotAvailable,
        description: """
            this thread or task has no temporary keychain: give the test or its suite the trait .temporaryKeychain, \
            derive its class from KeychainTestCase, or call withTemporaryKeychain; threads and detached tasks that a \
            test starts do not belong to the test, unless it asks for wholeProcess
            """
    )

    /// Another test's keychain applies to the whole process, and a synchronous call cannot wait for its end.
    static let processTaken = Self(
        status: errSecNotAvailable,
        description: """
            the whole process has the temporary keychain of another test; only the asynchronous form of \
            withTemporaryKeychain waits for the end of that test
            """
    )

    static func unusedFaults(_ count: Int) -> Self {
        Self(
            status: errSecParam,
            description: """
                no call used \(count == 1 ? "a failure" : "\(count) failures") that the test planned with failNext: make \
                the call, or cancel the planned failures with removeFaults()
                """
        )
    }

    static func noDirectory(in parent: String) -> Self {
        Self(status: errSecIO, description: "cannot create a private directory in \(parent)")
    }
}
