// SPDX-License-Identifier: Apache-2.0

/// The keys under which etcd stores the data of a circle.
package struct CirclePaths: Hashable, Sendable {
    package let prefix: String
    /// A key that every change of the circle's data writes, except the deletion of data from before a rebuild.
    ///
    /// The key's revision therefore shows whether there is a change that a device has not received. The key is outside
    /// of the prefix, so that watches of the prefix receive no event for it.
    package let newest: String
    private let generation: String

    package init(circle: String, generation: UInt32) {
        prefix = "/kc/1/\(circle)/"
        newest = "/kc/1/\(circle).t"
        self.generation = Self.digits(UInt64(generation), 8)
    }

    private static func digits(_ number: UInt64, _ count: Int) -> String {
        let text = String(number, radix: 16)
        return String(repeating: "0", count: count - text.count) + text
    }

    package func manifest(_ version: UInt64) -> String { prefix + "m/" + Self.digits(version, 16) }
    package var manifests: String { prefix + "m/" }
    package func record(_ name: String) -> String { prefix + generation + "/r/" + name }
    package func head(_ device: String) -> String { prefix + generation + "/h/" + device }
    package var records: String { prefix + generation + "/r/" }
    package var heads: String { prefix + generation + "/h/" }
    /// The range of the keys of all former generations of the circle: its first key, and the first key after it.
    package var formerGenerations: (first: String, end: String) { (prefix + "0", prefix + generation + "/") }
    package func leaveRequest(_ device: String) -> String { leaveRequests + device }
    package var leaveRequests: String { prefix + "l/" }
    /// Returns the key of a recovery code's entry, the anchor: see ``RecoveryCode/sealedAnchor(of:)``.
    package static func recovery(_ identifier: String) -> String { "/kc/1/v/" + identifier }
    /// Returns the key of an invitation, without the circle, which the joining device does not know yet.
    package static func invitation(_ identifier: String) -> String { "/kc/1/i/" + identifier }
    package static func request(_ identifier: String) -> String { "/kc/1/j/" + identifier }
}
