// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials
import Glibc
package import KeychainModel

/// The entitlements of a process, from a property list next to its executable.
///
/// In the embedded store they are a convention among one user's programs, not a security boundary: all of
/// them can read the store's files. A daemon will require signed entitlements.
package struct Entitlements: Decodable, Hashable, Sendable {
    package let applicationIdentifier: String?
    package let keychainAccessGroups: [String]?
    package let applicationGroups: [String]?

    private enum CodingKeys: String, CodingKey {
        case applicationIdentifier = "application-identifier"
        case keychainAccessGroups = "keychain-access-groups"
        case applicationGroups = "com.apple.security.application-groups"
    }

    /// Parses a property list.
    ///
    /// - Throws: `missingEntitlement` with `malformedEntitlements`: a malformed file grants no group.
    package init(propertyList: Data) throws(StatusError) {
        do {
            self = try PropertyListDecoder().decode(Self.self, from: propertyList)
        } catch {
            throw StatusError(.missingEntitlement, .malformedEntitlements)
        }
    }

    /// The caller for an executable with these entitlements, with exactly the listed groups.
    ///
    /// The order of the groups is Apple's: keychain groups, application identifier, application groups.
    package func caller(executable: String) -> Caller {
        let identifier = applicationIdentifier.flatMap { $0.isEmpty ? nil : $0 }
        return Caller(
            applicationIdentifier: identifier ?? Self.fileName(of: executable),
            accessGroups: (keychainAccessGroups ?? []) + [identifier].compactMap { $0 }
                + (applicationGroups ?? [])
        )
    }

    /// The caller for an executable without entitlements.
    ///
    /// Its file name is its application identifier and only access group.
    package static func callerWithoutFile(executable: String) -> Caller {
        let identifier = fileName(of: executable)
        return Caller(applicationIdentifier: identifier, accessGroups: [identifier])
    }

    private static func fileName(of executable: String) -> String {
        executable.split(separator: "/").last.map(String.init) ?? "unnamed"
    }

    /// The caller for this process.
    package static func callerOfThisProcess() throws(StatusError) -> Caller {
        let executable = executablePath()
        return try read(executable: executable)?.caller(executable: executable)
            ?? callerWithoutFile(executable: executable)
    }

    /// Reads the entitlements file; `nil` if there is none.
    private static func read(executable: String) throws(StatusError) -> Self? {
        let named = Environment["KEYCHAIN_ENTITLEMENTS"]
        let path = named ?? executable + ".entitlements"
        if named == nil, unsafe access(path, F_OK) != 0 { return nil }
        guard let propertyList = try? Data(contentsOf: URL(filePath: path)) else {
            throw StatusError(.missingEntitlement, .malformedEntitlements)
        }
        return try Self(propertyList: propertyList)
    }

    static func executablePath() -> String {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        let count = unsafe readlink("/proc/self/exe", &buffer, buffer.count - 1)
        guard count > 0 else { return CommandLine.arguments.first ?? "unnamed" }
        let link = String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return path(ofLink: link) { path in unsafe access(path, F_OK) == 0 }
    }

    /// The target of `/proc/self/exe`, without the kernel's suffix for deleted files.
    ///
    /// After an upgrade, a running program therefore keeps its identity.
    package static func path(ofLink link: String, exists: (String) -> Bool) -> String {
        let mark = " (deleted)"
        guard link.hasSuffix(mark), !exists(link) else { return link }
        return String(link.dropLast(mark.count))
    }
}

extension SystemKeychain {
    /// The file name of this process's executable, shown in prompts.
    ///
    /// A program cannot choose this name by itself.
    package static var programName: String {
        let path = Entitlements.executablePath()
        return path.split(separator: "/").last.map(String.init) ?? path
    }
}
