// SPDX-License-Identifier: Apache-2.0

import KeychainStore

/// The unsigned programs that the administrator has registered, so that they keep their access group after an update.
///
/// The daemon ignores the registration of an executable that another user than root can replace.
package struct RegisteredPrograms: Sendable {
    /// The directory of the lists in which the administrator registers programs.
    package static let systemDirectory = "/etc/keychain/programs.d"
    private static let suffix = ".programs"
    private static let maximumByteCount = 65_536
    /// The maximum size of a path in bytes: `keychain-identify` reports only the end of a longer path.
    package static let maximumPathByteCount = 320

    package private(set) var paths: Set<String> = []
    /// The administrator's lists that are not used because of a defect, and the reasons.
    package private(set) var problems: [TrustStore.Problem] = []

    package init() {}

    /// Reads the files `NAME.programs` of a directory; a defective file registers no program.
    ///
    /// The directory and the files must belong to `owner`, and not be writable by other users. A missing directory
    /// means that no programs are registered.
    package init(directory: String, owner: UInt32 = 0) {
        AdministratorFiles(
            directory: directory,
            suffix: Self.suffix,
            owner: owner,
            maximumByteCount: Self.maximumByteCount
        ).forEach { name, contents in
            do throws(TeamFileDefect) {
                paths.formUnion(try Self.parse(contents.get()))
            } catch {
                problems.append(TrustStore.Problem(file: name, defect: error))
            }
        }
    }

    /// Returns the programs that the administrator of this system has registered.
    package static func ofSystem() -> Self { Self(directory: systemDirectory) }

    /// Parses a list: a path on each line, and comments that start with `#`.
    package static func parse(_ bytes: [UInt8]) throws(TeamFileDefect) -> [String] {
        guard bytes.count <= maximumByteCount else { throw .tooLong }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw .notUTF8 }
        var paths: [String] = []
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
        where !line.isEmpty && !line.hasPrefix("#") {
            guard isPath(line) else { throw .line(index + 1) }
            paths.append(String(line))
        }
        return paths
    }

    /// Returns whether a program with this path can be registered.
    ///
    /// The path must be absolute and without `.`, `..` or empty components, as the kernel reports paths. It must not be
    /// longer than ``maximumPathByteCount``, contain `*` or an invisible character, or end with a space.
    static func isPath(_ text: some StringProtocol) -> Bool {
        let parts = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            .dropFirst()
        return text.utf8.first == UInt8(ascii: "/") && text.utf8.count <= maximumPathByteCount
            && SignedEntitlements.isPlain(String(text)) && !text.hasSuffix(" ")
            && parts.allSatisfy { !$0.isEmpty && !$0.elementsEqual(".".utf8) && !$0.elementsEqual("..".utf8) }
    }
}
