// SPDX-License-Identifier: Apache-2.0

/// The identifier of an access group: a prefix, a dot and a name.
public struct SharedGroupIdentifier: CustomStringConvertible, Sendable {
    /// The prefix of the access group, without the dot that follows it.
    let prefix: String
    /// The name of the access group, without the prefix and its dot.
    let groupIdentifier: String

    /// Creates a `keychain-access-groups` group; fails if the prefix or the name is empty.
    ///
    /// - Parameters:
    ///   - appIDPrefix: The prefix of the application identifier; on Apple's platforms, the team identifier.
    ///   - groupIdentifier: The name of the group without the prefix.
    public init?(appIDPrefix: String, nonEmptyGroup groupIdentifier: String?) {
        guard let groupIdentifier, !groupIdentifier.isEmpty, !appIDPrefix.isEmpty else { return nil }
        prefix = appIDPrefix
        self.groupIdentifier = groupIdentifier
    }

    /// Creates a `com.apple.security.application-groups` group; fails if the prefix or the name is empty.
    ///
    /// Source: Valet 5.1. On Apple's platforms other than macOS, every prefix other than `group` fails.
    ///
    /// - Parameters:
    ///   - groupPrefix: `group`; on macOS and Linux, any other prefix is valid too, such as the team
    ///     identifier.
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

    /// The access group, as in keychain attributes.
    public var description: String { "\(prefix).\(groupIdentifier)" }

    var asIdentifier: Identifier { Identifier(self) }
}
