// SPDX-License-Identifier: Apache-2.0

enum ObjectPath: Hashable {
    case service
    case collection(String)
    /// The collection with an alias, such as `default`.
    case alias(String)
    case item(collection: String, id: String)
    case session(String)
    case prompt(String)
    case portal

    static let root = "/org/freedesktop/secrets"
    static let portalRoot = "/org/freedesktop/portal/desktop"

    /// Parses a path; `nil` if no object of this service can have it.
    init?(_ path: String) {
        if path == Self.portalRoot {
            self = .portal
            return
        }
        guard path == Self.root || path.hasPrefix(Self.root + "/") else { return nil }
        let parts = path.dropFirst(Self.root.count).split(separator: "/").map(String.init)
        switch (parts.first, parts.count) {
        case (nil, 0): self = .service
        case ("collection", 2): self = .collection(parts[1])
        case ("collection", 3): self = .item(collection: parts[1], id: parts[2])
        case ("aliases", 2): self = .alias(parts[1])
        case ("session", 2): self = .session(parts[1])
        case ("prompt", 2): self = .prompt(parts[1])
        default: return nil
        }
    }

    var text: String {
        switch self {
        case .service: Self.root
        case .collection(let name): "\(Self.root)/collection/\(name)"
        case .alias(let name): "\(Self.root)/aliases/\(name)"
        case .item(let collection, let id): "\(Self.root)/collection/\(collection)/\(id)"
        case .session(let id): "\(Self.root)/session/\(id)"
        case .prompt(let id): "\(Self.root)/prompt/\(id)"
        case .portal: Self.portalRoot
        }
    }

    /// Returns a path element for the first 64 bytes of a name.
    ///
    /// Each byte other than `A-Za-z0-9` becomes `_` and two hexadecimal digits; an empty name becomes `_`.
    static func element(for name: String) -> String {
        var element = ""
        for byte in name.utf8.prefix(64) {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                element.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = String(byte, radix: 16)
                element += "_" + (digits.count == 1 ? "0" : "") + digits
            }
        }
        return element.isEmpty ? "_" : element
    }
}
