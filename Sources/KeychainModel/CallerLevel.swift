// SPDX-License-Identifier: Apache-2.0

/// How strongly the identity of a calling program is established; a higher level is stronger.
///
/// Access controls of items contain the raw values, which never change.
package enum CallerLevel: UInt8, CaseIterable, Comparable, Sendable {
    /// The program opens the store itself, and states its identity; nothing verifies it.
    case embedded = 0
    /// The program states its identity to the daemon of its user; nothing verifies it.
    case userService = 1
    /// The daemon knows the digest of the program's executable, which may also be signed.
    case digest = 2
    /// As `digest`, and the program is signed and runs in a sandbox that its team accepts: AppArmor, Snap or Flatpak.
    case sandbox = 3
    /// The program is signed by a team of developers, and the kernel reports the team's system group as the effective
    /// group of its process.
    case group = 4

    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

    /// The level's name in files and messages.
    package var name: String {
        switch self {
        case .embedded: "embedded"
        case .userService: "user-service"
        case .digest: "digest"
        case .sandbox: "sandbox"
        case .group: "group"
        }
    }

    /// What identifies the program at this level, or what other programs of the user can do.
    package var meaning: String {
        switch self {
        case .embedded: "other programs of this user can read the store and claim any access group"
        case .userService: "other programs of this user can read the store's files and claim any access group"
        case .digest: "the executable's digest identifies the program"
        case .sandbox: "the executable's digest identifies the program, and the kernel confines it"
        case .group: "the kernel reports the group of the program's team"
        }
    }

    package init?(name: some StringProtocol) {
        guard let level = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = level
    }
}
