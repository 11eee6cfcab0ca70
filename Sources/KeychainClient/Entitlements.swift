// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials
import Glibc
package import KeychainModel

/// What a process says it is entitled to, in a property list beside its executable.
///
/// In the embedded store this is a convention among programs of one user, not a barrier: they all can read the store's
/// files. The daemon will hold callers to signed entitlements.
package struct Entitlements: Decodable, Hashable, Sendable {
    package let applicationIdentifier: String?
    package let keychainAccessGroups: [String]?
    package let applicationGroups: [String]?

    private enum CodingKeys: String, CodingKey {
        case applicationIdentifier = "application-identifier"
        case keychainAccessGroups = "keychain-access-groups"
        case applicationGroups = "com.apple.security.application-groups"
    }

    /// Reads a property list.
    ///
    /// - Throws: `missingEntitlement` with `malformedEntitlements`: no group is granted by a file that cannot be read.
    package init(propertyList: Data) throws(StatusError) {
        do {
            self = try PropertyListDecoder().decode(Self.self, from: propertyList)
        } catch {
            throw StatusError(.missingEntitlement, .malformedEntitlements)
        }
    }

    /// The caller of an executable with these entitlements; it has the groups that they list and no other.
    ///
    /// The order of the groups is Apple's: keychain groups, application identifier,
    /// application groups.
    package func caller(executable: String) -> Caller {
        let identifier = applicationIdentifier.flatMap { $0.isEmpty ? nil : $0 }
        return Caller(
            applicationIdentifier: identifier ?? Self.fileName(of: executable),
            accessGroups: (keychainAccessGroups ?? []) + [identifier].compactMap { $0 }
                + (applicationGroups ?? [])
        )
    }

    /// The caller of an executable without entitlements; its file name is its identifier and its only group.
    package static func callerWithoutFile(executable: String) -> Caller {
        let identifier = fileName(of: executable)
        return Caller(applicationIdentifier: identifier, accessGroups: [identifier])
    }

    private static func fileName(of executable: String) -> String {
        executable.split(separator: "/").last.map(String.init) ?? "unnamed"
    }

    /// The caller that this process is.
    package static func callerOfThisProcess() throws(StatusError) -> Caller {
        let executable = executablePath()
        return try read(executable: executable)?.caller(executable: executable)
            ?? callerWithoutFile(executable: executable)
    }

    /// Reads the entitlements file; `nil` if the executable has no such file.
    private static func read(executable: String) throws(StatusError) -> Self? {
        let named = Environment["KEYCHAIN_ENTITLEMENTS"]
        let path = named ?? executable + ".entitlements"
        if named == nil, unsafe access(path, F_OK) != 0 { return nil }
        guard let propertyList = try? Data(contentsOf: URL(filePath: path)) else {
            throw StatusError(.missingEntitlement, .malformedEntitlements)
        }
        return try Self(propertyList: propertyList)
    }

    fileprivate static func executablePath() -> String {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        let count = unsafe readlink("/proc/self/exe", &buffer, buffer.count - 1)
        guard count > 0 else { return CommandLine.arguments.first ?? "unnamed" }
        let link = String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return path(ofLink: link) { path in unsafe access(path, F_OK) == 0 }
    }

    /// The path that `/proc/self/exe` leads to, without the mark that the kernel puts behind it once the file has been
    /// replaced or removed: after an upgrade a program is still the same.
    package static func path(ofLink link: String, exists: (String) -> Bool) -> String {
        let mark = " (deleted)"
        guard link.hasSuffix(mark), !exists(link) else { return link }
        return String(link.dropLast(mark.count))
    }
}

extension SystemKeychain {
    /// The file name of this process's executable, which the user reads when asked: not what it calls itself.
    package static var programName: String {
        let path = Entitlements.executablePath()
        return path.split(separator: "/").last.map(String.init) ?? path
    }
}
