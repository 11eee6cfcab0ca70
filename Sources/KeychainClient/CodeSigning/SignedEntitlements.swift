// SPDX-License-Identifier: Apache-2.0

/// The identifier and the groups that a signature grants to an executable.
package struct SignedEntitlements: Hashable, Sendable {
    /// The program's identifier without the team's prefix.
    package let identifier: String
    package let accessGroups: [String]
    package let applicationGroups: [String]

    package init(identifier: String, accessGroups: [String], applicationGroups: [String]) {
        self.identifier = identifier
        self.accessGroups = accessGroups
        self.applicationGroups = applicationGroups
    }

    static let maximumByteCount = 128
    static let maximumGroupCount = 64
    /// The prefix of application groups without a team identifier.
    static let sharedPrefix = "group."

    /// Returns the groups in Apple's order: access groups, identifier with prefix, application groups.
    ///
    /// `isGranted` decides whether an application group that starts with `group.` belongs to the team.
    package func groups(of team: TeamIdentifier, isGranted: (String) -> Bool) -> [String] {
        accessGroups + [team.prefix + identifier]
            + applicationGroups.filter { !Self.isShared($0) || isGranted($0) }
    }

    /// The application groups that start with `group.`, which any team may name.
    package var sharedGroups: [String] { applicationGroups.filter(Self.isShared) }

    static func isShared(_ group: String) -> Bool { group.utf8.starts(with: sharedPrefix.utf8) }

    /// Returns why a team must not sign these entitlements; `nil` if it may.
    package func defect(for team: TeamIdentifier) -> EntitlementDefect? {
        guard Self.isIdentifier(identifier) else { return .identifier }
        for groups in [accessGroups, applicationGroups] where groups.count > Self.maximumGroupCount {
            return .tooManyGroups
        }
        for (index, group) in accessGroups.enumerated() {
            if let defect = Self.defect(of: group, for: team, isApplicationGroup: false) { return defect }
            if Self.contains(accessGroups[..<index], group) { return .duplicateGroup(group) }
        }
        for (index, group) in applicationGroups.enumerated() {
            if let defect = Self.defect(of: group, for: team, isApplicationGroup: true) { return defect }
            if Self.contains(applicationGroups[..<index], group) || Self.contains(accessGroups[...], group) {
                return .duplicateGroup(group)
            }
        }
        return nil
    }

    // Compare bytes: the `==` of `String` also accepts canonically equivalent strings.
    private static func contains(_ groups: ArraySlice<String>, _ group: String) -> Bool {
        groups.contains { $0.utf8.elementsEqual(group.utf8) }
    }

    package static func isIdentifier(_ text: String) -> Bool {
        (1...maximumByteCount).contains(text.utf8.count)
            && text.utf8.allSatisfy { character in
                switch character {
                case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }

    private static func defect(
        of group: String,
        for team: TeamIdentifier,
        isApplicationGroup: Bool
    ) -> EntitlementDefect? {
        guard group.utf8.count <= maximumByteCount else { return .groupTooLong(group) }
        guard isPlain(group) else { return .forbiddenCharacter(group) }
        let prefixes = [team.prefix] + (isApplicationGroup ? [sharedPrefix] : [])
        let isOwn = prefixes.contains { group.utf8.starts(with: $0.utf8) && group.utf8.count > $0.utf8.count }
        return isOwn ? nil : .foreignGroup(group)
    }

    /// Returns whether a string has neither `*` nor an invisible or unassigned character.
    ///
    /// The invisible characters are those of the Unicode categories control, format, line or paragraph separator,
    /// surrogate and private use.
    static func isPlain(_ text: String) -> Bool {
        !text.unicodeScalars.contains { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
                true
            default: scalar == "*"
            }
        }
    }
}

/// Why entitlements cannot be signed.
package enum EntitlementDefect: Error, Hashable, Sendable {
    /// The identifier is not 1 to 128 of the characters A-Z, a-z, 0-9, `.` and `-`.
    case identifier
    case tooManyGroups
    case groupTooLong(String)
    /// A group contains a wildcard, a control character or an invisible character.
    case forbiddenCharacter(String)
    case duplicateGroup(String)
    /// A group is not the team's prefix, or `group.` for an application group, followed by a name.
    case foreignGroup(String)
}
