// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainServices
import Valet

/// A migration between two valets, during which the process ends at a given point.
enum ValetMigration {
    private static let places = ["canary source", "canary destination"]

    private static func valet(_ name: String) throws -> Valet {
        guard let identifier = Identifier(nonEmpty: name) else { throw CocoaError(.featureUnsupported) }
        return .valet(with: identifier, accessibility: .afterFirstUnlock)
    }

    static func run(_ words: [String]) throws -> String {
        let number = Int(words[1]) ?? -1
        switch words[0] {
        case "fill": return fill(number) == errSecSuccess ? "filled" : "failed"
        case "migrate":
            try migrate(DeadlyProgress(end: number))
            return "migrated"
        case "observe":
            let progress = CallingProgress()
            try migrate(progress)
            return "observed \(progress.counts.last ?? 0)"
        case "where": return place(of: number)
        case "diagnose":
            let valet = try valet(places[0])
            return "\(valet.diagnose().verdict) \(valet.canAccessKeychain())"
        default: return "unknown"
        }
    }

    private static func migrate(_ progress: Progress) throws {
        let (source, destination) = (try valet(places[0]), try valet(places[1]))
        try destination.migrateObjects(from: source, removeOnCompletion: true, progress: progress)
    }

    private static func items(of name: String) -> [CFString: Any] {
        [
            kSecClass: kSecClassGenericPassword, kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlock,
            kSecAttrService:
                "VAL_VALValet_initWithIdentifier:accessibility:_\(name)_AccessibleAfterFirstUnlock",
        ]
    }

    private static func fill(_ count: Int) -> OSStatus {
        SecItemAddTogether(
            (0..<count).map { number in
                let item: [CFString: Any] = [
                    kSecAttrAccount: "\(number)", kSecValueData: Data("canary \(number)".utf8),
                ]
                return items(of: places[0]).merging(item) { $1 } as CFDictionary
            }
        )
    }

    /// Returns which of the two valets has all values while the other has none; "neither" in all other cases.
    private static func place(of count: Int) -> String {
        switch places.map({ content(of: $0) }) {
        case [expected(count), [:]]: "source"
        case [[:], expected(count)]: "destination"
        default: "neither"
        }
    }

    private static func expected(_ count: Int) -> [String: Data] {
        Dictionary(uniqueKeysWithValues: (0..<count).map { ("\($0)", Data("canary \($0)".utf8)) })
    }

    private static func content(of name: String) -> [String: Data]? {
        let wanted: [CFString: Any] = [
            kSecMatchLimit: kSecMatchLimitAll, kSecReturnAttributes: true, kSecReturnData: true,
        ]
        var result: CFTypeRef?
        let status = SecItemCopyMatching(items(of: name).merging(wanted) { $1 } as CFDictionary, &result)
        if status == errSecItemNotFound { return [:] }
        var content: [String: Data] = [:]
        for item in result as? [NSDictionary] ?? [] {
            guard let account = item[kSecAttrAccount as String] as? String else { return nil }
            content[account] = item[kSecValueData as String] as? Data
        }
        return content
    }
}

/// A `Progress` that kills the process after a number of the migration's changes, and prints "written" after all.
///
/// The migration reads `isCancelled` after each change.
private final class DeadlyProgress: Progress, @unchecked Sendable {
    private let end: Int
    /// Used only by the thread that makes the changes.
    private var changes = 0

    init(end: Int) {
        self.end = end
        super.init(parent: nil, userInfo: nil)
    }

    override var isCancelled: Bool {
        get {
            changes += 1
            if changes == end { kill(getpid(), SIGKILL) }
            if changes == totalUnitCount { KeychainTestTool.say("written") }
            return false
        }
        set {}
    }
}

/// A `Progress` that calls the keychain each time it is updated.
private final class CallingProgress: Progress, @unchecked Sendable {
    private(set) var counts: [Int] = []

    init() { super.init(parent: nil, userInfo: nil) }

    override var completedUnitCount: Int64 { didSet { counts.append(Item.count()) } }
}
