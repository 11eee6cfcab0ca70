// SPDX-License-Identifier: Apache-2.0

public import Foundation
import KeychainServices

/// Keeps values that the user is asked for once: when the first one is read.
///
/// What the person proved counts for this object until ``requirePromptOnNextAccess()``, or until nobody has the object
/// any more. See ``SecureEnclaveValet`` for what else it shares with that.
///
/// Source: Valet 5.1. Unlike there, it is there on every platform; listing keys counts as reading, and reading after it asks
/// nobody again.
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

    /// A valet for values of this program alone.
    ///
    /// - Parameters:
    ///   - identifier: The name of the sandbox.
    ///   - accessControl: What the user proves before a value is read, which is part of the sandbox's name.
    /// - Returns: The valet, the same object as long as anybody has it.
    public class func valet(
        with identifier: Identifier,
        accessControl: SecureEnclaveAccessControl
    ) -> SinglePromptSecureEnclaveValet {
        of(.standard(identifier, .singlePromptSecureEnclave(accessControl)))
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
    ) -> SinglePromptSecureEnclaveValet {
        of(.sharedGroup(groupIdentifier, identifier, .singlePromptSecureEnclave(accessControl)))
    }

    /// What the valet was named; the access group where only that was named.
    public var identifier: Identifier { service.identifier }

    /// What the user proves before a value is read.
    public var accessControl: SecureEnclaveAccessControl { configuration.accessControl ?? .userPresence }

    /// The last failure that a call of this object met on any thread; see ``Valet/lastFailure``.
    public var lastFailure: KeychainFailure? { sandbox.lastFailure }

    /// Whether two valets keep their values in the same place.
    public static func == (
        lhs: SinglePromptSecureEnclaveValet,
        rhs: SinglePromptSecureEnclaveValet
    ) -> Bool { lhs.service == rhs.service }

    /// Whether the other object is a valet that keeps its values in the same place.
    public override func isEqual(_ object: Any?) -> Bool {
        (object as? SinglePromptSecureEnclaveValet)?.service == service
    }

    /// A number that equal valets share.
    public override var hash: Int { service.hashValue }

    /// The object, its identifier, its accessibility and its kind.
    public override var description: String {
        "\(super.description) \(identifier) \(configuration.prettyDescription)"
    }
}

extension SinglePromptSecureEnclaveValet {
    /// Whether values can be written now; nobody is asked.
    ///
    /// See ``SecureEnclaveValet/canAccessKeychain()``.
    public func canAccessKeychain() -> Bool { SandboxCalls.canAccess(sandbox) }

    /// Keeps bytes under a key, in the place of what is there; nobody is asked.
    ///
    /// - Parameters:
    ///   - object: The bytes, at least one.
    ///   - key: The key, which is not empty.
    /// - Throws: What ``SecureEnclaveValet/setObject(_:forKey:)`` throws.
    public func setObject(_ object: Data, forKey key: String) throws {
        try sandbox.reportingAny { try SandboxCalls.setObject(object, forKey: key, in: sandbox) }
    }

    /// Keeps the UTF-8 bytes of a text under a key, as ``setObject(_:forKey:)`` does.
    ///
    /// - Parameters:
    ///   - string: The text, which is not empty.
    ///   - key: The key, which is not empty.
    /// - Throws: What ``setObject(_:forKey:)`` throws.
    public func setString(_ string: String, forKey key: String) throws {
        try sandbox.reportingAny { try SandboxCalls.setString(string, forKey: key, in: sandbox) }
    }

    /// Reads the bytes that are kept under a key; the first read asks the user.
    ///
    /// - Parameters:
    ///   - key: The key, which is not empty.
    ///   - userPrompt: What the person reads if asked.
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

    /// Reads the text that is kept under a key; the first read asks the user.
    ///
    /// - Parameters:
    ///   - key: The key, which is not empty.
    ///   - userPrompt: What the person reads if asked.
    /// - Returns: The text.
    /// - Throws: What ``object(forKey:withPrompt:)`` throws; `itemNotFound` as well for bytes that are not UTF-8.
    public func string(forKey key: String, withPrompt userPrompt: String) throws -> String {
        try sandbox.reportingAny {
            try context.read(userPrompt) { context throws(KeychainFailure) in
                try SandboxCalls.string(forKey: key, in: sandbox, context)
            }
        }
    }

    /// Says whether anything is kept under a key; nobody is asked, and what was proved does not count.
    ///
    /// - Parameter key: The key.
    /// - Returns: Whether there is a value.
    /// - Throws: What ``SecureEnclaveValet/containsObject(forKey:)`` throws.
    public func containsObject(forKey key: String) throws -> Bool {
        try sandbox.reportingAny { try SandboxCalls.containsObject(forKey: key, in: sandbox) }
    }

    /// Lists the keys, for which the user is asked if none was since the last prompt.
    ///
    /// - Parameter userPrompt: What the person reads if asked.
    /// - Returns: The keys, none if nothing is kept.
    /// - Throws: What ``object(forKey:withPrompt:)`` throws for a key that is there.
    public func allKeys(userPrompt: String) throws -> Set<String> {
        try sandbox.reportingAny {
            try context.read(userPrompt) { context throws(KeychainFailure) in
                try SandboxCalls.allKeys(in: sandbox, context)
            }
        }
    }

    /// Removes what is kept under a key; nothing is no error, and nobody is asked.
    ///
    /// - Parameter key: The key, which is not empty.
    /// - Throws: What ``SecureEnclaveValet/removeObject(forKey:)`` throws.
    public func removeObject(forKey key: String) throws {
        try sandbox.reportingAny { try SandboxCalls.removeObject(forKey: key, in: sandbox) }
    }

    /// Removes everything that the valet keeps; nothing is no error, and nobody is asked.
    ///
    /// - Throws: What ``SecureEnclaveValet/removeAllObjects()`` throws.
    public func removeAllObjects() throws {
        try sandbox.reportingAny { try SandboxCalls.removeAllObjects(in: sandbox) }
    }

    /// Forgets what the user proved, so that the next read asks again; a prompt that is open is cancelled.
    public func requirePromptOnNextAccess() { context.invalidate() }

    /// Copies the items that a query finds; see ``Valet/migrateObjects(matching:removeOnCompletion:)``.
    ///
    /// - Parameters:
    ///   - query: Attributes of generic passwords, `kSecClass` among them.
    ///   - removeOnCompletion: Whether what was copied goes from where it was.
    /// - Throws: ``MigrationError`` or ``KeychainError``.
    public func migrateObjects(matching query: [String: AnyHashable], removeOnCompletion: Bool) throws {
        try sandbox.migrate(query, removeOnCompletion)
    }

    /// Copies the values of a valet; see ``Valet/migrateObjects(from:removeOnCompletion:)``.
    ///
    /// - Parameters:
    ///   - valet: The valet that keeps them.
    ///   - removeOnCompletion: Whether what was copied goes from where it was.
    /// - Throws: ``MigrationError`` or ``KeychainError``.
    public func migrateObjects(from valet: Valet, removeOnCompletion: Bool) throws {
        try migrateObjects(matching: valet.baseKeychainQuery, removeOnCompletion: removeOnCompletion)
    }
}
