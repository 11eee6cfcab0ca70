// SPDX-License-Identifier: Apache-2.0

public import XCTest

/// A class of XCTest whose every test has a keychain of its own: in memory, empty, without a passcode.
///
/// `setUp`, the test and `tearDown` are on it, in all their forms, and so are the threads and tasks that they start: it is
/// that of the whole process, in which XCTest runs one test at a time.
open class KeychainTestCase: XCTestCase {
    /// How the keychains are made; override it to have other ones.
    open var keychainOptions: TemporaryKeychain.Options { TemporaryKeychain.Options() }

    /// Runs the test with all that belongs to it on a keychain of its own.
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
