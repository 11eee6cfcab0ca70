// SPDX-License-Identifier: Apache-2.0

import Glibc
package import KeychainModel
import KeychainStore

/// The authentication results and credentials that accompany a call.
package struct Authentication: Sendable {
    let credential: Credential
    /// A reference to the key for items with an access control, if the daemon keeps that key for this process.
    ///
    /// It is `nil` before authentication, and for an embedded store, where `credential` contains the key itself.
    let kept: KeptKey?

    private init(_ credential: Credential, kept: KeptKey? = nil) {
        self.credential = credential
        self.kept = kept
    }

    /// No authentication results and no credentials.
    package static var none: Self { Self(.none) }

    /// Whether the user has entered the correct passcode.
    package var isProved: Bool { credential.accessControlKey != nil || kept != nil }

    package var hasApplicationPassword: Bool { credential.applicationPassword != nil }

    /// Verifies a passcode, and returns a copy with the key for items with an access control.
    ///
    /// A wrong passcode counts towards the limit on guesses. With a daemon, the daemon keeps the key, and the copy
    /// refers to it by a number.
    ///
    /// - Throws: For example, `authenticationFailed` with `passcodeWrong`, `noPasscode`, or `tooManyGuesses` and the
    ///   seconds to wait; `invalidParameter` with `passcodeMalformed`.
    package func proving(_ passcode: borrowing SecretBytes) throws(StatusError) -> Self {
        let proof = try SystemKeychain.withKeychain { keychain throws(StatusError) in
            try keychain.prove(passcode)
        }
        var (key, kept): (AccessControlKey?, KeptKey?) = (nil, nil)
        switch proof {
        case .key(let proved): key = proved
        case .kept(let number): kept = number
        }
        return Self(
            Credential(
                accessControlKey: key,
                applicationPassword: credential.applicationPassword,
                finger: credential.finger
            ),
            kept: kept
        )
    }

    /// Returns a copy with a reference to the key for items with an access control, which the daemon keeps.
    package func with(kept: KeptKey) -> Self { Self(credential, kept: kept) }

    /// Returns a copy with the state of the fingerprint sensor.
    ///
    /// `isExamined` tells whether the sensor was queried for the enrolled fingers, and `enrolled` is the digest of
    /// their set, or `nil` if no finger is enrolled. `recognized` is the digest of the enrolled finger set in which a
    /// finger was recognized, or `nil` if no finger was recognized.
    package func with(isExamined: Bool, enrolled: Bytes32?, recognized: Bytes32?) -> Self {
        var credential = credential
        credential.finger = FingerEvidence(
            isExamined: isExamined,
            enrolled: enrolled,
            recognized: recognized
        )
        return Self(credential, kept: kept)
    }

    /// Returns a copy with another application password; `nil` removes the password.
    package func with(applicationPassword: consuming SecretBytes?) -> Self {
        let password: ApplicationPassword? =
            if let applicationPassword { ApplicationPassword(applicationPassword) } else { nil }
        return Self(
            Credential(
                accessControlKey: credential.accessControlKey,
                applicationPassword: password,
                finger: credential.finger
            ),
            kept: kept
        )
    }
}

/// The closure that a new thread runs.
private final class ThreadStart: Sendable {
    private let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }

    /// The C entry point, which takes ownership of the object.
    static let run: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { argument in
        if let argument = unsafe argument {
            unsafe Unmanaged<ThreadStart>.fromOpaque(argument).takeRetainedValue().body()
        }
        return nil
    }
}

extension SystemKeychain {
    /// Runs a closure on a new thread, because prompting the user blocks.
    ///
    /// The closure uses this task's keychain, ``override``, if there is one.
    package static func detach(_ body: @escaping @Sendable () -> Void) {
        let connection = override
        let start = ThreadStart { with(connection, body) }
        var thread = pthread_t()
        let argument = unsafe Unmanaged.passRetained(start).toOpaque()
        let code = unsafe pthread_create(&thread, nil, ThreadStart.run, argument)
        guard code == 0 else {
            // Trap, as Swift's runtime does if it cannot create a thread.
            preconditionFailure("pthread_create failed with error \(code)")
        }
        pthread_detach(thread)
    }

    package static func digest(ofFingers fingers: [String], of user: UInt32, at sensor: String) -> Bytes32 {
        Bytes32(fingers: fingers, of: user, at: sensor)
    }

    /// Returns whether a passcode is set; `false` if there is no store.
    package static func passcodeIsSet() throws(StatusError) -> Bool {
        do throws(StatusError) {
            guard case .status(let status) = try perform(.status) else { return false }
            return status.passcodeIsSet
        } catch {
            guard error.reason == .storeMissing else { throw error }
            return false
        }
    }
}
