// SPDX-License-Identifier: Apache-2.0

/// A file of the administrator that the daemon does not use, or a system group that identifies no program.
package struct TrustDefect: Hashable, Sendable, WireValue {
    package enum Kind: UInt8, Sendable {
        case file = 0
        case group = 1
    }

    package let kind: Kind
    package let name: String
    /// A clause that completes a sentence about the file or the group.
    package let reason: String

    package init(_ kind: Kind, _ name: String, _ reason: String) {
        self.kind = kind
        self.name = name
        self.reason = reason
    }

    /// The defect without the reason of a group, which can come from `/etc/gshadow`, which only root can read.
    package var withoutSecretReason: TrustDefect {
        guard kind == .group else { return self }
        return TrustDefect(.group, name, "only root may see the reason; the daemon's log has it")
    }

    /// The effect of the defect and its reason, without the name.
    package var problem: String {
        switch kind {
        case .file: "a file of the administrator is not used: \(reason)"
        case .group: "a system group identifies no program: \(reason)"
        }
    }

    package func encode(into writer: inout WireWriter) {
        writer.integer(kind.rawValue)
        writer.string(name)
        writer.string(reason)
    }

    package init(from reader: inout WireReader) throws(StatusError) {
        guard let kind = Kind(rawValue: try reader.integer()) else { throw WireReader.malformed }
        let name = try reader.string(atMost: WireLimit.string)
        self.init(kind, name, try reader.string(atMost: WireLimit.string))
    }
}
