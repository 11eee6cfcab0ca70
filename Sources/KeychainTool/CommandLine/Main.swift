// SPDX-License-Identifier: Apache-2.0

import CKeychainLinux
import Glibc
import KeychainClient

@main
enum Main {
    static func main() {
        clinux_reserve_standard_descriptors()
        // Prevents core dumps and debuggers of the same user from reading passwords and keys. If a sandbox forbids
        // this, the command still works, and prints a warning on a terminal.
        if !CoreLimit.forbidDumps() { Warning.processIsOpen.give() }
        SystemKeychain.configureForCommand()
        guard let arguments = arguments() else {
            Console.complain("an argument is not UTF-8; give such a password on standard input")
            exit(2)
        }
        exit(Session.run(helperVerb.map { [$0] + arguments } ?? arguments) & 0xff)
    }

    /// The verb of a credential helper, if the program was called by that helper's name; otherwise `nil`.
    private static var helperVerb: String? {
        guard let path = unsafe CommandLine.unsafeArgv[0].flatMap({ unsafe String(validatingCString: $0) })
        else { return nil }
        let name = path.lastComponentOfPath ?? ""
        return Verb.helperNames.first { $0.program == name }?.verb
    }

    /// The arguments after the program's name; `nil` if one is not UTF-8.
    ///
    /// `CommandLine.arguments` would silently replace the invalid bytes.
    private static func arguments() -> [String]? {
        var arguments: [String] = []
        arguments.reserveCapacity(Int(CommandLine.argc))
        for index in 1..<max(1, Int(CommandLine.argc)) {
            guard let pointer = unsafe CommandLine.unsafeArgv[index],
                let argument = unsafe String(validatingCString: pointer)
            else { return nil }
            arguments.append(argument)
        }
        return arguments
    }
}
