// SPDX-License-Identifier: Apache-2.0

import KeychainModel
import KeychainObjects

/// Reads a KeePass database.
///
/// The database's password comes from the descriptor of `--fd`, the terminal or standard input.
struct KeePassFile {
    private let name: String
    private let arguments: ScannedArguments
    private let descriptor: Int32?

    init(_ name: String, _ arguments: ScannedArguments) throws(Failure) {
        self.name = name
        self.arguments = arguments
        descriptor = try DescriptorInput.named(by: arguments)
        #if !KeePass
        throw Self.failure(.traitDisabled, name)
        #endif
    }

    func read() throws(Failure) -> ImportedFile {
        let file = Array(try InputFile.read(name))
        var key: [UInt8]?
        if let path = arguments.value("key-file") { key = Array(try InputFile.read(path)) }
        var password = try password(isOptional: key != nil)
        defer { password.wipe() }
        do throws(KeePassError) {
            return try KeePassEntries.items(of: KeePassDatabase(file, password: password, keyFile: key))
        } catch {
            throw Self.failure(error, name)
        }
    }

    /// Returns the password; empty if the user gave none and the key file alone must open the database.
    private func password(isOptional: Bool) throws(Failure) -> [UInt8] {
        let missing = Failure.message("no password was given", result: 1)
        do throws(Failure) {
            if let descriptor { return try DescriptorInput.secret(from: descriptor, orThrow: missing) }
            if name == "-" || arguments.value("key-file") == "-" {
                let answer = try SecretInput.ask(["password of the database: "], for: "password")
                guard let answer, !answer.isEmpty else { throw missing }
                return answer
            }
            return try SecretInput.password(
                asking: ["password of the database: "],
                isInteractive: arguments.isInteractive
            )
        } catch {
            guard error == missing || error == SecretInput.empty("password") else { throw error }
            guard isOptional else { throw missing }
            return []
        }
    }

    private static func failure(_ error: KeePassError, _ name: String) -> Failure {
        let isUnsupported = error == .traitDisabled
        return .message(
            "\(InputFile.displayName(name)): \(reason(error))",
            result: isUnsupported ? Status.unimplemented.rawValue : code(error)
        )
    }

    private static func code(_ error: KeePassError) -> Int32 {
        switch error {
        case .wrongKey: Status.authenticationFailed.rawValue
        case .outOfMemory: Status.allocation.rawValue
        default: Status.unknownFormat.rawValue
        }
    }

    // swift-format-ignore
    private static func reason(_ error: KeePassError) -> String {
        switch error {
        case .traitDisabled: "KeePass databases need a build with the package trait KeePass"
        case .notKeePass: "the file is not a KeePass database"
        case .firstGeneration: "the file is a database of KeePass 1; open it with KeePassXC, and save it as KDBX 4"
        case .oldVersion(let version): "the file is a KDBX \(version) database; save it as KDBX 4 with KeePassXC or KeePass 2.35 or later"
        case .newVersion(let version): "the file is a KDBX \(version) database, and this command reads KDBX 4; export it as KDBX 4"
        case .truncated: "the end of the KeePass database is missing"
        case .damaged: "the KeePass database is damaged"
        case .wrongKey: "the password or the key file is wrong"
        case .malformedKeyFile: "the key file is damaged, or has an unknown version"
        case .unsupportedCipher: "the cipher is not supported; choose AES or ChaCha20 in the settings of the database"
        case .unsupportedDerivation: "the key derivation function is not supported; choose Argon2 in the settings of the database"
        case .tooMuchWork: "deriving the key takes too much memory or time; the limits are 1 GiB of memory, and 64 GiB for memory times iterations"
        case .outOfMemory: "there is too little memory to derive the key"
        case .tooLarge: "the contents of the KeePass database are larger than 128 MiB"
        }
    }
}

private enum KeePassEntries {
    static func items(of database: KeePassDatabase) throws(KeePassError) -> ImportedFile {
        var file = ImportedFile()
        for (number, entry) in database.entries.enumerated() {
            do throws(Failure) {
                try add(entry, "entry \(number + 1)", to: &file)
            } catch {
                file.reject("entry \(number + 1)", "an attribute cannot be stored")
            }
        }
        let omitted = [
            ("earlier versions of entries", database.earlierVersions),
            ("entries in the recycle bin", database.recycled), ("attached files", database.attachments),
        ]
        file.omitted = omitted.filter { $0.1 > 0 }.map { (kind: $0.0, count: $0.1) }
        return file
    }

    private static let standard: Set = ["Title", "UserName", "Password", "URL", "Notes"]

