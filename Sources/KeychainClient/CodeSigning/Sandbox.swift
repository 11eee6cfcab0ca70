// SPDX-License-Identifier: Apache-2.0

import KeychainModel
import KeychainStore

/// The confinement of a process, as the kernel and the process's root directory show it.
///
/// Sandboxes separate confined programs from one another. An unconfined program of the same user can enter
/// most sandboxes.
package struct Sandbox: Hashable, Sendable {
    package enum Kind: UInt8, CaseIterable, Sendable {
        case appArmor = 1
        case snap = 2
        case flatpak = 3

        package var name: String {
            switch self {
            case .appArmor: "apparmor"
            case .snap: "snap"
            case .flatpak: "flatpak"
            }
        }
    }

    package let kind: Kind
    /// The AppArmor profile, the snap, or the Flatpak application; or the digest of such a name.
    package let name: String

    /// The maximum size of a name in bytes.
    package static let maximumByteCount = 72

    /// Creates a sandbox; `nil` if the name is empty or too long, or contains a space or other than printable ASCII.
    package init?(_ kind: Kind, _ name: some StringProtocol) {
        guard (1...Self.maximumByteCount).contains(name.utf8.count),
            name.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return nil }
        self.kind = kind
        self.name = String(name)
    }

    /// Creates a sandbox from the name that the system reports; `nil` if the name is empty.
    ///
    /// A process is confined even if the name of its sandbox is too long, or contains a space or other than printable
    /// ASCII. Such a name is replaced by `blake2b-` and its digest, as `b2sum -l 256` prints it.
    private init?(_ kind: Kind, reported name: some StringProtocol) {
        if let sandbox = Self(kind, name) {
            self = sandbox
        } else if name.isEmpty {
            return nil
        } else {
            self.kind = kind
            self.name = "blake2b-" + Hexadecimal.text(Bytes32(digestOf: Array(name.utf8)).bytes)
        }
    }

    /// The sandbox in a team file: kind, colon, name.
    package var text: String { "\(kind.name):\(name)" }

    package init?(text: some StringProtocol) {
        guard let colon = text.firstIndex(of: ":"),
            let kind = Kind.allCases.first(where: { $0.name == text[..<colon] })
        else { return nil }
        self.init(kind, text[text.index(after: colon)...])
    }

    /// Creates a sandbox from the AppArmor label of a process; `nil` if the label does not confine the process.
    ///
    /// Only a label in the mode `enforce` confines. Labels of SELinux have no mode, so the result is `nil` for them.
    package init?(appArmorLabel label: String) {
        let mode = " (enforce)"
        let line = label.prefix { $0 != "\n" && $0 != "\0" }
        guard line.hasSuffix(mode) else { return nil }
        let profile = line.dropLast(mode.count)
        let parts = profile.split(separator: ".", omittingEmptySubsequences: false)
        if parts.count >= 3, parts[0] == "snap" {
            self.init(.snap, reported: parts[1])
        } else {
            self.init(.appArmor, reported: profile)
        }
    }

    /// Returns whether the process was in this sandbox when it connected; true if that cannot be determined.
    ///
    /// An unconfined program may connect, and then use `exec` to run a program that AppArmor confines. `label` is the
    /// AppArmor label that the process had when it connected; `nil` if the kernel does not report it. The label does
    /// not tell whether the process was in a Flatpak.
    package func isConfirmed(by label: String?) -> Bool {
        switch kind {
        case .flatpak: true
        case .appArmor, .snap: label.map { Self(appArmorLabel: $0) == self } ?? true
        }
    }

    /// Creates a sandbox from the file `.flatpak-info` in the root directory of a process; `nil` without a name.
    package init?(flatpakInformation text: String) {
        var isApplication = false
        for line in text.split(separator: "\n") {
            if line.hasPrefix("[") { isApplication = line == "[Application]" }
            guard isApplication, line.hasPrefix("name=") else { continue }
            self.init(.flatpak, reported: line.dropFirst("name=".count))
            return
        }
        return nil
    }
}
