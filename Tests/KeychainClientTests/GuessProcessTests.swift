// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTestSupport
import Testing

/// Wrong passcode guesses of several processes, which are counted together.
@Suite struct GuessProcessTests {
    @Test func `wrong guesses of several processes are counted together, and each gets the delay`() throws {
        let store = try LockedStore(keysIn: LockedStore.cacheLocations[0])
        var children = try (0..<4).map { _ in try store.start() }
        defer { for child in children { child.end() } }
        #expect(try children[0].ask("lock") == "0")
        for child in children { #expect(try child.ask("unlock canary-wrong") == "-25293") }
        // Starting a process again does not reset the count of wrong guesses.
        children[0].end()
        children[0] = try store.start()
        for child in children {
            for passcode in ["canary-wrong", LockedStore.passcode] {
                let answer = try child.ask("unlock \(passcode)")
                #expect(answer.wholeMatch(of: /-25293 retry after [1-5] s/) != nil, "\(answer)")
            }
        }
        #expect(try children[1].ask("state").hasSuffix(", locked"))
    }

    @Test func `the correct passcode is accepted in many processes at the same time`() throws {
        let store = try LockedStore(keysIn: LockedStore.cacheLocations[0])
        let children = try (0..<8).map { _ in try store.start() }
        defer { for child in children { child.end() } }
        #expect(try children[0].ask("lock") == "0")
        for child in children { try child.send("unlock \(LockedStore.passcode)") }
        for child in children { #expect(try child.readLine() == "0") }
        for child in children { #expect(try child.ask("state").hasSuffix(", unlocked")) }
    }
}
