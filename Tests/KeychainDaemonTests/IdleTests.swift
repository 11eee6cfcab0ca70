// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainTestSupport
import Testing

@Suite struct IdleTests {
    /// Returns the number of context switches of the daemon's threads; `nil` while a thread runs.
    private static func contextSwitches(of daemon: DaemonProcess) throws -> Int? {
        let threads = "/proc/\(daemon.child.process)/task"
        var sum = 0
        for thread in try FileManager.default.contentsOfDirectory(atPath: threads) {
            let status = try String(contentsOfFile: "\(threads)/\(thread)/status", encoding: .utf8)
            for line in status.split(separator: "\n") {
                if line.hasPrefix("State:"), !line.contains("S (sleeping)") { return nil }
                guard line.contains("ctxt_switches:"), let number = line.split(separator: "\t").last else {
                    continue
                }
                sum += Int(number) ?? 0
            }
        }
        return sum
    }

    @Test func `an idle client uses no processor time of the daemon`() throws {
        try DaemonProcess.with { daemon in
            let client = daemon.client()
            try NumberedItems.add(1, to: client)
            for _ in 0..<100 { #expect(try NumberedItems.isStored(1, in: client)) }
            // Polling for the next call ends after a short time; then no thread gets a processor.
            var isIdle = false
            for _ in 0..<600 where !isIdle {
                let before = try Self.contextSwitches(of: daemon)
                usleep(100_000)
                isIdle = try before != nil && before == Self.contextSwitches(of: daemon)
            }
            #expect(isIdle)
            #expect(try NumberedItems.isStored(1, in: client))
        }
    }
}
