// SPDX-License-Identifier: Apache-2.0

/// A group of programs that share items.
///
/// The program's entitlements list its groups.
public struct AccessGroup: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral {
    /// The name of the group, as in the entitlements.
    public let rawValue: String

    /// Creates an access group from its name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Creates an access group from its name.
    public init(_ name: String) { rawValue = name }

    /// Creates an access group from a string literal.
    public init(stringLiteral value: String) { rawValue = value }
}

extension AccessGroup: CustomStringConvertible {
    /// The name of the group.
    public var description: String { rawValue }
}
