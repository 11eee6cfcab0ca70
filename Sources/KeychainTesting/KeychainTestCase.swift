// SPDX-License-Identifier: Apache-2.0

public import XCTest

/// An XCTest case whose tests each have an empty keychain in memory, without a passcode.
///
/// The keychain applies to all forms of `setUp` and `tearDown`, to the test, and to all threads and tasks
/// that it starts: it is in effect for the whole process, in which XCTest runs one test at a time.
open class KeychainTestCase: XCTestCase {
    /// The options of the keychains; override it to change them.
    open var keychainOptions: TemporaryKeychain.Options { TemporaryKeychain.Options() }

    /// Runs the test, including `setUp` and `tearDown`, with a keychain of its own.
    open override func invokeTest() {
        var options = keychainOptions
        options.wholeProcess = true
        do {
            try withTemporaryKeychain(options) { _ in super.invokeTest() }
        } catch {
            XCTFail("\(error)")
        }
    }
}
