// SPDX-License-Identifier: Apache-2.0

public import Foundation
import KeychainServices

/// Stores values that require authentication for each read.
///
/// Writing, removing and checking for a value are non-interactive. Values require a passcode, and removing
/// the passcode deletes them. They are keychain items with an access control, not values in hardware.
///
/// Source: Valet 5.1. Differs: reads with and without a prompt exist on every platform. Differs: setting an
/// empty value fails and keeps the old value. Differs: on Linux, any failed write keeps the old value.
public final class SecureEnclaveValet: NSObject, SandboxOwner, Sendable {
    private static let valets = WeakStorage<SecureEnclaveValet>()

    let sandbox: Sandbox

    private init(_ service: Service) {
        sandbox = Sandbox(service)
        super.init()
    }

    private static func of(_ service: Service) -> SecureEnclaveValet {
        valets.value(for: service) { SecureEnclaveValet($0) }
    }

    /// Returns a valet that names no access group.
    ///
    /// It stores values in the first of the program's access groups. Other programs that have this group can read the
    /// values.
    ///
    /// - Parameters:
    ///   - identifier: The name of the sandbox.
    ///   - accessControl: The authentication required to read values; part of the sandbox's name.
    /// - Returns: The valet; equal arguments return the same object while it is in use.
    public class func valet(
        with identifier: Identifier,
        accessControl: SecureEnclaveAccessControl
    ) -> SecureEnclaveValet {
        of(.standard(identifier, .secureEnclave(accessControl)))
    }

    /// Returns a valet for values shared by the programs of an access group.
    ///
    /// - Parameters:
    ///   - groupIdentifier: The access group, which must be in the program's entitlements.
    ///   - identifier: The name of the sandbox, if the group has several.
    ///   - accessControl: The authentication required to read values; part of the sandbox's name.
    /// - Returns: The valet; equal arguments return the same object while it is in use.
    public class func sharedGroupValet(
        with groupIdentifier: SharedGroupIdentifier,
        identifier: Identifier? = nil,
        accessControl: SecureEnclaveAccessControl
    ) -> SecureEnclaveValet {
        of(.sharedGroup(groupIdentifier, identifier, .secureEnclave(accessControl)))
    }

    /// The identifier of the valet; without an identifier, the name of its access group.
    public var identifier: Identifier { service.identifier }

    /// The authentication required to read a value.
    public var accessControl: SecureEnclaveAccessControl { configuration.accessControl ?? .userPresence }

    /// The last failure of this object on any thread; see ``Valet/lastFailure``.
    public var lastFailure: KeychainFailure? { sandbox.lastFailure }

    /// Whether two valets read and write the same items.
    public static func == (lhs: SecureEnclaveValet, rhs: SecureEnclaveValet) -> Bool {
        lhs.service == rhs.service
    }

    /// Whether the other object is a valet that reads and writes the same items.
    public override func isEqual(_ object: Any?) -> Bool {
        (object as? SecureEnclaveValet)?.service == service
    }

    /// A hash value, which is the same for equal valets.
    public override var hash: Int { service.hashValue }

    /// The object, its identifier, its accessibility and the kind of valet.
    public override var description: String {
        "\(super.description) \(identifier) \(configuration.prettyDescription)"
    }
}

extension SecureEnclaveValet {
    /// Whether values can be written now; non-interactive.
    ///
    /// The check reads an item without an access control, and first adds it if it does not exist. The item is
    /// in the sandbox of the ``Valet`` with the same identifier and the accessibility
    /// ``Accessibility/whenPasscodeSetThisDeviceOnly``.
    public func canAccessKeychain() -> Bool { SandboxCalls.canAccess(sandbox) }

    /// Stores bytes under a key, replacing an existing value; non-interactive.
    ///
    /// - Parameters:
    ///   - object: The bytes, which must not be empty.
    ///   - key: The key, which must not be empty.
    /// - Throws: `emptyKey`, `emptyValue`, `missingEntitlement`, `couldNotAccessKeychain`, or `userCancelled` while
    ///   no passcode is set.
    public func setObject(_ object: Data, forKey key: String) throws(KeychainError) {
        try sandbox.reporting { () throws(KeychainFailure) in
            try SandboxCalls.setObject(object, forKey: key, in: sandbox)
        }
    }

