// SPDX-License-Identifier: Apache-2.0

public import Foundation
import KeychainServices

/// Stores values that require authentication once, on the first read.
///
/// The authentication remains valid for this object until ``requirePromptOnNextAccess()`` is called or the
/// object is released. In other respects, this valet behaves like a ``SecureEnclaveValet``.
///
/// Source: Valet 5.1. Differs: it exists on every platform. Differs: listing keys counts as a read, so a read
/// after it shows no prompt.
public final class SinglePromptSecureEnclaveValet: NSObject, SandboxOwner, Sendable {
    private static let valets = WeakStorage<SinglePromptSecureEnclaveValet>()

    let sandbox: Sandbox
    let context = SharedContext()

    private init(_ service: Service) {
        sandbox = Sandbox(service)
        super.init()
    }

    private static func of(_ service: Service) -> SinglePromptSecureEnclaveValet {
        valets.value(for: service) { SinglePromptSecureEnclaveValet($0) }
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
    ) -> SinglePromptSecureEnclaveValet {
        of(.standard(identifier, .singlePromptSecureEnclave(accessControl)))
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
    ) -> SinglePromptSecureEnclaveValet {
        of(.sharedGroup(groupIdentifier, identifier, .singlePromptSecureEnclave(accessControl)))
    }

    /// The identifier of the valet; without an identifier, the name of its access group.
    public var identifier: Identifier { service.identifier }

    /// The authentication required to read a value.
    public var accessControl: SecureEnclaveAccessControl { configuration.accessControl ?? .userPresence }

    /// The last failure of this object on any thread; see ``Valet/lastFailure``.
    public var lastFailure: KeychainFailure? { sandbox.lastFailure }

    /// Whether two valets read and write the same items.
    public static func == (
        lhs: SinglePromptSecureEnclaveValet,
        rhs: SinglePromptSecureEnclaveValet
    ) -> Bool { lhs.service == rhs.service }

    /// Whether the other object is a valet that reads and writes the same items.
    public override func isEqual(_ object: Any?) -> Bool {
        (object as? SinglePromptSecureEnclaveValet)?.service == service
    }

    /// A hash value, which is the same for equal valets.
    public override var hash: Int { service.hashValue }

    /// The object, its identifier, its accessibility and the kind of valet.
    public override var description: String {
        "\(super.description) \(identifier) \(configuration.prettyDescription)"
    }
}

extension SinglePromptSecureEnclaveValet {
    /// Whether values can be written now; non-interactive.
    ///
    /// See ``SecureEnclaveValet/canAccessKeychain()``.
    public func canAccessKeychain() -> Bool { SandboxCalls.canAccess(sandbox) }

    /// Stores bytes under a key, replacing an existing value; non-interactive.
    ///
    /// - Parameters:
    ///   - object: The bytes, which must not be empty.
    ///   - key: The key, which must not be empty.
    /// - Throws: The errors of ``SecureEnclaveValet/setObject(_:forKey:)``.
    public func setObject(_ object: Data, forKey key: String) throws {
        try sandbox.reportingAny { try SandboxCalls.setObject(object, forKey: key, in: sandbox) }
    }

    /// Stores the UTF-8 bytes of a string; see ``setObject(_:forKey:)``.
    ///
    /// - Parameters:
    ///   - string: The string, which must not be empty.
    ///   - key: The key, which must not be empty.
    /// - Throws: The errors of ``setObject(_:forKey:)``.
    public func setString(_ string: String, forKey key: String) throws {
        try sandbox.reportingAny { try SandboxCalls.setString(string, forKey: key, in: sandbox) }
    }

