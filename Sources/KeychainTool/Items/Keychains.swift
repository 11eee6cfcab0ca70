// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainClient
import KeychainModel

/// The keychains on which a command works.
///
/// A keychain is a directory. The environment names the directory of the login keychain. An operand is either a
/// name, which selects a directory beside the login keychain, or the path of any directory: a relative path has a slash,
/// and is resolved against the working directory. Without an operand, the user's default or search list applies.
enum Keychains {
    private static let step = "SecKeychainOpen"
    private static let loginNames = ["login", "login.keychain", "login.keychain-db"]
    private static let suffix = ".keychain"
    private static let longestName = 128

    static func login(_ step: String = Keychains.step) throws(Failure) -> String {
        try KeychainCalls.failing(step, body: SystemKeychain.directoryOfEnvironment)
    }

    // MARK: Names

    /// The directory that a name or a path selects, whether or not it contains a keychain.
    ///
    /// A path that ends in a name of macOS's login keychain, and at which there is no keychain, selects the login
    /// keychain. Any other path selects itself.
    ///
    /// `acceptsForeignPaths` is false for commands that create or delete a keychain: every path then selects itself.
    ///
    /// - Returns: `nil` if the string is neither a valid name nor a path.
    static func directory(_ text: String, acceptsForeignPaths: Bool = true) throws(Failure) -> String? {
        let login = try login()
        guard !text.isEmpty, text.utf8.count < 4_096, !text.unicodeScalars.contains(where: isControl) else {
            return nil
        }
        if loginNames.contains(text) { return login }
        guard text.contains("/") else { return path(ofName: text, beside: login) }
        guard let path = absolute(withoutTrailingSlashes(text)) else { return nil }
        if path == login || !acceptsForeignPaths || SystemKeychain.hasStore(in: path) { return path }
        return loginNames.contains(path.lastComponentOfPath ?? "") ? login : path
    }

    /// The absolute form of a path; `nil` if the working directory was deleted or its path is not valid UTF-8.
    private static func absolute(_ path: String) -> String? {
        guard !path.hasPrefix("/") else { return path }
        guard let bytes = unsafe getcwd(nil, 0) else { return nil }
        defer { unsafe free(bytes) }
        guard let working = unsafe String(validatingCString: bytes) else { return nil }
        var (directory, relative) = (working[...], path[...])
        while let prefix = ["./", "../"].first(where: relative.hasPrefix) {
            relative = relative.dropFirst(prefix.count)
            if prefix == "../" {
                directory = directory.prefix(upTo: directory.lastIndex(of: "/") ?? directory.startIndex)
            }
        }
        return directory == "/" ? "/\(relative)" : "\(directory)/\(relative)"
    }

