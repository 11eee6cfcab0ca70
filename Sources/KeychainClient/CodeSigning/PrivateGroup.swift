// SPDX-License-Identifier: Apache-2.0

import KeychainModel

/// The access groups of programs without a trusted signature; no signature can grant one.
package enum PrivateGroup {
    static let unsignedPrefix = "unsigned."
    private static let registeredPrefix = "program:"

    /// Returns the access group of a program that the administrator has registered.
    package static func ofRegisteredProgram(_ path: String) -> String { registeredPrefix + path }

    /// Returns whether a string names the access group of a program without a trusted signature.
    package static func contains(_ group: String) -> Bool {
        if group.hasPrefix(unsignedPrefix) {
            return TeamIdentifier(group.dropFirst(unsignedPrefix.count)) != nil
        }
        return group.hasPrefix(registeredPrefix)
            && RegisteredPrograms.isPath(group.dropFirst(registeredPrefix.count))
    }

    /// Returns whether the items of an unsigned program may be moved into a group.
    ///
    /// The group must be that of a program without a trusted signature, or one of a team.
    package static func canBeAdopted(by group: String) -> Bool {
        if contains(group) { return true }
        guard let team = TeamIdentifier(group.prefix { $0 != "." }) else { return false }
        return group.utf8.starts(with: team.prefix.utf8) && group.utf8.count > team.prefix.utf8.count
            && group.utf8.count <= SignedEntitlements.maximumByteCount && SignedEntitlements.isPlain(group)
    }
}
