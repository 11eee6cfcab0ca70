// SPDX-License-Identifier: Apache-2.0

import Foundation
public import KeychainServices
import KeychainWrapperSupport

/// Added to Valet: whether a valet works, with advice if not.
public struct KeychainDiagnosis: Hashable, Sendable, CustomStringConvertible {
    /// The possible results of a diagnosis.
    public enum Verdict: String, Hashable, Sendable {
        /// Values can be written and read.
        case usable
        /// The keychain is locked for values of this accessibility.
        case locked
        /// Values of this accessibility require a passcode, and none is set.
        case passcodeNotSet
        /// The program has no access group, or not the valet's.
        case missingEntitlement
        /// Values can be read but not written.
        ///
        /// The file system or the files of the keychain are read-only.
        case readOnly
        /// Values require a biometric, and no sensor or enrolled finger exists.
        case missingSensor
        /// The keychain cannot be opened or read.
        case unavailable
    }

    /// The result of the diagnosis.
    public let verdict: Verdict
    /// The status of the call that failed; `errSecSuccess` if none did.
    public let status: OSStatus
    /// The valet's access group; `nil` if it names none.
    public let accessGroup: String?
    /// The program's default access group; `nil` if it has none.
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
            sandbox.service.configuration.accessControl?.needsBiometric == true
            ? StoreState.missingSensor : nil
        status = failure?.status ?? (sensor == nil ? errSecSuccess : errSecAuthFailed)
        accessGroup = sandbox.service.group?.description
        verdict =
            switch failure?.status {
            case nil: sensor == nil ? .usable : .missingSensor
            case errSecInteractionNotAllowed: .locked
            case errSecAuthFailed: .passcodeNotSet
            case errSecMissingEntitlement: .missingEntitlement
            case errSecReadOnly, errSecWrPerm: SandboxCalls.canRead(sandbox) ? .readOnly : .unavailable
            default: .unavailable
            }
        defaultAccessGroup = verdict == .missingEntitlement ? Self.groupOfNewItems() : nil
        advice =
            Self.advice(verdict, accessGroup, defaultAccessGroup)
            + [failure.map { "The keychain says: \($0.message)" }, sensor].compactMap { $0 }
    }

    /// The access group that the keychain gives a temporary item.
    ///
    /// It first removes items left by a diagnosis whose process ended. This may remove the item of a
    /// concurrent diagnosis, which by then has read its group.
    private static func groupOfNewItems() -> String? {
        let items = Query([:]).adding(kSecClass, kSecClassGenericPassword)
            .adding(kSecUseDataProtectionKeychain, Query.yes).adding(kSecAttrService, service)
        _ = SecItem.deleteItems(matching: items.dictionary)
        let item = items.adding(account: UUID().uuidString)
        defer { _ = SecItem.deleteItems(matching: item.dictionary) }
        let added = item.adding(kSecAttrAccessible, "ck").adding(kSecReturnAttributes, Query.yes)
        var result: CFTypeRef?
        guard unsafe SecItemAdd(added.dictionary as CFDictionary, &result) == errSecSuccess else {
            return nil
        }
        return NSDictionary.each(of: result).first?.object(forKey: kSecAttrAccessGroup as NSString) as? String
    }

    /// The service of the temporary items of a diagnosis.
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
                "Values can be read and not written: make the file system and the files of the keychain writable."
            ]
        case .locked: ["Unlock the keychain, or choose an accessibility after the first unlock.", unlocking]
        case .passcodeNotSet:
            ["Set a passcode: values of this accessibility exist only while there is one.", passcode]
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
    private static let unlocking = "The device must have been unlocked."
    private static let passcode = "A passcode is set in the settings of the device."
    private static let entitlements = "Sign the program with them."
    #else
    private static let unlocking = "On Linux: security unlock-keychain."
    private static let passcode = "On Linux: security set-keychain-password."
    private static let entitlements =
        "On Linux they are a property list beside the executable, named as it is with .entitlements at the end, or the "
        + "file that the variable KEYCHAIN_ENTITLEMENTS names."
    #endif
}
