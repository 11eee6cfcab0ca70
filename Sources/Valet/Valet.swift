// SPDX-License-Identifier: Apache-2.0

public import Foundation
import KeychainServices

/// Keeps values in the keychain, each under a key of a sandbox of its own.
///
/// A sandbox is what the valet is made with: its kind, its identifier, the access group, and when values can be read.
/// Two valets that are made alike are one object, and see the same values; any other two never see each other's, except
/// those made `withExplicitlySet` identifiers, whose name is all that the keychain keeps them apart by.
///
/// Every call can be made from any thread. It blocks until the keychain has answered, and nothing is locked meanwhile.
/// What went wrong is a ``KeychainError``; the status behind it is in ``lastFailure``.
///
/// Source: Valet 5.1. Unlike there, two valets are equal if everything they are made with is, not if their service strings
/// are; an access group is part of that. Unlike there, a removal that the keychain refuses is an error whatever the reason.
public final class Valet: NSObject, SandboxOwner, Sendable {
    private static let valets = WeakStorage<Valet>()

    let sandbox: Sandbox

    private init(_ service: Service) {
        sandbox = Sandbox(service)
        super.init()
    }

    /// The valet of a service, which is one object as long as anyone has it.
    static func of(_ service: Service) -> Valet { valets.value(for: service) { Valet($0) } }

    /// When values can be read.
    public var accessibility: Accessibility { configuration.accessibility }

    /// What the valet was named; the access group where only that was named.
    public var identifier: Identifier { service.identifier }

    /// The last failure that a call of this object met on any thread; a call that succeeds leaves it.
    ///
    /// It is `nil` after a call that threw for a reason without a status: a ``MigrationError`` that no call of the keychain
    /// led to, a ``CodableValueError``, or an error of a function that the call was given.
    ///
    /// Where several threads use the valet, it may be another's: its `error` says which error it belongs to.
    public var lastFailure: KeychainFailure? { sandbox.lastFailure }

    /// Whether two valets keep their values in the same place.
    public static func == (lhs: Valet, rhs: Valet) -> Bool { lhs.service == rhs.service }

    /// Whether the other object is a valet that keeps its values in the same place.
    public override func isEqual(_ object: Any?) -> Bool { (object as? Valet)?.service == service }

    /// A number that equal valets share.
    public override var hash: Int { service.hashValue }

    /// The object, its identifier, its accessibility and its kind.
    public override var description: String {
        "\(super.description) \(identifier) \(configuration.prettyDescription)"
    }
}

extension Valet {
    /// Whether values can be written and read now.
    ///
    /// It writes a small item of its own and reads it; the item stays, and no list of keys shows it.
    public func canAccessKeychain() -> Bool { SandboxCalls.canAccess(sandbox) }

    /// Keeps bytes under a key, in the place of what is there.
    ///
    /// If it fails, what was there is there still.
    ///
    /// - Parameters:
    ///   - object: The bytes, at least one.
    ///   - key: The key, which is not empty.
    /// - Throws: `emptyKey`, `emptyValue`, `missingEntitlement`, or `couldNotAccessKeychain`.
    public func setObject(_ object: Data, forKey key: String) throws(KeychainError) {
        try sandbox.reporting { () throws(KeychainFailure) in
            try SandboxCalls.setObject(object, forKey: key, in: sandbox)
        }
    }

    /// Reads the bytes that are kept under a key.
    ///
    /// - Parameter key: The key, which is not empty.
    /// - Returns: The bytes, at least one if a valet wrote them.
    /// - Throws: `emptyKey`, `itemNotFound`, `missingEntitlement`, or `couldNotAccessKeychain`.
    public func object(forKey key: String) throws(KeychainError) -> Data {
        try sandbox.reporting { () throws(KeychainFailure) in
            try SandboxCalls.object(forKey: key, in: sandbox)
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

    /// Reads the text that is kept under a key.
    ///
    /// - Parameter key: The key, which is not empty.
    /// - Returns: The text.
    /// - Throws: What ``object(forKey:)`` throws; `itemNotFound` as well for bytes that are not UTF-8.
    public func string(forKey key: String) throws(KeychainError) -> String {
        try sandbox.reporting { () throws(KeychainFailure) in
            try SandboxCalls.string(forKey: key, in: sandbox)
        }
    }

    /// Says whether anything is kept under a key, without reading it.
    ///
    /// - Parameter key: The key.
    /// - Returns: Whether there is a value.
    /// - Throws: `missingEntitlement`, or `couldNotAccessKeychain`, which is also the error for an empty key.
    public func containsObject(forKey key: String) throws(KeychainError) -> Bool {
        try sandbox.reporting { () throws(KeychainFailure) in
            try SandboxCalls.containsObject(forKey: key, in: sandbox)
        }
    }

    /// Lists the keys.
    ///
    /// - Returns: The keys, none if nothing is kept. Items that others stored here under bytes are left out.
    /// - Throws: `missingEntitlement`, or `couldNotAccessKeychain`.
    public func allKeys() throws(KeychainError) -> Set<String> {
        try sandbox.reporting { () throws(KeychainFailure) in try SandboxCalls.allKeys(in: sandbox) }
    }

    /// Removes what is kept under a key; nothing is no error.
    ///
    /// - Parameter key: The key, which is not empty.
    /// - Throws: `emptyKey`, `missingEntitlement`, `userCancelled`, or `couldNotAccessKeychain`.
    public func removeObject(forKey key: String) throws(KeychainError) {
        try sandbox.reporting { () throws(KeychainFailure) in
            try SandboxCalls.removeObject(forKey: key, in: sandbox)
        }
    }

    /// Removes everything that the valet keeps; nothing is no error.
    ///
    /// - Throws: `missingEntitlement`, `userCancelled`, or `couldNotAccessKeychain`.
    public func removeAllObjects() throws(KeychainError) {
        try sandbox.reporting { () throws(KeychainFailure) in try SandboxCalls.removeAllObjects(in: sandbox) }
    }
}
