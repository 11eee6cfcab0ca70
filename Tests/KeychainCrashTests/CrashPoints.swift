// SPDX-License-Identifier: Apache-2.0

import CKeychainRecordingVFS
import Foundation
import KeychainModel

/// A moment at which the power failed, and what then became of the calls that were not certain.
struct CrashPoint: CustomStringConvertible {
    let place: Int
    let fate: crv_fate
    let seed: UInt64

    var description: String { "after call \(place), fate \(fate.rawValue), seed \(seed)" }

    /// The ways in which a disk may come out of the crash.
    static func all(of disk: borrowing Disk) -> [CrashPoint] {
        let place = disk.place
        let fates = disk.isUncertain ? [CRV_DROPPED, CRV_KEPT, CRV_MIXED] : [CRV_KEPT]
        return fates.map { CrashPoint(place: place, fate: $0, seed: UInt64(place)) }
    }
}

/// What the checks of many points came to.
struct CrashReport {
    var points = 0
    var torn = 0
    var findings: [(point: CrashPoint, finding: Finding)] = []
}

extension RecordedRun {
    /// Rebuilds and checks the store at every point of the record.
    ///
    /// - Parameters:
    ///   - honouringSyncs: false for a disk that lies about its syncs.
    ///   - withNotes: puts the writer's note of the last acknowledged generation beside the database.
    ///   - places: the places that are checked; by default all.
    /// - Returns: what was found, in the order of the places.
    /// - Throws: the error that kept a store from being rebuilt.
    func report(
        honouringSyncs: Bool = true,
        withNotes: Bool = true,
        at places: Set<Int>? = nil
    ) throws -> CrashReport {
        let scratch = try ScratchDirectory()
        var report = CrashReport()
        try recorder.replay(honouringSyncs: honouringSyncs) { disk in
            guard places?.contains(disk.place) != false else { return }
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
