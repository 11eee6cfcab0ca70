// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTestSupport
import Testing

/// Attacks on the daemon that serves the victim: `.denied` if the victim still gets its items, else `.granted`.
enum AvailabilityAttacks {
    private static let more = "confirmed"

    private static func isServed(_ victim: ChildProcess) throws -> Bool {
        try victim.ask("copy \(AttackScene.account)") == AttackScene.found
    }

    static func sendGarbage(_ scene: AttackScene, _ victim: ChildProcess) throws -> AttackOutcome {
        let count = Sampling.isThorough ? 10_000 : 500
        let attacker = try scene.run(
            "/usr/bin/python3",
            ["-c", AttackScripts.sendsGarbage, scene.socket, "\(count)"]
        )
        defer { attacker.end() }
        let isServedMeanwhile = try isServed(victim)
        try #require(try attacker.readLine() == "done")
        return try isServedMeanwhile && isServed(victim) ? .denied : .granted
    }

    static func sendSlowly(_ scene: AttackScene, _ victim: ChildProcess) throws -> AttackOutcome {
        let attacker = try scene.run("/usr/bin/python3", ["-c", AttackScripts.sendsSlowly, scene.socket])
        defer { attacker.end() }
        let isServedMeanwhile = try isServed(victim)
        let isDisconnected = try attacker.readLine() == "disconnected"
        return try isServedMeanwhile && isDisconnected && isServed(victim) ? .denied : .granted
    }

    static func killClients(_ scene: AttackScene, _ victim: ChildProcess) throws -> AttackOutcome {
        let program = try scene.copyTool("killed", change: true)
        for number in 0..<3 {
            let client = try scene.run(program)
            try client.send("fill canary-\(number) 1000")
            _ = try client.readLine()
            client.end()
            guard try isServed(victim) else { return .granted }
        }
        return .denied
    }

    /// Kills the daemon while a program adds items, and starts it again.
    static func killDaemon(_ scene: AttackScene, _ victim: ChildProcess) throws -> AttackOutcome {
        let load = try scene.run(scene.copyTool("load", change: true))
        defer { load.end() }
        try load.send("fill canary-load 100000")
        _ = try load.readLine()
        for number in 0..<3 {
            try #require(try victim.ask("add \(more)-\(number) canary-\(number)") == "0")
            try scene.restartDaemon()
            for earlier in 0...number {
                guard try victim.ask("copy \(more)-\(earlier)") == "0 canary-\(earlier)" else {
                    return .granted
                }
            }
        }
        return try isServed(victim) ? .denied : .granted
    }

    /// Fills the disk of another daemon, on which items must still be read and deleted.
    static func fillDisk(at level: AttackLevel) throws -> AttackOutcome {
        if level == .userService {
            try AvailabilityTests.checkFullDisk()
        } else {
            try FullDiskTests.checkFullDisk(ending: SIGKILL)
        }
        return .denied
    }
}
