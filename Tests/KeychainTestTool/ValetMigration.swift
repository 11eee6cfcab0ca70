// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Valet

/// A migration of one valet into another, which ends wherever a test wants.
enum ValetMigration {
    private static func valet(_ name: String) -> Valet? {
        Identifier(nonEmpty: name).map { Valet.valet(with: $0, accessibility: .afterFirstUnlock) }
    }

    /// Does what the words say, and answers with a line.
    static func run(_ words: [String]) throws -> String {
        guard let source = valet("canary source"), let destination = valet("canary destination") else {
            return ""
        }
        switch words[0] {
        case "fill":
            for number in 0..<(Int(words[1]) ?? 0) {
                try source.setString("canary \(number)", forKey: "\(number)")
            }
            return "filled"
        case "migrate":
            let progress = DeadlyProgress(end: Int64(words[1]) ?? -1)
            try destination.migrateObjects(from: source, removeOnCompletion: true, progress: progress)
            return "migrated"
        case "count":
            return try "\(source.allKeys().count) \(destination.allKeys().count)"
        default: return "unknown"
        }
    }
}

/// A progress whose process ends at a number, and which tells when everything is written and nothing is durable.
private final class DeadlyProgress: Progress, @unchecked Sendable {
    private let end: Int64

    init(end: Int64) {
        self.end = end
        super.init(parent: nil, userInfo: nil)
    }

    override var completedUnitCount: Int64 {
        didSet {
            if completedUnitCount == end { kill(getpid(), SIGKILL) }
            if completedUnitCount == totalUnitCount { KeychainTestTool.say("written") }
        }
    }
}
