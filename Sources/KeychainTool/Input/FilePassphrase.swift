// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainServices

/// The passphrase of a file, and the calls that take one.
///
/// Who gets one overwrites it.
struct FilePassphrase {
    let arguments: ScannedArguments
    /// Whether the file itself comes from standard input.
    var inputIsTaken = false

    /// What to say instead of asking where this build opens and makes no file under a passphrase.
    static func checkSupport(_ step: String) throws(Failure) {
        #if !Objects
        throw .message(
            "\(step): keys and certificates need a build with the package trait Objects",
            result: errSecUnimplemented
        )
        #elseif !PKCS12
        throw .message(
            "\(step): PKCS#12 and encrypted PKCS#8 need a build with the package trait PKCS12",
            result: errSecUnimplemented
        )
        #endif
    }

    /// What `-P` gives; `nil` without the option.
    ///
    /// Only an argument can be empty.
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

    /// Asks on the terminal; `nil` where there is none.
    ///
    /// An empty answer is an error.
    static func asked(isNew: Bool) throws(Failure) -> [UInt8]? {
        let prompts = ["passphrase of the file: "] + (isNew ? ["retype passphrase of the file: "] : [])
        let passphrase = try SecretInput.ask(prompts, for: "passphrase")
        guard passphrase?.isEmpty != true else { throw SecretInput.empty("passphrase") }
        return passphrase
    }

    /// Lends the passphrase to a call, and overwrites what was lent.
    static func with(
        _ passphrase: [UInt8]?,
        _ call: (UnsafePointer<SecItemImportExportKeyParameters>) -> OSStatus
    ) -> OSStatus {
        let bytes = passphrase ?? []
        let data = unsafe bytes.withUnsafeBytes {
            unsafe NSMutableData(bytes: $0.baseAddress, length: $0.count)
        }
        defer { data.resetBytes(in: NSRange(location: 0, length: data.length)) }
        return withExtendedLifetime(data) {
            var parameters = SecItemImportExportKeyParameters()
            if passphrase != nil { unsafe parameters.passphrase = Unmanaged.passUnretained(data) }
            return unsafe call(&parameters)
        }
    }
}

/// The names of formats, as `-f` takes them.
enum FormatName {
    /// `nil` for a name that means nothing.
    static func format(_ name: String) -> SecExternalFormat? {
        table.first { $0.name == name }?.format
    }

    // What is not supported is here too, so that the answer is that and not a complaint about usage.
    private static let table: [(name: String, format: SecExternalFormat)] = [
        ("openssl", .formatOpenSSL), ("bsafe", .formatBSAFE), ("raw", .formatRawKey),
        ("pkcs7", .formatPKCS7), ("pkcs8", .formatWrappedPKCS8), ("pkcs12", .formatPKCS12),
        ("netscape", .formatNetscapeCertSequence), ("x509", .formatX509Cert),
        ("pemseq", .formatPEMSequence), ("openssh1", .formatSSH), ("openssh2", .formatSSHv2),
    ]
}
