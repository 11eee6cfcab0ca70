// SPDX-License-Identifier: Apache-2.0

package import KeychainModel

package struct ImportedPassword {
    package let itemClass: ItemClass
    package var attributes: Attributes
    package let password: [UInt8]
    /// The location in the file, for the report: a line, a file name or a number.
    package let location: String
}

package struct ImportedFile {
    package var passwords: [ImportedPassword] = []
    /// The entries that cannot become items, with the reasons, but without their values.
    package var rejected: [(location: String, reason: String)] = []
    /// Kinds of contents that are not imported, such as earlier versions of entries, and how many of each there are.
    package var omitted: [(kind: String, count: Int)] = []

    package init() {}

    mutating func reject(_ location: String, _ reason: String) { rejected.append((location, reason)) }
}

/// The file formats that `import-passwords` reads.
package enum ImportFormat: String, CaseIterable {
    case chrome, firefox, onePassword = "1password", bitwarden, keepass, netrc, docker, macos, pass
    case secretService = "secret-service"

    /// Parses a file of any format except `pass`, which is a directory, and `keepass`, which is encrypted.
    ///
    /// For `secret-service`, the bytes are the output of `keychain-secret-service --export`.
    ///
    /// - Throws: A failure that contains no value of the file: for example, if the file does not have the format, or if
    ///   an entry is invalid.
    package func parse(_ bytes: [UInt8]) throws(Failure) -> ImportedFile {
        switch self {
        case .chrome, .firefox, .onePassword: try BrowserCSV(self).parse(bytes)
        case .bitwarden: try BitwardenJSON.parse(bytes)
        case .netrc: try NetrcFile.parse(bytes)
        case .docker: try DockerConfiguration.parse(bytes)
        case .macos: try KeychainDump.parse(bytes)
        case .secretService: try SecretServiceItems.parse(bytes)
        case .pass, .keepass: throw .message("pass is a directory, and keepass is encrypted", result: 1)
        }
    }

    static func malformed(_ what: String) -> Failure {
        .message("the file is not \(what)", result: Status.unknownFormat.rawValue)
    }
}

/// Creates items from the entries of a password manager.
enum LoginEntry {
    /// Creates an internet password for a URL that ``URLTarget`` can parse, otherwise a generic password.
    static func item(
        name: String,
        url: String = "",
        account: String = "",
        password: String,
        note: String = "",
        location: String
    ) throws(Failure) -> ImportedPassword {
        var attributes = Attributes()
        let itemClass: ItemClass
        if let target = URLTarget(url) {
            itemClass = .internetPassword
            attributes = try HelperItems.internet(
                server: target.host,
                protocol: target.code,
                port: target.port,
                path: target.path,
                account: account
            )
        } else {
            itemClass = .genericPassword
            attributes[.service] = .string(url.isEmpty ? name : url)
            attributes[.account] = .string(account)
        }
        attributes[.label] = .string(name.isEmpty ? url : name)
        if !note.isEmpty { attributes[.comment] = .string(note) }
        return ImportedPassword(
            itemClass: itemClass,
            attributes: attributes,
            password: Array(password.utf8),
            location: location
        )
    }

    /// Adds a generic password from which the command `otp` generates codes.
    ///
    /// Rejects a secret that is neither an `otpauth:` URL nor in base 32.
    static func addOneTimeCode(
        name: String,
        account: String,
        secret: String,
        location: String,
        to file: inout ImportedFile
    ) {
        let secret = secret.trimmed
        let isURL = secret.lowercased().hasPrefix("otpauth://")
        guard isURL || Base32.bytes(of: secret)?.isEmpty == false else {
            return file.reject(location, "its one-time code is neither an otpauth: URL nor in base 32")
        }
        let url = isURL ? secret : "otpauth://totp/imported?secret=\(secret.filter { $0 != " " })"
        var attributes = Attributes()
        attributes[.service] = .string("\(name) (one-time code)")
        attributes[.account] = .string(account)
        attributes[.label] = .string("\(name) (one-time code)")
        file.passwords.append(
            ImportedPassword(
                itemClass: .genericPassword,
                attributes: attributes,
                password: Array(url.utf8),
                location: location
            )
        )
    }
}

/// The parts of a URL that an internet password stores.
package struct URLTarget {
    package let code: String
    package let host: String
    package let port: Int64
    package let path: String

    /// Parses a URL; `nil` if its scheme is unknown, its port is invalid or it has no host.
    package init?(_ url: String) {
        guard let colon = url.firstRange(of: "://"),
            let code = SchemeCode.code(of: String(url[..<colon.lowerBound]))
        else { return nil }
        let rest = url[colon.upperBound...].prefix { $0 != "?" && $0 != "#" }
        var authority = rest.prefix { $0 != "/" }
        let path = rest.dropFirst(authority.count)
        if let at = authority.lastIndex(of: "@") { authority = authority[authority.index(after: at)...] }
        var port: Int64 = 0
        if let mark = authority.lastIndex(of: ":"), !authority.hasSuffix("]") {
            guard let number = UInt16(authority[authority.index(after: mark)...]) else { return nil }
            port = Int64(number)
            authority = authority[..<mark]
        }
        guard !authority.isEmpty else { return nil }
        self.code = code
        host = authority.lowercased()
        self.port = port
        self.path = path == "/" ? "" : String(path)
    }
}

extension String {
    /// The lines, which end with a line feed, or with a carriage return and a line feed.
    ///
    /// If the string ends with a line ending, the last element is empty.
    var lines: [Substring] {
        split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
    }
}
