// SPDX-License-Identifier: Apache-2.0

import CKeychainLinux
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
        for name in try names(in: "", &file) {
            // Without a pinentry, gpg-agent decrypts only with keys whose passphrase it has cached.
            let pinentry = TerminalPrompt.isForbidden ? ["--pinentry-mode", "error"] : []
            let arguments = ["--quiet", "--batch"] + pinentry + ["--decrypt", "--", "\(root)/\(name)"]
            let result = try ChildProgram(gpg, arguments).run(output: .captured)
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

    /// Adds the items of a decrypted file.
    ///
    /// The first line is the password, unless it is an `otpauth:` URL. The first `otpauth:` line becomes a separate
    /// item. The other nonempty lines after the first become the comment. A line such as `login: NAME` also sets the
    /// account.
    private func add(_ text: String, _ name: String, to file: inout ImportedFile) {
        let lines = text.lines.map(String.init)
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
                    location: name
                )
            )
        } else if !lines.contains(where: { $0.lowercased().hasPrefix("otpauth:") }) {
            file.reject(name, "it has no password")
        }
        guard let code = lines.first(where: { $0.lowercased().hasPrefix("otpauth:") }) else { return }
        LoginEntry.addOneTimeCode(name: service, account: account, secret: code, location: name, to: &file)
    }

    private static func login(_ line: String) -> String? {
        for name in ["login:", "username:", "user:"] where line.lowercased().hasPrefix(name) {
            return String(line.dropFirst(name.count)).trimmed
        }
        return nil
    }

    /// Returns the sorted paths of the encrypted files below a folder, relative to the root.
    ///
    /// Hidden files and folders are skipped; links to directories and names that are not UTF-8 are rejected.
    private func names(in folder: String, _ file: inout ImportedFile) throws(Failure) -> [String] {
        guard let directory = unsafe opendir("\(root)/\(folder)") else {
            throw InputFile.failure(root, errno)
        }
        defer { unsafe _ = closedir(directory) }
        var (files, folders, entries) = ([] as [String], [] as [String], [] as [[UInt8]])
        while let name = unsafe try nextName(in: directory) { entries.append(name) }
        entries.sort { $0.lexicographicallyPrecedes($1) }
        for bytes in entries where bytes.first != UInt8(ascii: ".") {
            let prefix = folder.isEmpty ? "" : "\(folder)/"
            guard let name = String(validating: bytes, as: UTF8.self) else {
                file.reject(prefix + String(decoding: bytes, as: UTF8.self), "its name is not UTF-8")
                continue
            }
            switch try kind(of: prefix + name) {
            case .directory: folders.append(prefix + name)
            case .linkedDirectory: file.reject(prefix + name, "it is a link to a directory")
            case .file: if name.hasSuffix(".gpg") { files.append(prefix + name) }
            }
        }
        for folder in folders { files += try names(in: folder, &file) }
        return files.sorted()
    }

    private func nextName(in directory: OpaquePointer) throws(Failure) -> [UInt8]? {
        errno = 0
        guard let entry = unsafe readdir(directory) else {
            guard errno == 0 else { throw InputFile.failure(root, errno) }
            return nil
        }
        return unsafe withUnsafeBytes(of: entry.pointee.d_name) { bytes in
            unsafe Array(bytes.prefix { $0 != 0 })
        }
    }

    private enum Kind {
        case directory, file
        /// A symbolic link to a directory, which could form a cycle.
        case linkedDirectory
    }

    /// Returns the kind of a file; some file systems do not report it in the entries of a directory.
    private func kind(of name: String) throws(Failure) -> Kind {
        let path = "\(root)/\(name)"
        var file = clinux_file()
        guard unsafe clinux_identify(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, &file) == 0 else {
            throw InputFile.failure(path, errno)
        }
        if mode_t(file.mode) & S_IFMT == S_IFDIR { return .directory }
        guard mode_t(file.mode) & S_IFMT == S_IFLNK else { return .file }
        guard unsafe clinux_identify(AT_FDCWD, path, 0, &file) == 0 else { return .file }
        return mode_t(file.mode) & S_IFMT == S_IFDIR ? .linkedDirectory : .file
    }
}
