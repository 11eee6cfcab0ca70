// SPDX-License-Identifier: Apache-2.0

/// How strongly the identity of a calling program is established; a higher level is stronger.
package enum CallerLevel: UInt8, CaseIterable, Comparable, Sendable {
    /// The program states its identity itself, and nothing verifies it.
    case embedded = 0
    /// A signature covers the digest of the program's executable.
    case digest = 1
    /// The program runs in a sandbox that other confined programs cannot enter.
    case sandbox = 2
    /// The kernel reports the system group of a team as the program's effective group.
    case group = 3

    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

    /// The level's name in files and messages.
    package var name: String {
        switch self {
        case .embedded: "embedded"
        case .digest: "digest"
        case .sandbox: "sandbox"
        case .group: "group"
        }
    }

    package init?(name: some StringProtocol) {
        guard let level = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = level
    }
}