    static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.generalCategory == .control
    }

    /// Returns the directory of a keychain name; `nil` if the name is invalid.
    ///
    /// `build`, `build.keychain` and `build.keychain-db` select one keychain. A name cannot start with a dot.
    private static func path(ofName name: String, beside login: String) -> String? {
        var stem = name[...]
        if stem.hasSuffix(suffix + "-db") { stem.removeLast(3) }
        if stem.hasSuffix(suffix) { stem.removeLast(suffix.count) }
        guard !stem.isEmpty, stem.first != ".", stem.utf8.count <= longestName else { return nil }
        let parent = login.lastIndex(of: "/").map { login[...$0] } ?? "/"
        return parent + stem + suffix
    }

    private static func withoutTrailingSlashes(_ path: String) -> String {
        var path = path
        while path.utf8.count > 1, path.hasSuffix("/") { path.removeLast() }
        return path
    }

    /// The directory of a keychain that an operand names; it must exist, unless it is the login keychain.
    ///
    /// The error repeats the operand, unless the arguments contain a password: the operand may be a piece of the
    /// password.
    static func existing(
        _ operand: String,
        _ arguments: ScannedArguments,
        acceptsForeignPaths: Bool = true
    ) throws(Failure) -> String {
        let directory = try directory(operand, acceptsForeignPaths: acceptsForeignPaths)
        if let directory {
            guard try directory != login(), !SystemKeychain.hasStore(in: directory) else { return directory }
        }
        throw .store(.noSuchKeychain, step: step, detail: complaint(operand, directory, arguments))
    }

    private static func complaint(
        _ operand: String,
        _ directory: String?,
        _ arguments: ScannedArguments
    ) -> String {
        guard !arguments.hasSecret else {
            return "an operand names no keychain; a password with spaces in it needs quotation marks"
        }
        let shown = BlobText.line(operand)
        guard let directory else {
            return "\"\(shown)\" is neither the name nor the path of a keychain"
        }
        return
            "\"\(shown)\": there is no keychain \(BlobText.line(directory)); create it with security create-keychain"
    }

    // MARK: Selection

    /// Directs all later calls to the keychain that an operand names, or to the default keychain.
    static func use(
        _ operand: String?,
        _ arguments: ScannedArguments,
        acceptsForeignPaths: Bool = true
    ) throws(Failure) {
        guard let operand else { return try useDefault() }
        use(try existing(operand, arguments, acceptsForeignPaths: acceptsForeignPaths))
    }

    /// Directs all later calls to the keychain of the first operand, or to the default keychain.
    static func useOperand(of arguments: ScannedArguments) throws(Failure) {
        try use(arguments.operands.first, arguments)
    }

    /// Directs all later calls to the keychain of `-k`, or to the default keychain.
    static func useOption(of arguments: ScannedArguments) throws(Failure) {
        try use(arguments.value("keychain"), arguments)
    }

    static func use(_ directory: String) {
        let login = try? login()
        SystemKeychain.useStore(at: directory == login ? nil : directory)
    }

    private static func missingDefault(_ directory: String) -> Failure {
        .store(
            .noDefaultKeychain,
            step: "SecKeychainCopyDefault",
            detail:
                "\(BlobText.line(directory)): there is no keychain; set another with security default-keychain -s"
        )
    }

    private static func useDefault() throws(Failure) {
        SystemKeychain.useStore(at: nil)
        // Ignore a missing home directory: every later call fails because of it,
        // with a better error than one from here.
        guard let login = try? login(), let chosen = try SearchList.load(login).defaultKeychain,
            chosen != login
        else { return }
        guard SystemKeychain.hasStore(in: chosen) else { throw missingDefault(chosen) }
        use(chosen)
    }

    // MARK: Searches

    /// Returns the keychains that the operands select.
    ///
    /// Without operands, these are the keychains of the search list that exist, and the login keychain if it is on
    /// the list; without a search list, it is the default keychain. The result is `nil` if the environment selects no
    /// directory for the login keychain; every call then fails.
    private static func searched(
        _ operands: [String],
        _ arguments: ScannedArguments
    ) throws(Failure) -> [String]? {
        guard operands.isEmpty else {
            var directories: [String] = []
            for operand in operands { directories.append(try existing(operand, arguments)) }
            return directories
        }
        guard let login = try? login() else { return nil }
        let list = try SearchList.load(login)
        if list.keychains.isEmpty, let chosen = list.defaultKeychain, !SystemKeychain.hasStore(in: chosen) {
            throw missingDefault(chosen)
        }
        return list.searched(login)
            .filter { $0 == login || SystemKeychain.hasStore(in: $0) }
    }

    /// Calls `body` for each keychain that is searched.
    static func each(
        _ operands: [String],
        _ arguments: ScannedArguments,
        _ body: () throws(Failure) -> Void
    ) throws(Failure) {
        guard let directories = try searched(operands, arguments) else {
            SystemKeychain.useStore(at: nil)
            return try body()
        }
        for directory in directories {
            use(directory)
            try body()
        }
    }

    /// Calls `body` for each keychain until one has the item.
    ///
    /// If none has it, the error names the access groups of other programs that have it.
    static func first<Result>(
        _ operands: [String],
        _ arguments: ScannedArguments,
        _ filter: ItemFilter,
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        guard let directories = try searched(operands, arguments) else {
            SystemKeychain.useStore(at: nil)
            return try body()
        }
        var foreign: [String] = []
        var lastStep = "SecKeychainSearchCopyNext"
        for directory in directories {
            use(directory)
            do throws(Failure) {
                return try body()
            } catch .status(.itemNotFound, let step, _) {
                lastStep = step
                foreign += AccessGroups.foreign(filter)
            }
        }
        throw AccessGroups.missed(foreign, step: lastStep)
    }
}

extension ScannedArguments {
    /// Whether an option has a password or passphrase as its value.
    fileprivate var hasSecret: Bool {
        occurrences.contains {
            $0.value != nil && [.secret, .hexadecimal, .passphrase].contains($0.option.kind)
        }
    }
}