    /// Stores the UTF-8 bytes of a string; see ``setObject(_:forKey:)``.
    ///
    /// - Parameters:
    ///   - string: The string, which must not be empty.
    ///   - key: The key, which must not be empty.
    /// - Throws: The errors of ``setObject(_:forKey:)``.
    public func setString(_ string: String, forKey key: String) throws(KeychainError) {
        try sandbox.reporting { () throws(KeychainFailure) in
            try SandboxCalls.setString(string, forKey: key, in: sandbox)
        }
    }

    /// Reads the bytes of a key after authenticating the user.
    ///
    /// - Parameter key: The key, which must not be empty.
    /// - Returns: The bytes.
    /// - Throws: `emptyKey`, `itemNotFound`, `userCancelled`, `missingEntitlement`, or `couldNotAccessKeychain`.
    public func object(forKey key: String) throws(KeychainError) -> Data {
        try object(forKey: key, withPrompt: "")
    }

    /// Reads the bytes of a key after authenticating the user.
    ///
    /// - Parameters:
    ///   - key: The key, which must not be empty.
    ///   - userPrompt: The reason shown to the user; the system's default if empty.
    /// - Returns: The bytes.
    /// - Throws: The errors of ``object(forKey:)``.
    public func object(forKey key: String, withPrompt userPrompt: String) throws(KeychainError) -> Data {
        try sandbox.reporting { () throws(KeychainFailure) in
            try SandboxCalls.object(forKey: key, in: sandbox, .telling(userPrompt))
        }
    }

    /// Reads the string of a key; see ``object(forKey:)``.
    ///
    /// - Parameter key: The key, which must not be empty.
    /// - Returns: The string.
    /// - Throws: The errors of ``object(forKey:)``, and `itemNotFound` for bytes that are not UTF-8.
    public func string(forKey key: String) throws(KeychainError) -> String {
        try string(forKey: key, withPrompt: "")
    }

    /// Reads the string of a key; see ``object(forKey:withPrompt:)``.
    ///
    /// - Parameters:
    ///   - key: The key, which must not be empty.
    ///   - userPrompt: The reason shown to the user; the system's default if empty.
    /// - Returns: The string.
    /// - Throws: The errors of ``string(forKey:)``.
    public func string(forKey key: String, withPrompt userPrompt: String) throws(KeychainError) -> String {
        try sandbox.reporting { () throws(KeychainFailure) in
            try SandboxCalls.string(forKey: key, in: sandbox, .telling(userPrompt))
        }
    }

    /// Returns whether a key has a value; non-interactive.
    ///
    /// - Parameter key: The key.
    /// - Returns: Whether there is a value.
    /// - Throws: `missingEntitlement`, or `couldNotAccessKeychain`, which is also the error for an empty key.
    public func containsObject(forKey key: String) throws(KeychainError) -> Bool {
        try sandbox.reporting { () throws(KeychainFailure) in
            try SandboxCalls.containsObject(forKey: key, in: sandbox)
        }
    }

    /// Removes the value of a key, if it exists; non-interactive.
    ///
    /// - Parameter key: The key, which must not be empty.
    /// - Throws: `emptyKey`, `missingEntitlement`, `userCancelled`, or `couldNotAccessKeychain`.
    public func removeObject(forKey key: String) throws(KeychainError) {
        try sandbox.reporting { () throws(KeychainFailure) in
            try SandboxCalls.removeObject(forKey: key, in: sandbox)
        }
    }

    /// Removes all values of the valet; non-interactive.
    ///
    /// - Throws: `missingEntitlement`, `userCancelled`, or `couldNotAccessKeychain`.
    public func removeAllObjects() throws(KeychainError) {
        try sandbox.reporting { () throws(KeychainFailure) in try SandboxCalls.removeAllObjects(in: sandbox) }
    }
}
