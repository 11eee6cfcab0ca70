// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainTestSupport
import Testing

/// What connected clients cost that make no calls.
@Suite struct IdleTests {
    /// The number of times that the kernel gave the daemon's threads a processor; `nil` while a thread runs.
    private static func turns(of daemon: DaemonProcess) throws -> Int? {
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

    @Test func `a client that has made calls and makes no more costs the daemon nothing`() throws {
        try DaemonProcess.with { daemon in
            let client = daemon.client()
            try NumberedItems.add(1, to: client)
            for _ in 0..<100 { #expect(try NumberedItems.isStored(1, in: client)) }
            // Polling for the next call ends after a short time; then no thread gets a processor.
            var isIdle = false
            for _ in 0..<600 where !isIdle {
                let before = try Self.turns(of: daemon)
                usleep(100_000)
                isIdle = try before != nil && before == Self.turns(of: daemon)
            }
            #expect(isIdle)
            #expect(try NumberedItems.isStored(1, in: client))
        }
    }
}