    private static func add(
        _ entry: KeePassDatabase.Entry,
        _ location: String,
        to file: inout ImportedFile
    ) throws(Failure) {
        let (title, url) = (entry.value("Title"), entry.value("URL"))
        guard !title.isEmpty || !url.isEmpty else {
            return file.reject(location, "it has neither a title nor a URL")
        }
        let (code, secrets) = (KeePassCode(entry).secret, others(entry, areProtected: true))
        let first = file.passwords.count
        switch entry.value("Password") {
        case let password where password.hasPrefix("{REF:"):
            file.reject(location, "its password is a reference to another entry")
        case "":
            if code == nil, secrets.isEmpty { file.reject(location, "it has no password") }
        case let password: file.passwords.append(try item(entry, password, location))
        }
        let (path, account) = (path(entry), entry.value("UserName"))
        for secret in secrets {
            let name = "\(path) (\(secret.name))"
            file.passwords.append(
                try LoginEntry.item(name: name, account: account, password: secret.value, location: location)
            )
        }
        if let code {
            LoginEntry.addOneTimeCode(
                name: path,
                account: account,
                secret: code,
                location: location,
                to: &file
            )
        }
        guard let expiry = entry.expiry else { return }
        for index in first..<file.passwords.count {
            file.passwords[index].attributes[.endDate] = .date(expiry)
        }
    }

    /// The names of the groups and of the entry, separated by slashes.
    private static func path(_ entry: KeePassDatabase.Entry) -> String {
        let title = entry.value("Title")
        return (entry.groups + [title.isEmpty ? entry.value("URL") : title]).joined(separator: "/")
    }

    private static func item(
        _ entry: KeePassDatabase.Entry,
        _ password: String,
        _ location: String
    ) throws(Failure) -> ImportedPassword {
        var item = try LoginEntry.item(
            name: entry.value("Title"),
            url: entry.value("URL"),
            account: entry.value("UserName"),
            password: password,
            note: note(entry),
            location: location
        )
        if item.itemClass == .genericPassword { item.attributes[.service] = .string(path(entry)) }
        return item
    }

    /// The fields that the user has added: those that KeePass hides if `areProtected`, otherwise the visible ones.
    ///
    /// Empty fields and those of one-time codes are left out.
    private static func others(
        _ entry: KeePassDatabase.Entry,
        areProtected: Bool
    ) -> [KeePassDatabase.Entry.Field] {
        entry.fields.filter {
            $0.isProtected == areProtected && !$0.value.isEmpty && !standard.contains($0.name)
                && !KeePassCode.names.contains($0.name)
        }
    }

    /// The notes of an entry, its group and the fields that KeePass does not hide.
    private static func note(_ entry: KeePassDatabase.Entry) -> String {
        let fields = others(entry, areProtected: false)
        let group = entry.groups.isEmpty ? [] : ["group: \(entry.groups.joined(separator: "/"))"]
        let notes = entry.value("Notes")
        return ((notes.isEmpty ? [] : [notes]) + group + fields.map { "\($0.name): \($0.value)" })
            .joined(separator: "\n")
    }
}

/// The secret of an entry's one-time code.
private struct KeePassCode {
    /// The names of the fields in which KeePassXC, KeePass 2.47 and two plugins store one-time codes.
    static let names: Set = [
        "otp", "TOTP Seed", "TOTP Settings", "TimeOtp-Secret-Base32", "TimeOtp-Length", "TimeOtp-Period",
        "TimeOtp-Algorithm",
    ]

    /// An `otpauth:` URL, or the field `otp` unchanged, such as a secret in base 32; `nil` without a one-time code.
    let secret: String?

    init(_ entry: KeePassDatabase.Entry) {
        let otp = entry.value("otp")
        if otp.lowercased().hasPrefix("otpauth:") {
            secret = otp
        } else if !otp.isEmpty {
            secret = Self.url(ofQuery: otp)
        } else if !entry.value("TimeOtp-Secret-Base32").isEmpty {
            let algorithm = entry.value("TimeOtp-Algorithm").filter { $0 != "-" }
            secret = Self.url(
                secret: entry.value("TimeOtp-Secret-Base32"),
                digits: entry.value("TimeOtp-Length"),
                period: entry.value("TimeOtp-Period"),
                algorithm: String(algorithm.hasPrefix("HMAC") ? algorithm.dropFirst(4) : algorithm[...])
            )
        } else if !entry.value("TOTP Seed").isEmpty {
            let settings = entry.value("TOTP Settings").split(separator: ";").map(String.init)
            secret = Self.url(
                secret: entry.value("TOTP Seed"),
                digits: settings.count > 1 ? settings[1] : "",
                period: settings.first ?? "",
                algorithm: ""
            )
        } else {
            secret = nil
        }
    }

    /// Converts a field of the plugin KeeOtp, such as `key=SECRET&size=6&step=30`; returns any other value unchanged.
    private static func url(ofQuery query: String) -> String {
        let pairs = query.split(separator: "&").map { $0.split(separator: "=", maxSplits: 1) }
        func value(_ name: String) -> String {
            pairs.first { $0.first.map { $0 == name } == true && $0.count > 1 }.map { String($0[1]) } ?? ""
        }
        guard !value("key").isEmpty else { return query }
        return url(
            secret: value("key"),
            digits: value("size"),
            period: value("step"),
            algorithm: value("otpHashMode").uppercased()
        )
    }

    private static func url(secret: String, digits: String, period: String, algorithm: String) -> String {
        var url = "otpauth://totp/imported?secret=\(secret.filter { $0 != " " })"
        for (name, value) in [("digits", digits), ("period", period), ("algorithm", algorithm)]
        where !value.isEmpty {
            url += "&\(name)=\(value)"
        }
        return url
    }
}
