// SPDX-License-Identifier: Apache-2.0

/// A nonempty name, such as the name of a valet's sandbox (its set of values).
public struct Identifier: CustomStringConvertible, Sendable {
    private let name: String

    /// Creates an identifier; fails if the name is empty or `nil`.
    ///
    /// - Parameter string: The name.
    public init?(nonEmpty string: String?) {
        guard let string, !string.isEmpty else { return nil }
        name = string
    }

    init(_ group: SharedGroupIdentifier) { name = group.description }

    /// The name.
    public var description: String { name }
}
