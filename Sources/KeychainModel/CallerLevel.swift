// SPDX-License-Identifier: Apache-2.0

/// How strongly a caller is identified.
package enum CallerLevel: UInt8, CaseIterable, Comparable, Sendable {
    /// By what it states about itself; not verified.
    case embedded = 0
    /// By the signature of its executable's digest.
    case digest = 1
    /// By a sandbox that other confined programs cannot enter.
    case sandbox = 2
    /// By its effective group, as reported by the kernel.
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
