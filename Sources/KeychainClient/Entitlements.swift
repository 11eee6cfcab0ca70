// SPDX-License-Identifier: Apache-2.0

import Glibc
package import KeychainModel

/// The entitlements of a program, read from a property list or stated in the program's code.
///
/// In the embedded store, entitlements are a convention among one user's programs, not a security boundary,
/// because all of these programs can read the store's files.
package struct Entitlements: Hashable, Sendable {
    package let applicationIdentifier: String?
    package let keychainAccessGroups: [String]?
    package let applicationGroups: [String]?

    /// Parses a property list in XML or binary format.
    ///
    /// - Throws: `missingEntitlement` with `malformedEntitlements`, so that a malformed file grants no group.
    package init(propertyList: [UInt8]) throws(StatusError) {
        guard case .dictionary(let list)? = PropertyListValue(parsing: propertyList) else {
            throw StatusError(.missingEntitlement, .malformedEntitlements)
        }
        switch list["application-identifier"] {
        case .string(let identifier)?: applicationIdentifier = identifier
        case nil: applicationIdentifier = nil
        default: throw StatusError(.missingEntitlement, .malformedEntitlements)
        }
        keychainAccessGroups = try Self.groups(list["keychain-access-groups"])
        applicationGroups = try Self.groups(list["com.apple.security.application-groups"])
    }

    /// Returns the groups of an entitlement; `nil` if the file does not contain it.
    private static func groups(_ value: PropertyListValue?) throws(StatusError) -> [String]? {
        guard let value else { return nil }
        guard case .array(let members) = value else {
            throw StatusError(.missingEntitlement, .malformedEntitlements)
        }
        var groups: [String] = []
        for member in members {
            guard case .string(let group) = member else {
                throw StatusError(.missingEntitlement, .malformedEntitlements)
            }
            groups.append(group)
        }
        return groups
    }

    /// Returns the caller for an executable with these entitlements, with exactly the listed groups.
    ///
    /// The groups are in Apple's order: keychain groups, application identifier, application groups.
    package func caller(executable: String) -> Caller {
        let identifier = applicationIdentifier.flatMap { $0.isEmpty ? nil : $0 }
        return Caller(
            applicationIdentifier: identifier ?? Self.fileName(of: executable),
            accessGroups: (keychainAccessGroups ?? []) + [identifier].compactMap { $0 }
                + (applicationGroups ?? [])
        )
    }

    /// Returns the caller for an executable without entitlements.
    ///
    /// The executable's file name is its application identifier and its only access group.
    package static func callerWithoutFile(executable: String) -> Caller {
        let identifier = fileName(of: executable)
        return Caller(applicationIdentifier: identifier, accessGroups: [identifier])
    }

    private static func fileName(of executable: String) -> String {
        executable.lastComponentOfPath ?? "unnamed"
    }

    package static func callerOfThisProcess() throws(StatusError) -> Caller {
        let executable = executablePath()
        return try read(executable: executable)?.caller(executable: executable)
            ?? callerWithoutFile(executable: executable)
    }

    /// Reads the entitlements file of an executable; `nil` if none is beside the executable.
    ///
    /// `KEYCHAIN_ENTITLEMENTS` can name another file, which must exist.
    private static func read(executable: String) throws(StatusError) -> Self? {
        guard let path = path(executable: executable) else { return nil }
        guard let propertyList = content(of: path) else {
            throw StatusError(.missingEntitlement, .malformedEntitlements)
        }
        return try Self(propertyList: propertyList)
    }

    /// Returns the path of the entitlements file; `nil` if none is named or beside the executable.
    fileprivate static func path(executable: String) -> String? {
        if let named = Environment["KEYCHAIN_ENTITLEMENTS"] { return named }
        let path = executable + ".entitlements"
        return unsafe access(path, F_OK) == 0 ? path : nil
    }

    /// The maximum size of an entitlements file, in bytes.
    private static let largestFile = 1 << 20

    /// Reads a file; `nil` if it cannot be read or is too large.
    private static func content(of path: String) -> [UInt8]? {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var failed = false
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: largestFile + 1) { buffer, count in
            while count <= largestFile {
                let got = unsafe Glibc.read(
                    file,
                    buffer.baseAddress?.advanced(by: count),
                    largestFile + 1 - count
                )
                if got < 0, errno == EINTR { continue }
                failed = got < 0
                if got <= 0 { break }
                count += got
            }
        }
        return failed || bytes.count > largestFile ? nil : bytes
    }

    package static func executablePath() -> String {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        let count = unsafe readlink("/proc/self/exe", &buffer, buffer.count - 1)
        guard count > 0 else { return CommandLine.arguments.first ?? "unnamed" }
        let link = String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return path(ofLink: link) { path in unsafe access(path, F_OK) == 0 }
    }

    /// Returns the target of `/proc/self/exe`, without the kernel's suffix for deleted files.
    ///
    /// A running program therefore keeps its identity after an upgrade. The suffix stays if a file has that name.
    package static func path(ofLink link: String, exists: (String) -> Bool) -> String {
        let mark = " (deleted)"
        guard link.hasSuffix(mark), !exists(link) else { return link }
        return String(link.dropLast(mark.count))
    }
}

extension SystemKeychain {
    /// The path of this program's entitlements file; `nil` if it has none.
    package static var entitlementsPath: String? {
        Entitlements.path(executable: Entitlements.executablePath())
    }

    /// The file name of this process's executable, which prompts show.
    ///
    /// The name comes from `/proc`. If `/proc` cannot be read, it comes from `argv[0]`, which any program can choose.
    package static var programName: String {
        let path = Entitlements.executablePath()
        return path.lastComponentOfPath ?? path
    }
}
