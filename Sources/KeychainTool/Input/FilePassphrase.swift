// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainModel
import KeychainObjects

/// Reads the passphrase of a file; the caller must overwrite the bytes after use.
struct FilePassphrase {
    let arguments: ScannedArguments
    /// Whether the file itself comes from standard input.
    var inputIsTaken = false

    /// Fails if this build lacks the package trait `Objects`, or the trait `PKCS12` for encrypted files.
    static func checkSupport(_ step: String) throws(Failure) {
        #if !Objects
        throw .message(
            "\(step): keys and certificates need a build with the package trait Objects",
            result: Status.unimplemented.rawValue
        )
        #elseif !PKCS12
        throw .message(
            "\(step): PKCS#12 and encrypted PKCS#8 need a build with the package trait PKCS12",
            result: Status.unimplemented.rawValue
        )
        #endif
    }

    /// Returns the passphrase of `-P`; `nil` without the option.
    ///
    /// A passphrase that is the value of the option may be empty; one that is prompted for or read may not.
    func given(isNew: Bool) throws(Failure) -> [UInt8]? {
        guard let occurrence = arguments.occurrences.last(where: { $0.option.kind == .passphrase }) else {
            return nil
        }
        if let text = occurrence.value {
            if !arguments.isInteractive { Warning.passphraseInArguments.give() }
            return Array(text.utf8)
        }
        if inputIsTaken || Console.isTerminal(STDIN_FILENO) {
            guard let passphrase = try Self.asked(isNew: isNew) else {
                throw SecretInput.notGiven("passphrase")
            }
            return passphrase
        }
        let passphrase = try SecretInput.fromStandardInput(
            isInteractive: arguments.isInteractive,
            for: "passphrase"
        )
        guard !passphrase.isEmpty else { throw SecretInput.empty("passphrase") }
        return passphrase
    }

    /// Prompts for the passphrase on the terminal; `nil` without a terminal or at the end of input.
    ///
    /// An empty answer is an error.
    static func asked(isNew: Bool) throws(Failure) -> [UInt8]? {
        let prompts = ["passphrase of the file: "] + (isNew ? ["retype passphrase of the file: "] : [])
        let passphrase = try SecretInput.ask(prompts, for: "passphrase")
        guard passphrase?.isEmpty != true else { throw SecretInput.empty("passphrase") }
        return passphrase
    }
}

/// The names of formats, as `-f` takes them.
enum FormatName {
    static func format(_ name: String) -> ExternalFormat? {
        table.first { $0.name == name }?.format
    }

    // Unsupported formats are included, so that the error names the format instead of printing the usage.
    private static let table: [(name: String, format: ExternalFormat)] = [
        ("openssl", .openSSL), ("bsafe", .bsafe), ("raw", .rawKey),
        ("pkcs7", .pkcs7), ("pkcs8", .wrappedPKCS8), ("pkcs12", .pkcs12),
        ("netscape", .netscapeCertificateSequence), ("x509", .x509Certificate),
        ("pemseq", .pemSequence), ("openssh1", .ssh), ("openssh2", .sshV2),
    ]
}
