// SPDX-License-Identifier: Apache-2.0

import CKeychainLinux
import Glibc
import KeychainModel
import KeychainUserPresence

/// Finds the words that complete a line of interactive mode.
enum CompletionSources {
    static func words(_ kind: CompletionKind) -> [String] {
        switch kind {
        case .words(let words): words
        case .keychain: keychains()
        case .item: items()
        case .file(let path): files(path)
        }
    }

    /// `login`, and the names of the keychains beside the login keychain.
    private static func keychains() -> [String] {
        guard let login = try? Keychains.login(), let slash = login.lastIndex(of: "/") else { return [] }
        let suffix = ".keychain"
        let names = self.names(in: String(login[...slash])).filter { $0.hasSuffix(suffix) && $0 != suffix }
        return ["login"] + names.map { String($0.dropLast(suffix.count)) }
    }

    /// The names of the passwords that can be listed without a prompt.
    private static func items() -> [String] {
        let state = ContextState()
        state.interactionNotAllowed = true
        var names: [String] = []
        try? Keychains.each([], ScannedArguments()) { () throws(Failure) in
            let listing = Listing(.omitted, state)
            names += try listing.passwords(.genericPassword, withData: false)
                .map { "\($0.string(.service))/\($0.string(.account))" }
            names += try listing.passwords(.internetPassword, withData: false)
                .map { "\($0.string(.server))/\($0.string(.account))" }
        }
        return names
    }

    /// The paths of all files in the directory of `path`; the path of a directory ends with a slash.
    ///
    /// Hidden files are included only if the last component of `path` starts with a dot.
    private static func files(_ path: String) -> [String] {
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
        let showsHidden = path.dropFirst(folder.count).hasPrefix(".")
        return names(in: folder.isEmpty ? "." : folder)
            .filter { showsHidden || !$0.hasPrefix(".") }
            .map { name in
                var file = clinux_file()
                let isFolder =
                    unsafe clinux_identify(AT_FDCWD, folder + name, 0, &file) == 0
                    && mode_t(file.mode) & S_IFMT == S_IFDIR
                return folder + name + (isFolder ? "/" : "")
            }
    }

    /// The names of the files in a directory that are valid UTF-8.
    private static func names(in folder: String) -> [String] {
        guard let directory = unsafe opendir(folder) else { return [] }
        defer { unsafe _ = closedir(directory) }
        var names: [String] = []
        while let entry = unsafe readdir(directory) {
            let bytes = unsafe withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                unsafe Array(bytes.prefix { $0 != 0 })
            }
            if let name = String(validating: bytes, as: UTF8.self), name != ".", name != ".." {
                names.append(name)
            }
        }
        return names
    }
}
