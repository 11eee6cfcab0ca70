// SPDX-License-Identifier: Apache-2.0

import KeychainModel

/// Whether a vault can work here, and what to do if it cannot.
public struct Diagnosis: Hashable, Sendable, CustomStringConvertible {
    /// What is the matter.
    public enum Verdict: String, Hashable, Sendable {
        /// Secrets can be read and written.
        case usable
        /// Secrets can be read and not written.
        case readOnly
        /// The keychain is locked for new items of the vault.
        case locked
        /// New items of the vault need a passcode, and none is set.
        case passcodeNotSet
        /// The program is entitled to no access group, or not to that of the vault.
        case missingEntitlement
        /// There is no keychain yet: the first item that is added makes one.
        case noStore
        /// The keychain cannot be opened or read.
        case unavailable
    }

    /// What is the matter.
    public let verdict: Verdict
    /// The status of the call that failed; 0 if none did.
    public let status: Int32
    /// The access groups of the program; `nil` where the system does not tell.
    public let accessGroups: [AccessGroup]?
    /// The directory of the keychain; `nil` where it has none of the program's own.
    public let directory: String?
    /// What to do, in sentences; none if nothing is the matter.
    public let advice: [String]

    /// Verdict, status, access groups, directory and advice; it holds no secret and no key.
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
    /// Says whether secrets can be read and written here, without writing one and without asking the user.
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
        do throws(VaultError) {
            _ = try items(matching: ofService)
        } catch {
            let verdict: Diagnosis.Verdict =
                switch error.reason {
                case .locked: .locked
                case .missingEntitlement: .missingEntitlement
                default: .unavailable
                }
            return Diagnosis(
                verdict: verdict,
                status: error.status,
                accessGroups: groups?.map { AccessGroup($0) },
                directory: state.directory,
                advice: [error.localizedMessage]
            )
        }
        return Diagnosis(.usable, nil, state)
    }

    private static func verdict(_ error: StatusError) -> Diagnosis.Verdict {
        switch error.reason {
        case .storeMissing: .noStore
        case .readOnlyStore: .readOnly
        case .classKeyAbsent: .locked
        case .passcodeNotSet: .passcodeNotSet
        default:
            switch error.status {
            case .missingEntitlement: .missingEntitlement
            case .readOnly: .readOnly
            case .interactionNotAllowed: .locked
            default: .unavailable
            }
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
