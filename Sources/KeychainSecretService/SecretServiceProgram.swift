// SPDX-License-Identifier: Apache-2.0

import CKeychainLinux
import Glibc
import KeychainClient
import KeychainModel

/// `keychain-secret-service`: serves the keychain to clients of the Secret Service.
@main enum SecretServiceProgram {
    /// The exit statuses of `sysexits.h`: EX_USAGE and EX_UNAVAILABLE.
    private enum Exit {
        static let usage: Int32 = 64
        static let unavailable: Int32 = 69
    }

    static func main() {
        clinux_reserve_standard_descriptors()
        guard let options = Options(CommandLine.arguments.dropFirst()) else {
            write(Options.usage, to: STDERR_FILENO)
            exit(Exit.usage)
        }
        if options.printsHelp {
            write(Options.usage, to: STDOUT_FILENO)
            return
        }
        #if SecretService
        // The process's memory contains secrets: forbid core dumps, and tracing by other programs of the user.
        _ = clinux_forbid_dumps()
        signal(SIGPIPE, SIG_IGN)
        guard !options.exports else { return export(options) }
        do throws(StartFailure) {
            try stateEntitlements()
            if options.imports {
                let export = SecretServiceSource.export(prompting: !options.forbidsPrompts)
                write(try ItemImport(export).report, to: STDOUT_FILENO)
            } else {
                try EventLoop(options, signals: clinux_signals()).run()
            }
        } catch {
            fail(error.sentence)
            exit(Exit.unavailable)
        }
        #else
        fail("this program was built without the package trait SecretService")
        exit(Exit.unavailable)
        #endif
    }

    #if SecretService
    /// Writes the items of another program's Secret Service to standard output, which must not be a terminal.
    private static func export(_ options: Options) {
        guard isatty(STDOUT_FILENO) == 0 else {
            fail("the output contains passwords; security import-passwords --from secret-service reads it")
            exit(Exit.usage)
        }
        var writer = WireWriter()
        writer.value(SecretServiceSource.export(prompting: !options.forbidsPrompts))
        let isWritten = write(writer.bytes, to: STDOUT_FILENO)
        writer.erase()
        if !isWritten { exit(Exit.unavailable) }
    }

    /// Sets the access group of the command `security` for the stored items, so that the command lists them.
    ///
    /// A daemon for all users ignores this group: there, the executable's signature determines the access group.
    private static func stateEntitlements() throws(StartFailure) {
        let entitlements = Entitlements(
            stating: "security",
            accessGroups: [],
            applicationGroups: []
        )
        do throws(StatusError) {
            try SystemKeychain.use(entitlements)
        } catch {
            throw StartFailure(sentence: error.explanation.sentence)
        }
    }
    #endif

    static func log(_ message: String) { write("keychain-secret-service: \(message)\n", to: STDOUT_FILENO) }

    private static func fail(_ message: String) {
        write("keychain-secret-service: error: \(message)\n", to: STDERR_FILENO)
    }

    private static func write(_ text: String, to file: CInt) {
        _ = write(Array(text.utf8), to: file)
    }

    /// Writes all bytes; returns `false` if that fails.
    private static func write(_ bytes: [UInt8], to file: CInt) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(file, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR {
                return false
            }
        }
        return true
    }
}

struct StartFailure: Error {
    let sentence: String
}
