// SPDX-License-Identifier: Apache-2.0

import CKeychainLinux
import FoundationEssentials
import Glibc
import KeychainSync

/// `keychain-sync`: the program behind `security sync`, a process of its own because it uses the network.
@main enum KeychainSyncTool {
    static func main() async {
        clinux_reserve_standard_descriptors()
        signal(SIGPIPE, SIG_IGN)
        #if Synchronization
        let arguments = Array(CommandLine.arguments.dropFirst())
        if arguments.first == "run" { AgentThreads.runTasksOnEventLoops() }
        do throws(Failure) {
            try await SyncCommand(arguments).run()
        } catch {
            if arguments.contains("--json") {
                Output.write(json: ["problem": error.code, "message": error.message])
            }
            Output.complain(
                error.code == Failure.usageCode ? error.message : "\(error.message) [\(error.code)]"
            )
            exit(error.result)
        }
        #else
        Output.complain("this program was built without the trait Synchronization")
        exit(1)
        #endif
    }
}

/// A failed command, with its exit code: 1, or 2 for a wrong command line.
struct Failure: Error {
    let message: String
    /// The code of the problem: `usage`, or that of a `SyncError`.
    let code: String
    let result: Int32

    fileprivate static let usageCode = "usage"

    static func usage(_ message: String) -> Self { Self(message: message, code: usageCode, result: 2) }

    private init(message: String, code: String, result: Int32) {
        self.message = message
        self.code = code
        self.result = result
    }

    init(_ error: SyncError) {
        self.init(message: error.message, code: error.code, result: 1)
    }
}

enum Output {
    /// Writes a line to standard output; exits with 1 unless all of it is written.
    ///
    /// A truncated code could otherwise be mistaken for a complete one.
    static func write(_ line: String) {
        guard let code = put(line + "\n", to: STDOUT_FILENO) else { return }
        complain("standard output: \(unsafe String(cString: strerror(code)))")
        exit(1)
    }

    static func write(json value: some Encodable) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        if let data = try? encoder.encode(value) { write(String(decoding: data, as: UTF8.self)) }
    }

    static func complain(_ line: String) { _ = put("security: sync: \(line)\n", to: STDERR_FILENO) }

    /// Writes all bytes of a text; returns the `errno`, or `nil` on success.
    private static func put(_ text: String, to file: CInt) -> CInt? {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(file, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR {
                return errno
            }
        }
        return nil
    }

    /// Returns a text without characters that could control a terminal.
    static func plain(_ text: String) -> String {
        String(
            text.unicodeScalars.map { $0.value < 32 || (127..<160).contains($0.value) ? "?" : Character($0) }
        )
    }
}
