// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import KeychainModel
import KeychainObjects

/// Removes the passphrase of a private key in OpenSSH's own format with `ssh-keygen`, in memory.
///
/// OpenSSH derives the key with `bcrypt_pbkdf`, which no library of this package implements.
struct OpenSSHKeyProgram {
    /// The names of a macOS function and of the file, with which messages start.
    let step: String

    /// The maximum number of bcrypt's rounds; each takes about 10 ms.
    private static let mostRounds: UInt32 = 1_024

    /// Returns the file of the same key without a passphrase; the caller must erase it.
    func decrypted(_ file: Data, _ key: EncryptedOpenSSHKey, _ passphrase: [UInt8]) throws(Failure) -> Data {
        guard key.rounds <= Self.mostRounds else {
            throw .store(.unsupportedFormat, step: step, detail: "deriving the key would take too long")
        }
        guard let program = ChildProgram.find("ssh-keygen") else {
            let detail = "decrypting a private key in OpenSSH's own format needs the program ssh-keygen"
            throw .store(.unsupportedFormat, step: step, detail: detail)
        }
        // ssh-keygen reads the passphrase as one line, so a passphrase with a newline or a zero byte is wrong.
        guard !passphrase.contains(UInt8(ascii: "\n")), !passphrase.contains(0) else { throw wrongPassphrase }
        let memory = try MemoryFile(Array(file))
        var line = passphrase + [UInt8(ascii: "\n")]
        defer { line.wipe() }
        // A session of its own, without a terminal, makes ssh-keygen read the passphrase from standard input.
        unsafe setenv("SSH_ASKPASS_REQUIRE", "never", 1)
        let arguments = ["-q", "-p", "-N", "", "-f", ChildProgram.sharedPath]
        let code = try ChildProgram(program, arguments).run(input: MemoryFile(line), sharing: memory).code
        guard code == 0 else { throw wrongPassphrase }
        var bytes = try memory.contents()
        defer { bytes.wipe() }
        return Data(bytes)
    }

    private var wrongPassphrase: Failure {
        let detail = "ssh-keygen cannot decrypt the key: the passphrase is wrong, or the file is damaged"
        return .store(.authenticationFailed, step: step, detail: detail)
    }
}
