// SPDX-License-Identifier: Apache-2.0

extension Verb {
    static let sync = group(
        "sync",
        "Synchronizes this keychain with other devices over etcd, end-to-end encrypted. (Not on macOS.)",
        discussion: """
            The program keychain-sync beside this one, which uses the network, executes the subcommands. A failed \
            subcommand exits with 1 and prints the code of the problem in brackets. Documentation/Synchronization.md \
            describes the protocol.
            """,
        [
            syncVerb(
                "create",
                "Creates a circle, the devices that synchronize one keychain, with this device as its admin.",
                options: server + [deviceName, recoveryCode]
            ),
            syncVerb(
                "invite",
                "Prints a code for one device, waits for the device, and asks whether to add it.",
                options: roles
            ),
            syncVerb(
                "join",
                "Joins the circle of the device that printed the code.",
                options: server + [deviceName],
                operand: code
            ),
            syncVerb(
                "recover",
                "Makes this device an admin with the recovery code; joins the circle if needed.",
                options: server + [deviceName],
                operand: code
            ),
            syncVerb("devices", "Lists the devices of the circle."),
            syncVerb(
                "remove",
                "Removes a device, which can read nothing that is written afterwards.",
                operand: Operand(name: "device", help: "The name or identifier of the device.", limit: 1)
            ),
            syncVerb("leave", "Leaves the circle; the items stay.", options: [force]),
            syncVerb("rebuild", "Repairs the circle after its cluster was lost or restored."),
            syncVerb(
                "status",
                "Prints what is to be pushed, what waits for an unlock, conflicts, and the last problem."
            ),
            syncVerb(
                "conflicts",
                "Lists the versions of items that a concurrent change has replaced, or restores one.",
                operand: Operand(
                    name: "version",
                    help: "The word restore and the number of a version, which becomes current again.",
                    limit: 2
                )
            ),
            syncVerb("pause", "Stops synchronization on this device."),
            syncVerb("resume", "Continues synchronization on this device."),
            syncVerb("run", "Synchronizes until it is ended.", options: [once]),
        ]
    )

    private static func syncVerb(
        _ name: String,
        _ summary: String,
        options: [ToolOption] = [],
        operand: Operand? = nil
    ) -> Verb {
        Verb("sync \(name)", summary, options: options + [.json], operand: operand) {
            arguments throws(Failure) in
            throw SyncProgram(subcommand: name, arguments: arguments).start()
        }
    }

    private static let code = Operand(
        name: "code",
        help: "The code; - reads it from standard input.",
        limit: 1,
        isSecret: true
    )

    // swift-format-ignore
    private static let server: [ToolOption] = [
        .init(nil, "endpoint", .text, nil, "url", isRepeatable: true, "The URL of etcd, such as https://etcd.example.com:2379; several are members of one cluster."),
        .init(nil, "ca",       .text, nil, "file", "Trust only the certificates in this file."),
        .init(nil, "cert",     .text, nil, "file", "The client's certificate, in PEM."),
        .init(nil, "key",      .text, nil, "file", "The private key of the client's certificate."),
        .init(nil, "user",     .text, nil, "user", "The user of etcd; the password is the first line of standard input."),
    ]

    // swift-format-ignore
    private static let deviceName = ToolOption(
        nil, "name", .text, nil, "name", "The name of this device in the circle: by default the host name.")

    // swift-format-ignore
    private static let recoveryCode = ToolOption(
        nil, "recovery-code", .flag, "Also print a code with which a device becomes an admin when no admin is left.")

    // swift-format-ignore
    private static let roles: [ToolOption] = [
        .init(nil, "read-only", .flag, "The device receives changes and sends none."),
        .init(nil, "admin",     .flag, "The device can add and remove devices."),
        .init(nil, "yes",       .flag, "Add the device without asking."),
    ]

    // swift-format-ignore
    private static let force = ToolOption(
        nil, "force", .flag, "Leave even if the server does not answer, or if no admin is left.")

    private static let once = ToolOption(nil, "once", .flag, "Synchronize once and end.")
}
