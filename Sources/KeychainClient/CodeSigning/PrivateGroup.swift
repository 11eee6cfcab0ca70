// SPDX-License-Identifier: Apache-2.0

import KeychainModel

/// The access groups of programs without a trusted signature; no signature can grant one.
package enum PrivateGroup {
    static let unsignedPrefix = "unsigned."
    private static let registeredPrefix = "program:"

    /// Returns the access group of a program that the administrator has registered.
    package static func ofRegisteredProgram(_ path: String) -> String { registeredPrefix + path }

    /// Returns whether a string is the name of a private group.
    package static func contains(_ group: String) -> Bool {
        if group.hasPrefix(unsignedPrefix) {
            return TeamIdentifier(group.dropFirst(unsignedPrefix.count)) != nil
        }
        return group.hasPrefix(registeredPrefix)
            && RegisteredPrograms.isPath(group.dropFirst(registeredPrefix.count))
    }

    /// Returns whether items of a private group may be moved into a group: another private one, or a team's.
    package static func canBeAdopted(by group: String) -> Bool {
        if contains(group) { return true }
        guard let team = TeamIdentifier(group.prefix { $0 != "." }) else { return false }
        return group.utf8.starts(with: team.prefix.utf8) && group.utf8.count > team.prefix.utf8.count
            && group.utf8.count <= SignedEntitlements.maximumByteCount && SignedEntitlements.isPlain(group)
    }
}
