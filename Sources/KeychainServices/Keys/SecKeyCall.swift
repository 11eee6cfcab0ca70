// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import KeychainObjects

/// A status as an error, on its way to whoever asked.
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

    /// The error behind a pointer, retained for the caller.
    var object: Unmanaged<NSError> {
        unsafe Unmanaged.passRetained(NSError(status: status))
    }
}

/// The one place where what a function for keys throws goes behind the caller's pointer.
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
    /// The row of the table, for a call that cannot do without.
    func knownRow() throws(AsymmetricKeyError) -> KeyAlgorithm {
        guard let row else { throw .wrongAlgorithm }
        return row
    }
}

extension NSData {
    /// A copy of the bytes.
    ///
    /// `as Data` takes them one by one on Linux: of 50 bytes that costs a tenth of a signature.
    var bytesCopied: Data { unsafe Data(bytes: bytes, count: length) }
}
