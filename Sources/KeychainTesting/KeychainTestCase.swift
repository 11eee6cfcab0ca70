// SPDX-License-Identifier: Apache-2.0

public import XCTest

/// An XCTest case whose tests each have an empty keychain, by default in memory and without a passcode.
///
/// The keychain applies to all forms of `setUp` and `tearDown`, to the test, and to all threads and tasks that the test
/// starts: the whole process uses it, and XCTest runs one test at a time in a process.
open class KeychainTestCase: XCTestCase {
    /// The options of each test's keychain; override this property to change them.
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
