// SPDX-License-Identifier: Apache-2.0

struct Options {
    enum Service: Equatable {
        case user, system
    }

    private(set) var service: Service?
    private(set) var socket: String?
    private(set) var idleExit: UInt32?
    private(set) var state = "/var/lib/keychain"
    private(set) var teams = "/etc/keychain/teams.d"
    private(set) var programs = "/etc/keychain/programs.d"
    private(set) var identify: String?
    /// The program that asks users for their passcode; `nil` for `keychain-agent` beside this program.
    private(set) var agent: String?
    private(set) var pinentry = "/usr/bin/pinentry"
    private(set) var promptSeconds: UInt32 = 300
    /// The user ID to which the system service switches; `nil` to stay the current user.
    private(set) var user: UInt32?
    /// The group ID to which the system service switches; `nil` for the user's primary group.
    private(set) var group: UInt32?
    private(set) var users: ClosedRange<UInt32> = 0...UInt32.max
    /// The directory of the audit log; `nil` for the default.
    private(set) var audit: String?
    /// The descriptor of an open file with the passcode that unlocks the user's store; `nil` for none.
    private(set) var passcodeDescriptor: Int32?

    private var hasSystemOption = false
    private static let systemOptions = [
        "--as", "--state", "--teams", "--programs", "--identify", "--agent", "--pinentry", "--prompt-limit",
        "--users",
    ]

    static let usage = """
        usage: securityd --user [--socket PATH] [--audit DIRECTORY] [--idle-exit SECONDS]
                         [--passcode-fd NUMBER]
               securityd --system [--as UID[:GID]] [--socket PATH] [--state DIRECTORY]
                         [--teams DIRECTORY] [--programs DIRECTORY] [--audit DIRECTORY]
                         [--identify PROGRAM] [--agent PROGRAM] [--pinentry PROGRAM]
                         [--prompt-limit SECONDS] [--users UID-UID] [--idle-exit SECONDS]

        Serves the keychain of the current user, or the keychains of all users,
        over a Unix socket or one that systemd passes.

        """

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
        if service == .user, hasSystemOption { return nil }
        if service == .system, passcodeDescriptor != nil { return nil }
    }

    /// Parses `UID` or `UID:GID`; the user is `nil` if the text is invalid or contains the ID 0.
    private static func account(_ text: String) -> (user: UInt32?, group: UInt32?) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { UInt32($0) }
        guard numbers.count == parts.count, numbers.count <= 2, !numbers.contains(0) else {
            return (nil, nil)
        }
        return (numbers.first, numbers.count == 2 ? numbers[1] : nil)
    }

    /// Parses two numbers with a hyphen between them, the lower one first; `nil` for other strings.
    private static func range(_ text: String) -> ClosedRange<UInt32>? {
        let numbers = text.split(separator: "-", omittingEmptySubsequences: false).map { UInt32($0) }
        guard numbers.count == 2, let lowest = numbers[0], let highest = numbers[1], lowest <= highest else {
            return nil
        }
        return lowest...highest
    }

    private mutating func set(_ option: String, _ value: String) -> Bool {
        if Self.systemOptions.contains(option) { hasSystemOption = true }
        switch option {
        case "--idle-exit":
            idleExit = UInt32(value).flatMap { $0 > 0 ? $0 : nil }
            return idleExit != nil
        case "--prompt-limit":
            guard let seconds = UInt32(value), (1...3_600).contains(seconds) else { return false }
            promptSeconds = seconds
            return true
        case "--as":
            (user, group) = Self.account(value)
            return user != nil
        case "--users":
            guard let range = Self.range(value) else { return false }
            users = range
            return true
        case "--passcode-fd":
            passcodeDescriptor = Int32(value).flatMap { $0 >= 0 ? $0 : nil }
            return passcodeDescriptor != nil
        case "--socket": socket = value
        case "--state": state = value
        case "--teams": teams = value
        case "--programs": programs = value
        case "--audit": audit = value
        case "--identify": identify = value
        case "--agent": agent = value
        case "--pinentry": pinentry = value
        default: return false
        }
        return value.hasPrefix("/")
    }
}
