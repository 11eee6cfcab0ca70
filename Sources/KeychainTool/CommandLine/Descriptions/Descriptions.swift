// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// What ArgumentParser is asked for: help, usage, version and completion scripts.
///
/// The commands below only describe; arguments are read by `ArgumentScanner`.
package enum Descriptions {
    /// Answers arguments that ask for information; returns the exit code.
    static func answer(_ arguments: [String]) -> Int32 {
        if arguments.first == "help", arguments.count > 1, Verb(abbreviation: arguments[1]) == nil {
            Console.complain("help: no such command")
            return 1
        }
        do {
            var command = try SecurityCommand.parseAsRoot(expandingVerb(in: arguments))
            try command.run()
            return 0
        } catch {
            let text = SecurityCommand.fullMessage(for: error)
            guard SecurityCommand.exitCode(for: error) == .success else {
                // The text may quote an argument.
                Console.complain("illegal option or argument")
                Console.say(usage(of: nil) + "\n")
                return 2
            }
            do throws(Failure) {
                try Console.write(text + "\n")
                return 0
            } catch {
                return error.result
            }
        }
    }

    private static func expandingVerb(in arguments: [String]) -> [String] {
        guard arguments.first == "help", arguments.count > 1, let verb = Verb(abbreviation: arguments[1])
        else {
            return arguments
        }
        return verb == .help ? ["help"] : ["help", verb.rawValue]
    }

    /// The line that begins with `Usage:`.
    static func usage(of verb: Verb?) -> String {
        "Usage: \(SecurityCommand.usageString(for: verb.flatMap(command) ?? SecurityCommand.self))"
    }

    private static func command(of verb: Verb) -> (any ParsableCommand.Type)? {
        SecurityCommand.configuration.subcommands.first { $0.configuration.commandName == verb.rawValue }
    }

    /// Everything that is described, in ArgumentParser's JSON; for tests, which hold it to the option table.
    package static var dump: String { SecurityCommand._dumpHelp() }
}

/// The tool.
struct SecurityCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "security",
        abstract: "Stores and finds passwords, keys and certificates in the keychain.",
        discussion: """
            The store is the directory that KEYCHAIN_HOME names, else keychain in XDG_DATA_HOME. Options are read as \
            on macOS: letters can be clustered (-wa NAME) and values attached (-sNAME). A command can be abbreviated.

            A command ends with the low byte of the status that the keychain answered with: 44 if the item is not \
            found, 45 if there is one already (security error 44 explains); with 2 if its arguments make no sense; with 0 on success.
            """,
        version: "0.1.0",
        subcommands: [
            ListKeychainsCommand.self, DefaultKeychainCommand.self, LoginKeychainCommand.self,
            CreateKeychainCommand.self, LockKeychainCommand.self, UnlockKeychainCommand.self,
            SetKeychainSettingsCommand.self, SetKeychainPasswordCommand.self,
            SetKeyPartitionListCommand.self,
            ShowKeychainInfoCommand.self, DumpKeychainCommand.self,
            AddGenericPasswordCommand.self, AddInternetPasswordCommand.self,
            FindGenericPasswordCommand.self, FindInternetPasswordCommand.self,
            DeleteGenericPasswordCommand.self, DeleteInternetPasswordCommand.self,
            CreateKeypairCommand.self, AddCertificatesCommand.self,
            FindKeyCommand.self, FindCertificateCommand.self, FindIdentityCommand.self,
            DeleteCertificateCommand.self, DeleteIdentityCommand.self, DeleteKeyCommand.self,
            DeleteKeychainCommand.self,
            ExportCommand.self, ImportCommand.self,
            ErrorCommand.self,
        ]
    )

    @Flag(row: "interactive", .tool) var interactive = false
    @Flag(row: "leaks", .tool) var leaks = false
    @Option(row: "prompt", .tool) var prompt: String?
    @Flag(row: "quiet", .tool) var quiet = false
    @Flag(row: "verbose", .tool) var verbose = false
}
