// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainClient
import KeychainDaemon
import KeychainModel
import Logging

/// Unlocks a user's store when the daemon starts, without asking the user for the passcode.
///
/// The user service reads the passcode from an open file or from the systemd credential `keychain.passcode`. The system
/// service reads the credentials `keychain.passcode.UID`.
struct UnattendedUnlock {
    private let user: UInt32
    private let passcode: SentSecret

    private static let credential = "keychain.passcode"
    private static let limit = 1_025

    static func all(_ options: Options) -> [Self] {
        if let descriptor = options.passcodeDescriptor {
            defer { close(descriptor) }
            return [passcode(descriptor).map { Self(user: geteuid(), passcode: $0) }].compactMap { $0 }
        }
        guard let directory = unsafe getenv("CREDENTIALS_DIRECTORY") else { return [] }
        let path = unsafe String(cString: directory)
        guard options.service == .system else {
            return [passcode(in: "\(path)/\(credential)").map { Self(user: geteuid(), passcode: $0) }]
                .compactMap { $0 }
        }
        let prefix = credential + "."
        return ServiceManager.credentials(in: path).compactMap { name in
            guard name.hasPrefix(prefix), let user = UInt32(name.dropFirst(prefix.count)),
                let passcode = passcode(in: "\(path)/\(name)")
            else { return nil }
            return Self(user: user, passcode: passcode)
        }
    }

    /// Unlocks the store; logs the result.
    func run(on server: Server, _ log: Logger) {
        do throws(StatusError) {
            try server.unlock(with: passcode.bytes, for: user)
            log.info("unlocked", metadata: ["uid": "\(user)"])
        } catch {
            log.error("\(error.explanation.sentence)", metadata: ["uid": "\(user)"])
        }
    }

    private static func passcode(in path: String) -> SentSecret? {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        return passcode(file)
    }

    /// Reads a passcode up to the first newline; `nil` if it is empty or cannot be read.
    ///
    /// Reads at most 1,025 bytes, one more than a passcode may have.
    private static func passcode(_ file: CInt) -> SentSecret? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(limit)
        var byte: UInt8 = 0
        while bytes.count < limit {
            let count = unsafe read(file, &byte, 1)
            if count < 0, errno == EINTR { continue }
            if count <= 0 || byte == UInt8(ascii: "\n") { break }
            bytes.append(byte)
        }
        guard !bytes.isEmpty else { return nil }
        return SentSecret(SecretBytes(moving: &bytes))
    }
}
