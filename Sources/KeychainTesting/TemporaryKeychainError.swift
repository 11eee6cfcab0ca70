// SPDX-License-Identifier: Apache-2.0

public import Foundation
import KeychainModel
public import KeychainServices

/// Why a temporary keychain is missing or an operation on it failed.
public struct TemporaryKeychainError: LocalizedError, Hashable, Sendable, CustomStringConvertible {
    /// The status that a `SecItem` function would return.
    public let status: OSStatus
    /// What went wrong and what to do about it.
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

    /// No temporary keychain is in effect for this thread or task.
    public static let noTemporaryKeychain = Self(
        status: errSecNotAvailable,
        description: """
            no temporary keychain is in effect here: give the test or its suite the trait .temporaryKeychain, derive \
            its class from KeychainTestCase, or call withTemporaryKeychain; a thread or a detached task that a test \
            starts is outside of it, unless it asks for wholeProcess
            """
    )

    /// Another test's keychain applies to the whole process, and a synchronous call cannot wait for its end.
    static let processTaken = Self(
        status: errSecNotAvailable,
        description: """
            another temporary keychain is in effect for the whole process; withTemporaryKeychain waits for it only in its \
            asynchronous form
            """
    )

    /// Returns the error of a test that ended without using all planned faults.
    static func unmetFaults(_ count: Int) -> Self {
        Self(
            status: errSecParam,
            description: """
                no call has met \(count == 1 ? "a failure" : "\(count) failures") that failNext planned: make the call, or \
                take it back with removeFaults()
                """
        )
    }

    /// Returns the error for a store whose directory could not be created.
    static func noDirectory(in parent: String) -> Self {
        Self(status: errSecIO, description: "no private directory can be made in \(parent)")
    }
}
