// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import KeychainServices
import KeychainTesting
import XCTest

/// A typical XCTest class: each test sees only the items that its `setUp` added.
final class KeychainTestCaseTests: KeychainTestCase {
    private static let parent = FileManager.default.temporaryDirectory.appending(
        component: "xctest-\(UUID())"
    )

    override var keychainOptions: TemporaryKeychain.Options {
        .init(accessGroups: ["TEAM.app"], location: .disk(in: Self.parent), passcode: "1234")
    }

    override class func setUp() {
        try? FileManager.default.createDirectory(at: parent, withIntermediateDirectories: false)
    }

    override class func tearDown() {
        // The keychains have been removed, so their parent directory is empty.
        XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: parent.path), [])
        try? FileManager.default.removeItem(at: parent)
    }

    override func setUp() async throws {
        XCTAssertEqual(Items.add("async"), errSecSuccess)
    }

    override func setUpWithError() throws {
        XCTAssertEqual(try TemporaryKeychain.current.itemCount, 1)
        XCTAssertEqual(Items.add("sync"), errSecSuccess)
    }

    override func tearDown() async throws {
        XCTAssertEqual(Items.status(of: "last"), errSecSuccess)
        XCTAssertEqual(try TemporaryKeychain.current.itemCount, 3)
    }

    private func check() throws {
        XCTAssertEqual(try TemporaryKeychain.current.itemCount, 2)
        XCTAssertEqual(Items.add("last", [kSecAttrAccessGroup: "TEAM.app"]), errSecSuccess)
    }

    func testSynchronousTestUsesItsStore() throws { try check() }

    func testAsynchronousTestUsesItsStore() async throws {
        try check()
        let status = await Task { Items.status(of: "last") }.value
        XCTAssertEqual(status, errSecSuccess)
    }

    func testThreadsUseTheStore() throws {
        try check()
        let done = expectation(description: "the thread has called")
        DispatchQueue.global().async {
            XCTAssertEqual(Items.status(of: "last"), errSecSuccess)
            done.fulfill()
        }
        wait(for: [done], timeout: 60)
    }

    func testLockAppliesToTheStore() throws {
        try check()
        try TemporaryKeychain.current.lock()
        XCTAssertEqual(Items.status(of: "last"), errSecInteractionNotAllowed)
        try TemporaryKeychain.current.unlock()
    }
}

/// Calls outside of a temporary keychain.
///
/// These tests change environment variables, so they are in a target in which no other test runs at the same
/// time.
final class OutsideTests: XCTestCase {
    func testErrorWithoutKeychainHasRemedy() throws {
        for wholeProcess in [false, true] {
            try withTemporaryKeychain(.init(wholeProcess: wholeProcess)) { _ in }
            XCTAssertThrowsError(try TemporaryKeychain.current) { error in
                XCTAssertEqual(error as? TemporaryKeychainError, .noTemporaryKeychain)
                XCTAssertTrue("\(error)".contains(".temporaryKeychain"))
            }
        }
    }

    func testCallsWithoutKeychainDoNotReachTheUsersKeychain() throws {
        let home = FileManager.default.temporaryDirectory.appending(component: "home-\(UUID())")
        try FileManager.default.createDirectory(at: home, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: home) }
        var variables: [String: String?] = ["HOME": home.path, "XDG_DATA_HOME": nil, "KEYCHAIN_HOME": nil]
        try withTemporaryKeychain { _ in
            let thread = expectation(description: "the thread has called")
            withEnvironment(variables) {
                DispatchQueue.global().async {
                    XCTAssertEqual(Items.add("alice"), errSecNotAvailable)
                    thread.fulfill()
                }
                wait(for: [thread], timeout: 60)
            }
        }
        try withTemporaryKeychain(.init(wholeProcess: true)) { _ in }
        withEnvironment(variables) {
            XCTAssertEqual(Items.add("alice"), errSecNotAvailable)
            XCTAssertEqual(Items.delete("alice"), errSecNotAvailable)
        }
        XCTAssertEqual(try FileManager.default.subpathsOfDirectory(atPath: home.path), [])
        // With KEYCHAIN_HOME set, calls outside of a temporary keychain use the store in that directory.
        variables["KEYCHAIN_HOME"] = home.path + "/chosen"
        withEnvironment(variables) { XCTAssertEqual(Items.add("alice"), errSecSuccess) }
        XCTAssertTrue(FileManager.default.fileExists(atPath: home.path + "/chosen/keychain.db"))
    }

    private func withEnvironment(_ variables: [String: String?], _ body: () -> Void) {
        let before = ProcessInfo.processInfo.environment
        for (name, value) in variables { Self.set(name, value) }
        body()
        for name in variables.keys { Self.set(name, before[name]) }
    }

    private static func set(_ name: String, _ value: String?) {
        if let value { setenv(name, value, 1) } else { unsetenv(name) }
    }
}
