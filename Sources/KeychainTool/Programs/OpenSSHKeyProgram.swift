// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import KeychainModel
import KeychainObjects

/// Removes or sets the passphrase of a private key in OpenSSH's own format with `ssh-keygen`, in memory.
///
/// OpenSSH derives the key with `bcrypt_pbkdf`, which no library of this package implements.
struct OpenSSHKeyProgram {
    /// The start of messages: the name of a macOS function and, for an import, the name of the file.
    let step: String

    /// The maximum number of bcrypt's rounds; each takes about 10 ms.
    private static let mostRounds: UInt32 = 1_024

    /// Returns the file of the same key without a passphrase; the caller must erase it.
    func decrypted(_ file: Data, _ key: EncryptedOpenSSHKey, _ passphrase: [UInt8]) throws(Failure) -> Data {
        guard key.rounds <= Self.mostRounds else {
            throw .store(.unsupportedFormat, step: step, detail: "deriving the key would take too long")
        }
        guard Self.isOneLine(passphrase) else { throw wrongPassphrase }
        guard let result = try changed(file, ["-N", ""], lines: [passphrase]) else { throw wrongPassphrase }
        return result
    }

    /// Returns the file of the same key with a passphrase.
    func encrypted(_ file: Data, _ passphrase: [UInt8]) throws(Failure) -> Data {
        guard Self.isOneLine(passphrase), passphrase.count >= Self.shortestPassphrase else {
            let detail = "a passphrase of OpenSSH has at least 5 bytes, no newline and no zero byte"
            throw .store(.invalidParameter, step: step, detail: detail)
        }
        // ssh-keygen asks for the new passphrase twice.
        guard let result = try changed(file, ["-P", ""], lines: [passphrase, passphrase]) else {
            throw .store(.internalInconsistency, step: step, detail: "ssh-keygen cannot encrypt the key")
        }
        return result
    }

    /// The shortest passphrase that `ssh-keygen` accepts, in bytes.
    private static let shortestPassphrase = 5

    /// ssh-keygen reads a passphrase as one line.
    private static func isOneLine(_ passphrase: [UInt8]) -> Bool {
        !passphrase.contains(UInt8(ascii: "\n")) && !passphrase.contains(0)
    }

    /// Lets `ssh-keygen -p` change a file in memory; `nil` if it fails.
    private func changed(
        _ file: Data,
        _ options: [String],
        lines: [[UInt8]]
    ) throws(Failure) -> Data? {
        guard let program = ChildProgram.find("ssh-keygen") else {
            let detail = "a passphrase in OpenSSH's own format needs the program ssh-keygen"
            throw .store(.unsupportedFormat, step: step, detail: detail)
        }
        let memory = try MemoryFile(Array(file))
        var input = lines.flatMap { $0 + [UInt8(ascii: "\n")] }
        defer { input.wipe() }
        // ssh-keygen runs in a new session without a terminal, so it reads the passphrase from standard input.
        unsafe setenv("SSH_ASKPASS_REQUIRE", "never", 1)
        let arguments = ["-q", "-p"] + options + ["-f", ChildProgram.sharedPath]
        let code = try ChildProgram(program, arguments).run(input: MemoryFile(input), sharing: memory).code
        guard code == 0 else { return nil }
        var bytes = try memory.contents()
        defer { bytes.wipe() }
        return Data(bytes)
    }

    private var wrongPassphrase: Failure {
        let detail = "ssh-keygen cannot decrypt the key: the passphrase is wrong, or the file is damaged"
        return .store(.authenticationFailed, step: step, detail: detail)
    }
}
