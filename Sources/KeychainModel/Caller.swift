// SPDX-License-Identifier: Apache-2.0

/// The calling program's identity and access groups.
///
/// The client or the daemon determines the identity and the groups. A request contains no caller, so a request cannot
/// name another program as its caller.
package struct Caller: Hashable, Sendable {
    /// The application identifier; never empty.
    package let applicationIdentifier: String
    /// The access groups in order of preference, without duplicates or empty names; `*` matches every group.
    ///
    /// The group ``tokenGroup``, if present, is the last one.
    package let accessGroups: [String]
    /// The writable access groups: all except `com.apple.token`, which is read-only.
    package let writableGroups: [String]
    /// Whether the groups contain `*`.
    package let reachesEveryGroup: Bool

    /// The virtual group of hardware tokens, which is read-only.
    package static let tokenGroup = "com.apple.token"
    package static let everyGroup = "*"

    package init(applicationIdentifier: String, accessGroups: [String]) {
        self.applicationIdentifier = applicationIdentifier
        var ordered: [String] = []
        for group in accessGroups
        where !group.isEmpty && !ordered.contains(where: { $0.utf8.elementsEqual(group.utf8) }) {
            ordered.append(group)
        }
        if let token = ordered.firstIndex(of: Self.tokenGroup) {
            ordered.append(ordered.remove(at: token))
        }
        self.accessGroups = ordered
        writableGroups = ordered.filter { $0 != Self.tokenGroup }
        reachesEveryGroup = ordered.contains(Self.everyGroup)
    }
}
