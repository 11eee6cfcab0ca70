// SPDX-License-Identifier: Apache-2.0

struct Options: Hashable {
    /// Whether to take the bus name from another program that allows it.
    private(set) var replaces = false
    /// Whether all programs of the user outside a sandbox share their items.
    private(set) var isShared = false
    /// Whether to serve `org.freedesktop.secrets`.
    private(set) var servesSecrets = true
    /// Whether to serve the secrets of Flatpak applications.
    private(set) var servesPortal = true
    /// Whether to write the items of another program's Secret Service to standard output, and to serve nothing.
    private(set) var exports = false
    /// Whether an export or import reports locked collections instead of showing the other program's prompt.
    private(set) var forbidsPrompts = false
    /// Whether to import the items of another program's Secret Service, and to serve nothing.
    private(set) var imports = false
    private(set) var printsHelp = false

    static let usage = """
        usage: keychain-secret-service [--replace] [--shared] [--no-portal | --portal-only]
               keychain-secret-service (--import | --export) [--no-prompt]

        Serves the keychain as org.freedesktop.secrets on the session bus.

          --replace      take the names from another program that allows it
          --shared       show each program the items of all programs
          --no-portal    do not serve org.freedesktop.impl.portal.Secret
          --portal-only  serve only org.freedesktop.impl.portal.Secret, beside another program's Secret Service
          --import       add the items of the Secret Service that another program provides; all programs outside a
                         sandbox see them, until one of them stores a new password
          --export       write the items of the Secret Service that another program provides to standard output, for
                         security import-passwords --from secret-service
          --no-prompt    leave out locked collections, without asking the user to unlock them

        """

    init?(_ arguments: some Sequence<String>) {
        for argument in arguments {
            switch argument {
            case "--replace": replaces = true
            case "--shared": isShared = true
            case "--no-portal": servesPortal = false
            case "--portal-only": servesSecrets = false
            case "--export": exports = true
            case "--no-prompt": forbidsPrompts = true
            case "--import": imports = true
            case "--help": printsHelp = true
            default: return nil
            }
        }
        guard servesSecrets || servesPortal, !exports || !imports else { return nil }
        guard exports || imports || !forbidsPrompts else { return nil }
    }
}
