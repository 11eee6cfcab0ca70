// SPDX-License-Identifier: Apache-2.0

/// The options of `securityd`.
struct Options {
    enum Service: Equatable {
        case user, system
    }

    private(set) var service: Service?
    private(set) var socket: String?
    private(set) var idleExit: UInt32?
    private(set) var state = "/var/lib/keychain"
    private(set) var teams = "/etc/keychain/teams.d"
    private(set) var identify: String?
    /// The user ID to which the system service switches.
    private(set) var user: UInt32?

    static let usage = """
        usage: securityd --user [--socket PATH] [--idle-exit SECONDS]
               securityd --system [--as UID] [--socket PATH] [--state DIRECTORY]
                         [--teams DIRECTORY] [--identify PROGRAM] [--idle-exit SECONDS]

        Serves the keychain of the current user, or the keychains of all users,
        over a Unix socket or one that systemd passes.

        """

    /// Parses the arguments; `nil` if they are invalid.
    init?(_ arguments: ArraySlice<String>) {
        var rest = arguments
        while let argument = rest.popFirst() {
            switch argument {
            case "--user", "--system":
                guard service == nil else { return nil }
                service = argument == "--user" ? .user : .system
            default:
                guard let value = rest.popFirst(), set(argument, value) else { return nil }
            }
        }
        guard let service else { return nil }
        if service == .user, user != nil || identify != nil { return nil }
    }

    private mutating func set(_ option: String, _ value: String) -> Bool {
        switch option {
        case "--idle-exit": idleExit = UInt32(value).flatMap { $0 > 0 ? $0 : nil }
        case "--as": user = UInt32(value)
        case "--socket": socket = value
        case "--state": state = value
        case "--teams": teams = value
        case "--identify": identify = value
        default: return false
        }
        let isPath = !["--idle-exit", "--as"].contains(option)
        return isPath ? value.hasPrefix("/") : option == "--as" ? user != nil : idleExit != nil
    }
}
