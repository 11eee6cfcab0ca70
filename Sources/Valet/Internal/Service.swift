// SPDX-License-Identifier: Apache-2.0

/// The identity of a valet's sandbox.
///
/// Two values can have equal service strings and still be different: shared groups with the same name but
/// different prefixes, and valets with the same explicitly set identifier but different configurations. Names are
/// compared by bytes, as in the keychain.
enum Service: CustomStringConvertible, Hashable, Sendable {
    case standard(Identifier, Configuration)
    case sharedGroup(SharedGroupIdentifier, Identifier?, Configuration)
    case standardOverride(service: Identifier, Configuration)
    case sharedGroupOverride(service: SharedGroupIdentifier, Configuration)

    var configuration: Configuration {
        switch self {
        case .standard(_, let configuration), .sharedGroup(_, _, let configuration),
            .standardOverride(_, let configuration), .sharedGroupOverride(_, let configuration):
            configuration
        }
    }

    /// The access group; `nil` if the valet was created without one.
    var group: SharedGroupIdentifier? {
        switch self {
        case .standard, .standardOverride: nil
        case .sharedGroup(let group, _, _), .sharedGroupOverride(let group, _): group
        }
    }

    /// The identifier that the caller gave the valet; without one, the access group.
    var identifier: Identifier {
        switch self {
        case .standard(let identifier, _), .standardOverride(let identifier, _): identifier
        case .sharedGroup(let group, let identifier, _): identifier ?? group.asIdentifier
        case .sharedGroupOverride(let group, _): group.asIdentifier
        }
    }

    /// The items' value of `kSecAttrService`.
    var description: String { name(accessibility: configuration.accessibilityName) }

    /// Returns the service name, which ends with `accessibility` unless the service name was set explicitly.
    func name(accessibility: String) -> String {
        switch self {
        case .standard(let identifier, let kind):
            return "VAL_\(kind)_initWithIdentifier:accessibility:_\(identifier)_\(accessibility)"
        case .sharedGroup(let group, let identifier, let kind):
            let names = [group.groupIdentifier, identifier?.description].compactMap { $0 }
            let name = names.joined(separator: "_")
            return "VAL_\(kind)_initWithSharedAccessGroupIdentifier:accessibility:_\(name)_\(accessibility)"
        case .standardOverride(let identifier, _): return identifier.description
        case .sharedGroupOverride(let group, _): return group.groupIdentifier
        }
    }

    func with(_ configuration: Configuration) -> Self {
        switch self {
        case .standard(let identifier, _): .standard(identifier, configuration)
        case .sharedGroup(let group, let identifier, _): .sharedGroup(group, identifier, configuration)
        case .standardOverride(let identifier, _): .standardOverride(service: identifier, configuration)
        case .sharedGroupOverride(let group, _): .sharedGroupOverride(service: group, configuration)
        }
    }
}

extension Service {
    private struct Identity: Hashable {
        let isExplicit: Bool
        let configuration: Configuration
        let group: [[UInt8]]
        let identifier: [UInt8]?
    }

    private var identity: Identity {
        let (identifier, isExplicit): (Identifier?, Bool) =
            switch self {
            case .standard(let identifier, _): (identifier, false)
            case .sharedGroup(_, let identifier, _): (identifier, false)
            case .standardOverride(let identifier, _): (identifier, true)
            case .sharedGroupOverride: (nil, true)
            }
        return Identity(
            isExplicit: isExplicit,
            configuration: configuration,
            group: group.map { [Array($0.prefix.utf8), Array($0.groupIdentifier.utf8)] } ?? [],
            identifier: identifier.map { Array($0.description.utf8) }
        )
    }

    static func == (left: Self, right: Self) -> Bool { left.identity == right.identity }

    func hash(into hasher: inout Hasher) { hasher.combine(identity) }
}