    /// Reads the bytes of a key; the first read authenticates the user.
    ///
    /// - Parameters:
    ///   - key: The key, which must not be empty.
    ///   - userPrompt: The reason shown if the user must authenticate.
    /// - Returns: The bytes.
    /// - Throws: ``KeychainError``: `emptyKey`, `itemNotFound`, `userCancelled`, `missingEntitlement`, or
    ///   `couldNotAccessKeychain`.
    public func object(forKey key: String, withPrompt userPrompt: String) throws -> Data {
        try sandbox.reportingAny {
            try context.read(userPrompt) { context throws(KeychainFailure) in
                try SandboxCalls.object(forKey: key, in: sandbox, context)
            }
        }
    }

    /// Reads the string of a key; the first read authenticates the user.
    ///
    /// - Parameters:
    ///   - key: The key, which must not be empty.
    ///   - userPrompt: The reason shown if the user must authenticate.
    /// - Returns: The string.
    /// - Throws: The errors of ``object(forKey:withPrompt:)``; `itemNotFound` for invalid UTF-8.
    public func string(forKey key: String, withPrompt userPrompt: String) throws -> String {
        try sandbox.reportingAny {
            try context.read(userPrompt) { context throws(KeychainFailure) in
                try SandboxCalls.string(forKey: key, in: sandbox, context)
            }
        }
    }

    /// Returns whether a key has a value; non-interactive, ignoring earlier authentication.
    ///
    /// - Parameter key: The key.
    /// - Returns: Whether there is a value.
    /// - Throws: The errors of ``SecureEnclaveValet/containsObject(forKey:)``.
    public func containsObject(forKey key: String) throws -> Bool {
        try sandbox.reportingAny { try SandboxCalls.containsObject(forKey: key, in: sandbox) }
    }

    /// Returns the keys; authenticates the user unless already authenticated.
    ///
    /// - Parameter userPrompt: The reason shown if the user must authenticate.
    /// - Returns: The keys; empty if there are no values.
    /// - Throws: ``KeychainError``: `userCancelled`, `missingEntitlement`, or `couldNotAccessKeychain`.
    public func allKeys(userPrompt: String) throws -> Set<String> {
        try sandbox.reportingAny {
            try context.read(userPrompt) { context throws(KeychainFailure) in
                try SandboxCalls.allKeys(in: sandbox, context)
            }
        }
    }

    /// Removes the value of a key, if it exists; non-interactive.
    ///
    /// - Parameter key: The key, which must not be empty.
    /// - Throws: The errors of ``SecureEnclaveValet/removeObject(forKey:)``.
    public func removeObject(forKey key: String) throws {
        try sandbox.reportingAny { try SandboxCalls.removeObject(forKey: key, in: sandbox) }
    }

    /// Removes all values of the valet; non-interactive.
    ///
    /// - Throws: The errors of ``SecureEnclaveValet/removeAllObjects()``.
    public func removeAllObjects() throws {
        try sandbox.reportingAny { try SandboxCalls.removeAllObjects(in: sandbox) }
    }

    /// Discards the authentication, so that the next read shows a prompt.
    ///
    /// A prompt that is open when this function is called is cancelled.
    public func requirePromptOnNextAccess() { context.invalidate() }

    /// Migrates matching items; see ``Valet/migrateObjects(matching:removeOnCompletion:)``.
    ///
    /// - Parameters:
    ///   - query: Attributes of generic passwords, including `kSecClass`.
    ///   - removeOnCompletion: Whether to remove the original items.
    /// - Throws: ``MigrationError`` or ``KeychainError``.
    public func migrateObjects(matching query: [String: AnyHashable], removeOnCompletion: Bool) throws {
        try sandbox.migrate(query, removeOnCompletion)
    }

    /// Migrates the values of a valet; see ``Valet/migrateObjects(from:removeOnCompletion:)``.
    ///
    /// - Parameters:
    ///   - valet: The source valet.
    ///   - removeOnCompletion: Whether to remove the original items.
    /// - Throws: ``MigrationError`` or ``KeychainError``.
    public func migrateObjects(from valet: Valet, removeOnCompletion: Bool) throws {
        try migrateObjects(matching: valet.baseKeychainQuery, removeOnCompletion: removeOnCompletion)
    }
}
