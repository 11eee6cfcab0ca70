// SPDX-License-Identifier: Apache-2.0

import KeychainModel

/// Whether a vault works on this system, with advice if not.
public struct Diagnosis: Hashable, Sendable, CustomStringConvertible {
    /// The possible results of a diagnosis.
    public enum Verdict: String, Hashable, Sendable {
        /// The check has found nothing that prevents reading or writing secrets.
        case usable
        /// Secrets can be read but not written.
        case readOnly
        /// The keychain is locked for new items of the vault.
        case locked
        /// New items of the vault require a passcode, and none is set.
        case passcodeNotSet
        /// The program has no access group, is not in the vault's access group, or is refused by the daemon.
        case missingEntitlement
        /// No keychain exists yet. Adding the first item creates it.
        case noStore
        /// The keychain cannot be opened or read.
        case unavailable
    }

    /// The result of the diagnosis.
    public let verdict: Verdict
    /// The status of the diagnosed problem; 0 if the vault works.
    public let status: Int32
    /// The access groups of the program; `nil` if the system does not report them.
    public let accessGroups: [AccessGroup]?
    /// The directory of the keychain; `nil` if the system does not report it.
    public let directory: String?
    /// Suggested solutions, as sentences; empty if the vault works.
    public let advice: [String]

    /// The verdict, status, access groups, directory and advice.
    ///
    /// The description contains neither secrets nor keys.
    public var description: String {
        var lines = ["\(verdict.rawValue) (\(status))"]
        if let accessGroups {
            lines.append("access groups: \(accessGroups.map(\.rawValue).joined(separator: ", "))")
        }
        if let directory { lines.append("keychain: \(directory)") }
        return (lines + advice).joined(separator: "\n")
    }
}

extension Vault {
    /// Checks whether secrets can be read and written.
    ///
    /// The check writes nothing and is non-interactive. It reads the attributes of the vault's items, except items with
    /// an access control. On Apple's platforms, it does not check whether secrets can be written.
    ///
    /// - Returns: The diagnosis.
    public func diagnose() -> Diagnosis {
        let state = backend.state(for: accessControl?.accessibility ?? accessibility ?? .whenUnlocked)
        let groups = state.accessGroups
        if let groups, groups.isEmpty || accessGroup.map({ !groups.contains($0.rawValue) }) == true,
            groups != ["*"]
        {
            let error = StatusError(
                .missingEntitlement,
                groups.isEmpty ? .noAccessGroups : .foreignAccessGroup
            )
            return Diagnosis(.missingEntitlement, error, state)
        }
        if let error = state.error { return Diagnosis(Self.verdict(error), error, state) }
        var (vault, query) = (self, ofService)
        vault.session = Self.silent
        query.includesConstrained = false
        do throws(VaultError) {
            _ = try vault.items(matching: query)
        } catch {
            return Diagnosis(
                verdict: Diagnosis.Verdict(error),
                status: error.status,
                accessGroups: groups?.map { AccessGroup($0) },
                directory: state.directory,
                advice: [error.localizedMessage]
            )
        }
        return Diagnosis(.usable, nil, state)
    }

    private static func verdict(_ error: StatusError) -> Diagnosis.Verdict {
        error.reason == .storeMissing ? .noStore : Diagnosis.Verdict(VaultError(error, .read))
    }
}

extension Diagnosis.Verdict {
    package init(_ error: VaultError) {
        self =
            switch error.reason {
            case .locked: .locked
            case .passcodeNotSet: .passcodeNotSet
            case .missingEntitlement: .missingEntitlement
            case .readOnly: .readOnly
            default: .unavailable
            }
    }
}

extension Diagnosis {
    fileprivate init(_ verdict: Verdict, _ error: StatusError?, _ state: BackendState) {
        self.init(
            verdict: verdict,
            status: error?.status.rawValue ?? 0,
            accessGroups: state.accessGroups?.map { AccessGroup($0) },
            directory: state.directory,
            advice: error.map { [$0.explanation.sentence] } ?? []
        )
    }
}

extension VaultError {
    fileprivate var localizedMessage: String { advice.map { "\(problem); \($0)" } ?? problem }
}
