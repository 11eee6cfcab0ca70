// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainItems
public import KeychainServices

/// Whether a valet works, with advice if not. (Added to Valet.)
public struct KeychainDiagnosis: Hashable, Sendable, CustomStringConvertible {
    /// The possible results of a diagnosis.
    public enum Verdict: String, Hashable, Sendable {
        /// Values can be written and read.
        case usable
        /// The keychain is locked for values of the valet's accessibility.
        case locked
        /// Values of the valet's accessibility require a passcode, and none is set.
        case passcodeNotSet
        /// The program has no access group, or is not in the valet's access group.
        case missingEntitlement
        /// Values can be read but not written.
        ///
        /// The file system or the files of the keychain are read-only.
        case readOnly
        /// Values require a biometric, and no sensor or enrolled finger exists.
        case missingSensor
        /// The keychain cannot be opened or read, or failed for another reason.
        case unavailable
    }

    /// The result of the diagnosis.
    public let verdict: Verdict
    /// The status of the call that failed; `errSecSuccess` if none failed and the valet works.
    ///
    /// It is `errSecAuthFailed` if the verdict is `missingSensor`.
    public let status: OSStatus
    /// The valet's access group; `nil` if the valet was created without one.
    public let accessGroup: String?
    /// The program's default access group, if the verdict is `missingEntitlement`.
    ///
    /// `nil` for other verdicts, and for a program without an access group.
    public let defaultAccessGroup: String?
    /// Suggested solutions, as sentences; empty if the valet works.
    public let advice: [String]

    /// The verdict, the status and the advice.
    public var description: String {
        (["\(verdict.rawValue) (\(status))"] + advice).joined(separator: "\n")
    }
}

extension Valet {
    /// Diagnoses why values cannot be written or read; see ``canAccessKeychain()``.
    public func diagnose() -> KeychainDiagnosis { KeychainDiagnosis(of: sandbox) }
}

extension SecureEnclaveValet {
    /// Diagnoses why values cannot be written or read; see ``canAccessKeychain()``.
    public func diagnose() -> KeychainDiagnosis { KeychainDiagnosis(of: sandbox) }
}

extension SinglePromptSecureEnclaveValet {
    /// Diagnoses why values cannot be written or read; see ``canAccessKeychain()``.
    public func diagnose() -> KeychainDiagnosis { KeychainDiagnosis(of: sandbox) }
}

extension KeychainDiagnosis {
    init(of sandbox: Sandbox) {
        let failure = SandboxCalls.failure(ofCanaryIn: sandbox)
        let sensor =
            sandbox.service.configuration.accessControl?.needsBiometric == true ? Self.missingSensor : nil
        status = failure?.status ?? sensor?.status ?? errSecSuccess
        accessGroup = sandbox.service.group?.description
        verdict =
            if let failure { Verdict(failure, in: sandbox) } else if sensor != nil { .missingSensor } else {
                .usable
            }
        defaultAccessGroup = verdict == .missingEntitlement ? Self.groupOfNewItems() : nil
        advice =
            Self.advice(verdict, accessGroup, defaultAccessGroup)
            + [
                failure.map { "The keychain says: \($0.localizedDescription)" },
                sensor?.localizedDescription,
            ].compactMap { $0 }
    }

    /// The error for a missing fingerprint sensor or enrolled finger; `nil` if neither is missing.
    ///
    /// It is always `nil` on Apple's platforms.
    private static var missingSensor: VaultError? {
        #if canImport(Darwin)
        return nil
        #else
        let policy = LAPolicy.deviceOwnerAuthenticationWithBiometrics
        let canAsk = unsafe LAContext().canEvaluatePolicy(policy, error: nil)
        return canAsk ? nil : VaultError(.biometryUnavailable, .read, status: errSecAuthFailed)
        #endif
    }

    /// Returns the access group that the keychain gives to a new item, by adding a temporary one.
    ///
    /// Temporary items that an earlier diagnosis left, because its process ended, are removed first. If this
    /// removes the temporary item of a concurrent diagnosis before that diagnosis has read the item's group, the
    /// concurrent diagnosis gets `nil`.
    private static func groupOfNewItems() -> String? {
        let vault = Vault(service: service, accessibility: .afterFirstUnlock)
        _ = try? vault.removeAll(matching: .genericPasswords(service: service))
        let account = UUID().uuidString
        let own = ItemQuery.genericPasswords(service: service, account: account)
        defer { _ = try? vault.removeAll(matching: own) }
        let item = GenericPassword(service: service, account: account)
        guard (try? vault.addIfAbsent(item, Data())) == true else { return nil }
        return (try? vault.items(matching: own))?.first?.accessGroup?.rawValue
    }

    static let service = "VAL_Diagnosis"

    private static func advice(
        _ verdict: Verdict,
        _ group: String?,
        _ own: String?
    ) -> [String] {
        switch verdict {
        case .usable, .missingSensor, .unavailable: []
        case .readOnly:
            [
                "Values can be read but not written: make the file system and the files of the keychain writable."
            ]
        case .locked: ["Unlock the keychain, or choose an accessibility after the first unlock.", unlocking]
        case .passcodeNotSet:
            [
                "Set a passcode: the keychain stores values of this accessibility only while it has a passcode.",
                passcode,
            ]
        case .missingEntitlement:
            [
                group.map { "This program is not entitled to the access group \($0)." }
                    ?? "This program is entitled to no access group.",
                own.map { "Its own access group is \($0)." },
                group.map {
                    "Add \($0) to keychain-access-groups in its entitlements, or, if it is an application group, to "
                        + "com.apple.security.application-groups."
                },
                entitlements,
            ].compactMap { $0 }
        }
    }

    #if canImport(Darwin)
    private static let unlocking = "Unlock the device."
    private static let passcode = "A passcode is set in the settings of the device."
    private static let entitlements = "Sign the program with them."
    #else
    private static let unlocking = "On Linux: security unlock-keychain."
    private static let passcode = "On Linux: security set-keychain-password."
    private static let entitlements =
        "On Linux they are a property list beside the executable, with the executable's name and the extension .entitlements, or the "
        + "file that the variable KEYCHAIN_ENTITLEMENTS names."
    #endif
}

extension KeychainDiagnosis.Verdict {
    fileprivate init(_ failure: VaultError, in sandbox: Sandbox) {
        self =
            switch Diagnosis.Verdict(failure) {
            case .locked: .locked
            case .passcodeNotSet: .passcodeNotSet
            case .missingEntitlement: .missingEntitlement
            case .readOnly: SandboxCalls.canRead(sandbox) ? .readOnly : .unavailable
            case .usable, .noStore, .unavailable: .unavailable
            }
    }
}
