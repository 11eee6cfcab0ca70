// SPDX-License-Identifier: Apache-2.0

/// The kind of valet, and the protection class or access control of its items.
enum Configuration: CustomStringConvertible, Hashable, Sendable {
    case valet(Accessibility)
    case iCloud(CloudAccessibility)
    case secureEnclave(SecureEnclaveAccessControl)
    case singlePromptSecureEnclave(SecureEnclaveAccessControl)

    /// The kind of valet in service names: the class name in the first versions of Valet.
    var description: String {
        switch self {
        case .valet: "VALValet"
        case .iCloud: "VALSynchronizableValet"
        case .secureEnclave: "VALSecureEnclaveValet"
        case .singlePromptSecureEnclave: "VALSinglePromptSecureEnclaveValet"
        }
    }

    var accessibility: Accessibility {
        switch self {
        case .valet(let accessibility): accessibility
        case .iCloud(let accessibility): accessibility.accessibility
        case .secureEnclave, .singlePromptSecureEnclave: .whenPasscodeSetThisDeviceOnly
        }
    }

    var accessControl: SecureEnclaveAccessControl? {
        switch self {
        case .valet, .iCloud: nil
        case .secureEnclave(let control), .singlePromptSecureEnclave(let control): control
        }
    }

    var synchronizes: Bool {
        if case .iCloud = self { true } else { false }
    }

    /// The end of the service name: the names of the accessibility and of the access control, if any.
    var accessibilityName: String { accessibility.description + (accessControl?.description ?? "") }

    var prettyDescription: String {
        let kind =
            switch self {
            case .valet: "Valet"
            case .iCloud: "iCloud"
            case .secureEnclave: "Secure Enclave"
            case .singlePromptSecureEnclave: "Single Prompt"
            }
        return "\(accessibility) (\(kind))"
    }
}
