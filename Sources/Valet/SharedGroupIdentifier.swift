// SPDX-License-Identifier: Apache-2.0

/// An access group that several programs share: a prefix and a name.
public struct SharedGroupIdentifier: CustomStringConvertible, Sendable {
    /// What is before the first dot of the access group.
    let prefix: String
    /// What is after it.
    let groupIdentifier: String

    /// A group of the entitlement `keychain-access-groups`; fails if one of the names is empty.
    ///
    /// - Parameters:
    ///   - appIDPrefix: The prefix of the application identifier, which on Apple's platforms is that of the team.
    ///   - groupIdentifier: The name of the group without the prefix.
    public init?(appIDPrefix: String, nonEmptyGroup groupIdentifier: String?) {
        guard let groupIdentifier, !groupIdentifier.isEmpty, !appIDPrefix.isEmpty else { return nil }
        prefix = appIDPrefix
        self.groupIdentifier = groupIdentifier
    }

    /// A group of the entitlement `com.apple.security.application-groups`; fails if one of the names is empty.
    ///
    /// Source: Valet 5.1. On iOS it fails for every other prefix than `group`.
    ///
    /// - Parameters:
    ///   - groupPrefix: `group`, or on macOS and Linux the prefix of the team as well.
    ///   - groupIdentifier: The name of the group without the prefix.
    public init?(groupPrefix: String, nonEmptyGroup groupIdentifier: String?) {
        guard Self.isGroupPrefix(groupPrefix) else { return nil }
        self.init(appIDPrefix: groupPrefix, nonEmptyGroup: groupIdentifier)
    }

    private static func isGroupPrefix(_ prefix: String) -> Bool {
        #if canImport(Darwin) && !os(macOS)
        prefix == "group"
        #else
        true
        #endif
    }

    /// The access group, as keychain attributes name it.
    public var description: String { "\(prefix).\(groupIdentifier)" }

    /// The access group as a name.
    var asIdentifier: Identifier { Identifier(self) }
}
