// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainModel

/// Reads a password directory of the program `pass`, decrypting its files with `gpg`.
struct PasswordStore {
    private let root: String
    private let gpg: String

    init(_ root: String) throws(Failure) {
        self.root = root
        guard let gpg = ChildProgram.find("gpg") else { throw .message("gpg is not installed", result: 1) }
        self.gpg = gpg
    }

    func read() throws(Failure) -> ImportedFile {
        var file = ImportedFile()
        for name in try Self.names(in: root, "") {
            let result = try ChildProgram(gpg, ["--quiet", "--batch", "--decrypt", "--", "\(root)/\(name)"])
                .run(output: .captured)
            guard result.code == 0 else {
                file.reject(name, "gpg cannot decrypt it")
                continue
            }
            guard let text = String(validating: result.output, as: UTF8.self) else {
                file.reject(name, "it is not UTF-8")
                continue
            }
            add(text, String(name.dropLast(4)), to: &file)
        }
        return file
    }

    /// Adds a decrypted file: its first line is the password, an `otpauth:` line a separate item, the rest the comment.
    private func add(_ text: String, _ name: String, to file: inout ImportedFile) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let parts = name.split(separator: "/").map(String.init)
        let login = lines.dropFirst().lazy.compactMap(Self.login).first
        let service = parts.count > 1 && login == nil ? parts.dropLast().joined(separator: "/") : name
        let account = login ?? (parts.count > 1 ? parts[parts.count - 1] : "")
        var attributes = Attributes()
        attributes[.service] = .string(service)
        attributes[.account] = .string(account)
        attributes[.label] = .string(name)
        let others = lines.dropFirst().filter { !$0.isEmpty && !$0.lowercased().hasPrefix("otpauth:") }
        if !others.isEmpty { attributes[.comment] = .string(others.joined(separator: "\n")) }
        if let password = lines.first, !password.isEmpty, !password.lowercased().hasPrefix("otpauth:") {
            file.passwords.append(
                ImportedPassword(
                    itemClass: .genericPassword,
                    attributes: attributes,
                    password: Array(password.utf8),
                    place: name
                )
            )
        } else if !lines.contains(where: { $0.lowercased().hasPrefix("otpauth:") }) {
            file.reject(name, "it has no password")
        }
        guard let code = lines.first(where: { $0.lowercased().hasPrefix("otpauth:") }) else { return }
        file.passwords.append(
            LoginEntry.oneTimeCode(name: service, account: account, secret: code, place: name)
        )
    }

    private static func login(_ line: String) -> String? {
        for name in ["login:", "username:", "user:"] where line.lowercased().hasPrefix(name) {
            return String(line.dropFirst(name.count)).trimmed
        }
        return nil
    }

    /// Returns the paths of the encrypted files below the root, sorted.
    private static func names(in root: String, _ folder: String) throws(Failure) -> [String] {
        guard let directory = unsafe opendir("\(root)/\(folder)") else {
            throw InputFile.failure(root, errno)
        }
        defer { unsafe _ = closedir(directory) }
        var (files, folders) = ([] as [String], [] as [String])
        while let entry = unsafe readdir(directory) {
            let name = unsafe withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                unsafe String(validating: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard let name, !name.hasPrefix(".") else { continue }
            let path = folder.isEmpty ? name : "\(folder)/\(name)"
            // Do not follow symbolic links to directories, which could form a cycle.
            if unsafe entry.pointee.d_type == UInt8(DT_DIR) {
                folders.append(path)
            } else if name.hasSuffix(".gpg") {
                files.append(path)
            }
        }
        for folder in folders { files += try names(in: root, folder) }
        return files.sorted()
    }
}
