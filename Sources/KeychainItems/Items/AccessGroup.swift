// SPDX-License-Identifier: Apache-2.0

/// A group of programs that share items; a program is entitled to its groups.
public struct AccessGroup: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral {
    /// The name, as it is in the program's entitlements.
    public let rawValue: String

    /// Names a group.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Names a group.
    public init(_ name: String) { rawValue = name }

    /// Names a group.
    public init(stringLiteral value: String) { rawValue = value }
}

extension AccessGroup: CustomStringConvertible {
    /// The name.
    public var description: String { rawValue }
}
