// SPDX-License-Identifier: Apache-2.0

struct Options: Hashable {
    /// Whether to take the bus name from another program that allows it.
    private(set) var replaces = false
    /// Whether all programs of the user share their items.
    private(set) var isShared = false
    /// Whether to serve the secrets of Flatpak applications too.
    private(set) var servesPortal = true
    private(set) var printsHelp = false

    static let usage = """
        usage: keychain-secret-service [--replace] [--shared] [--no-portal]

        Serves the keychain as org.freedesktop.secrets on the session bus.

          --replace    take the name from another program that allows it
          --shared     show each program the items of all programs
          --no-portal  do not serve org.freedesktop.impl.portal.Secret

        """

    init?(_ arguments: some Sequence<String>) {
        for argument in arguments {
            switch argument {
            case "--replace": replaces = true
            case "--shared": isShared = true
            case "--no-portal": servesPortal = false
            case "--help": printsHelp = true
            default: return nil
            }
        }
    }
}
