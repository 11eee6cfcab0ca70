// SPDX-License-Identifier: Apache-2.0

import CKeychainRecordingVFS
import Foundation
import KeychainModel
import KeychainTestSupport

struct CrashPoint: CustomStringConvertible {
    /// The number of recorded calls before the power loss.
    let callCount: Int
    /// What happens to the calls that were not yet durable.
    let fate: crv_fate
    let seed: UInt64

    var description: String { "after call \(callCount), fate \(fate.rawValue), seed \(seed)" }

    /// The number of crash points with a random outcome for each state of the disk.
    ///
    /// There are several, because one call of a commit writes many sectors, each of which may be lost.
    private static let mixes = Sampling.isThorough ? 24 : 3

    /// Returns the crash points for this state of the disk, one per simulated outcome.
    static func all(of disk: borrowing Disk) -> [CrashPoint] {
        let calls = disk.callCount
        guard disk.isUncertain else { return [CrashPoint(callCount: calls, fate: CRV_KEPT, seed: 0)] }
        return [CRV_DROPPED, CRV_KEPT].map { CrashPoint(callCount: calls, fate: $0, seed: 0) }
            + (0..<mixes).map {
                CrashPoint(callCount: calls, fate: CRV_MIXED, seed: UInt64(calls * mixes + $0))
            }
    }
}

struct CrashReport {
    var points = 0
    /// The number of crash points with a random outcome, in which writes can be torn.
    var torn = 0
    var findings: [(point: CrashPoint, finding: Finding)] = []
}

extension RecordedRun {
    /// Reconstructs the store after a power loss at each recorded call, and checks it.
    ///
    /// - Parameters:
    ///   - honouringSyncs: `false` for a disk that ignores syncs.
    ///   - withNotes: Whether the file with the number of the last commit survives.
    ///   - callCounts: The numbers of calls after which to check; by default all.
    /// - Returns: The findings, and the numbers of crash points.
    /// - Throws: The error that prevented a store from being reconstructed.
    func report(
        honouringSyncs: Bool = true,
        withNotes: Bool = true,
        after callCounts: Set<Int>? = nil
    ) throws -> CrashReport {
        let scratch = try ScratchDirectory()
        var report = CrashReport()
        try recorder.replay(honouringSyncs: honouringSyncs) { disk in
            guard callCounts?.contains(disk.callCount) != false else { return }
            for point in CrashPoint.all(of: disk) {
                report.points += 1
                report.torn += point.fate == CRV_MIXED ? 1 : 0
                let directory = try scratch.directory("point-\(report.points)")
                defer { try? FileManager.default.removeItem(atPath: directory) }
                try rebuild(disk, at: point, withNotes: withNotes, in: directory)
                let writing = report.points.isMultiple(of: 8)
                if let finding = check(directory, after: disk.acknowledged, writing: writing) {
                    report.findings.append((point, finding))
                }
            }
        }
        return report
    }

    private func rebuild(
        _ disk: borrowing Disk,
        at point: CrashPoint,
        withNotes: Bool,
        in directory: String
    ) throws {
        try disk.write(to: directory, fate: point.fate, seed: point.seed)
        var beside = companions[disk.acknowledged]
        if !withNotes { beside[StoreLocation.writerLockName] = nil }
        try beside.write(to: directory)
    }

    private func check(_ directory: String, after acknowledged: Int, writing: Bool) -> Finding? {
        StoreCheck(directory: directory).finding(
            allowed: Array(inventories[acknowledged...].prefix(2)),
            older: inventories[..<acknowledged],
            writing: writing
        )
    }
}
