// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import KeychainObjects

/// An error with the status that a `SecKey`, import or export function returns for it.
struct KeyCallError: Error {
    let status: OSStatus

    init(_ status: OSStatus) { self.status = status }

    init(_ error: StatusError) { status = OSStatus(recording: error) }

    init(_ error: any Error) {
        switch error {
        case let own as KeyCallError: self = own
        case let error as AsymmetricKeyError: self.init(StatusError(error.status))
        case let error as StatusError: self.init(error)
        default: self.init(errSecInternal)
        }
    }

    /// The error object to return through a pointer, retained for the caller.
    var object: Unmanaged<NSError> {
        unsafe Unmanaged.passRetained(NSError(status: status))
    }
}

/// Runs a key function and returns its error through the caller's pointer.
func reporting<Result>(
    to error: UnsafeMutablePointer<Unmanaged<CFError>?>?,
    _ body: () throws -> Result
) -> Result? {
    do { return try body() } catch let failure {
        unsafe error?.pointee = KeyCallError(failure).object
        return nil
    }
}

extension SecKeyAlgorithm {
    func knownRow() throws(AsymmetricKeyError) -> KeyAlgorithm {
        guard let row else { throw .wrongAlgorithm }
        return row
    }
}

extension NSData {
    /// A copy of the bytes as `Data`.
    ///
    /// On Linux, a cast with `as Data` copies byte by byte; casting 50 bytes takes a tenth as long as signing
    /// them.
    var bytesCopied: Data { unsafe Data(bytes: bytes, count: length) }
}
