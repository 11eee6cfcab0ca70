// SPDX-License-Identifier: Apache-2.0

public import Foundation
import KeychainServices

/// Keeps values that the user is asked for each time one is read.
///
/// Writing, removing and looking whether there is a value ask nobody. Values can be kept only while a passcode is set,
/// and go with it. They are items of the keychain with an access control; no value is in hardware.
///
/// Source: Valet 5.1. Unlike there, the reads with and without a prompt are there on every platform. Unlike there, an empty value
/// leaves the old one. Unlike there, on Linux a write that fails leaves the old value.
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

    /// A valet for values of this program alone.
    ///
    /// - Parameters:
    ///   - identifier: The name of the sandbox.
    ///   - accessControl: What the user proves before a value is read, which is part of the sandbox's name.
    /// - Returns: The valet, the same object as long as anybody has it.
    public class func valet(
        with identifier: Identifier,
        accessControl: SecureEnclaveAccessControl
    ) -> SecureEnclaveValet {
        of(.standard(identifier, .secureEnclave(accessControl)))
    }

    /// A valet for values that the programs of an access group share.
    ///
    /// - Parameters:
    ///   - groupIdentifier: The access group, which the program's entitlements must name.
    ///   - identifier: The name of the sandbox, if the group has several.
    ///   - accessControl: What the user proves before a value is read, which is part of the sandbox's name.
    /// - Returns: The valet, the same object as long as anybody has it.
    public class func sharedGroupValet(
        with groupIdentifier: SharedGroupIdentifier,
        identifier: Identifier? = nil,
        accessControl: SecureEnclaveAccessControl
    ) -> SecureEnclaveValet {
        of(.sharedGroup(groupIdentifier, identifier, .secureEnclave(accessControl)))
    }

    /// What the valet was named; the access group where only that was named.
    public var identifier: Identifier { service.identifier }

    /// What the user proves before a value is read.
    public var accessControl: SecureEnclaveAccessControl { configuration.accessControl ?? .userPresence }

    /// The last failure that a call of this object met on any thread; see ``Valet/lastFailure``.
    public var lastFailure: KeychainFailure? { sandbox.lastFailure }

    /// Whether two valets keep their values in the same place.
    public static func == (lhs: SecureEnclaveValet, rhs: SecureEnclaveValet) -> Bool {
        lhs.service == rhs.service
    }

    /// Whether the other object is a valet that keeps its values in the same place.
    public override func isEqual(_ object: Any?) -> Bool {
        (object as? SecureEnclaveValet)?.service == service
    }

    /// A number that equal valets share.
    public override var hash: Int { service.hashValue }

    /// The object, its identifier, its accessibility and its kind.
    public override var description: String {
        "\(super.description) \(identifier) \(configuration.prettyDescription)"
    }
}

extension SecureEnclaveValet {
    /// Whether values can be written now; nobody is asked.
    ///
    /// It writes and reads an item without constraints in the sandbox of the ``Valet`` with the same identifier.
    public func canAccessKeychain() -> Bool { SandboxCalls.canAccess(sandbox) }

    /// Keeps bytes under a key, in the place of what is there; nobody is asked.
    ///
    /// - Parameters:
    ///   - object: The bytes, at least one.
    ///   - key: The key, which is not empty.
    /// - Throws: `emptyKey`, `emptyValue`, `missingEntitlement`, `couldNotAccessKeychain`, or `userCancelled` while
    ///   no passcode is set.
    public func setObject(_ object: Data, forKey key: String) throws(KeychainError) {
        try sandbox.reporting { () throws(KeychainFailure) in
            try SandboxCalls.setObject(object, forKey: key, in: sandbox)
        }
    }

    /// Keeps the UTF-8 bytes of a text under a key, as ``setObject(_:forKey:)`` does.
    ///
    /// - Parameters:
    ///   - string: The text, which is not empty.
    ///   - key: The key, which is not empty.
    /// - Throws: What ``setObject(_:forKey:)`` throws.
    public func setString(_ string: String, forKey key: String) throws(KeychainError) {
        try sandbox.reporting { () throws(KeychainFailure) in
            try SandboxCalls.setString(string, forKey: key, in: sandbox)
        }
    }

    /// Reads the bytes that are kept under a key, once the user has proved to be there.
    ///
    /// - Parameter key: The key, which is not empty.
    /// - Returns: The bytes.
    /// - Throws: `emptyKey`, `itemNotFound`, `userCancelled`, `missingEntitlement`, or `couldNotAccessKeychain`.
    public func object(forKey key: String) throws(KeychainError) -> Data {
        try object(forKey: key, withPrompt: "")
    }

    /// Reads the bytes that are kept under a key, once the user has proved to be there.
    ///
    /// - Parameters:
    ///   - key: The key, which is not empty.
    ///   - userPrompt: What the person reads; with an empty one the system says what it says.
    /// - Returns: The bytes.
    /// - Throws: What ``object(forKey:)`` throws.
    public func object(forKey key: String, withPrompt userPrompt: String) throws(KeychainError) -> Data {
        try sandbox.reporting { () throws(KeychainFailure) in
            try SandboxCalls.object(forKey: key, in: sandbox, .telling(userPrompt))
        }
    }

    /// Reads the text that is kept under a key, as ``object(forKey:)`` reads bytes.
    ///
    /// - Parameter key: The key, which is not empty.
    /// - Returns: The text.
    /// - Throws: What ``object(forKey:)`` throws; `itemNotFound` as well for bytes that are not UTF-8.
    public func string(forKey key: String) throws(KeychainError) -> String {
        try string(forKey: key, withPrompt: "")
    }

    /// Reads the text that is kept under a key, as ``object(forKey:withPrompt:)`` reads bytes.
    ///
    /// - Parameters:
    ///   - key: The key, which is not empty.
    ///   - userPrompt: What the person reads; with an empty one the system says what it says.
    /// - Returns: The text.
    /// - Throws: What ``string(forKey:)`` throws.
    public func string(forKey key: String, withPrompt userPrompt: String) throws(KeychainError) -> String {
        try sandbox.reporting { () throws(KeychainFailure) in
            try SandboxCalls.string(forKey: key, in: sandbox, .telling(userPrompt))
        }
    }

    /// Says whether anything is kept under a key; nobody is asked.
    ///
    /// - Parameter key: The key.
    /// - Returns: Whether there is a value.
    /// - Throws: `missingEntitlement`, or `couldNotAccessKeychain`, which is also the error for an empty key.
    public func containsObject(forKey key: String) throws(KeychainError) -> Bool {
        try sandbox.reporting { () throws(KeychainFailure) in
            try SandboxCalls.containsObject(forKey: key, in: sandbox)
        }
    }

    /// Removes what is kept under a key; nothing is no error, and nobody is asked.
    ///
    /// - Parameter key: The key, which is not empty.
    /// - Throws: `emptyKey`, `missingEntitlement`, `userCancelled`, or `couldNotAccessKeychain`.
    public func removeObject(forKey key: String) throws(KeychainError) {
        try sandbox.reporting { () throws(KeychainFailure) in
            try SandboxCalls.removeObject(forKey: key, in: sandbox)
        }
    }

    /// Removes everything that the valet keeps; nothing is no error, and nobody is asked.
    ///
    /// - Throws: `missingEntitlement`, `userCancelled`, or `couldNotAccessKeychain`.
    public func removeAllObjects() throws(KeychainError) {
        try sandbox.reporting { () throws(KeychainFailure) in try SandboxCalls.removeAllObjects(in: sandbox) }
    }
}
