// SPDX-License-Identifier: Apache-2.0

/// The caller, as the client found out.
///
/// No request has one in it.
package struct Caller: Hashable, Sendable {
    /// The name of the application, never empty.
    package let applicationIdentifier: String
    /// The access groups in the order of preference, without duplicates; `*` stands for every group.
    package let accessGroups: [String]
    /// The groups without the one that cannot be written.
    package let writableGroups: [String]
    /// Whether `*` is among the groups.
    package let reachesEveryGroup: Bool

    /// The virtual group of hardware tokens: it can be read and never written.
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
