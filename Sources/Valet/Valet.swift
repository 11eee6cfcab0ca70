// SPDX-License-Identifier: Apache-2.0

public import Foundation
import KeychainServices

/// Stores values in the keychain by key, in a separate sandbox.
///
/// A sandbox is a set of values. It is defined by the kind of valet, its identifier, its access group and its
/// accessibility. Two valets with equal arguments are the same object and have the same values. Valets with
/// different arguments have separate values. Valets created with equal `withExplicitlySet` identifiers but
/// different accessibilities are the exception: among them, each key has only one value.
///
/// Every call can be made from any thread. It blocks until the keychain responds, and holds no lock
/// meanwhile. Failures are thrown as ``KeychainError``; ``lastFailure`` contains the underlying status.
///
/// Source: Valet 5.1. Differs: two valets are equal if all of their arguments are equal, including the access
/// group; in the original, valets with equal service strings are equal. Differs: every failed removal is an error.
public final class Valet: NSObject, SandboxOwner, Sendable {
    private static let valets = WeakStorage<Valet>()

    let sandbox: Sandbox

    private init(_ service: Service) {
        sandbox = Sandbox(service)
        super.init()
    }

    /// Returns the valet of a service: the existing object while one is in use, otherwise a new one.
    static func of(_ service: Service) -> Valet { valets.value(for: service) { Valet($0) } }

    /// When values are readable.
    public var accessibility: Accessibility { configuration.accessibility }

    /// The identifier of the valet; without an identifier, the name of its access group.
    public var identifier: Identifier { service.identifier }

    /// The last failure of this object on any thread.
    ///
    /// It is `nil` before the first failure. A successful call does not reset it, but a call that throws an error
    /// without a status does: for example, a ``MigrationError`` without a failed keychain call, a
    /// ``CodableValueError``, or an error that a closure throws before any call of this valet has failed. If several
    /// threads use the valet, it may be the failure of another thread; compare its `error` with the error that your
    /// call threw.
    public var lastFailure: KeychainFailure? { sandbox.lastFailure }

    /// Whether two valets read and write the same items.
    public static func == (lhs: Valet, rhs: Valet) -> Bool { lhs.service == rhs.service }

    /// Whether the other object is a valet that reads and writes the same items.
    public override func isEqual(_ object: Any?) -> Bool { (object as? Valet)?.service == service }

    /// A hash value, which is the same for equal valets.
    public override var hash: Int { service.hashValue }

    /// The object, its identifier, its accessibility and the kind of valet.
    public override var description: String {
        "\(super.description) \(identifier) \(configuration.prettyDescription)"
    }
}

extension Valet {
    /// Whether values can be written and read now.
    ///
    /// The check reads a small item, and first adds it if it does not exist. The item is kept, but not listed
    /// as a key.
    public func canAccessKeychain() -> Bool { SandboxCalls.canAccess(sandbox) }

    /// Stores bytes under a key, replacing an existing value.
    ///
    /// If the call fails, the existing value is unchanged.
    ///
    /// - Parameters:
    ///   - object: The bytes, which must not be empty.
    ///   - key: The key, which must not be empty.
    /// - Throws: `emptyKey`, `emptyValue`, `missingEntitlement`, `couldNotAccessKeychain`, or `userCancelled` if the
    ///   accessibility is `whenPasscodeSetThisDeviceOnly` and no passcode is set.
    public func setObject(_ object: Data, forKey key: String) throws(KeychainError) {
        try sandbox.reporting { () throws(KeychainFailure) in
            try SandboxCalls.setObject(object, forKey: key, in: sandbox)
        }
    }

    /// Reads the bytes of a key.
    ///
    /// - Parameter key: The key, which must not be empty.
    /// - Returns: The bytes; a valet never stores an empty value.
    /// - Throws: `emptyKey`, `itemNotFound`, or another error of the keychain, such as `missingEntitlement` or
    ///   `couldNotAccessKeychain`.
    public func object(forKey key: String) throws(KeychainError) -> Data {
        try sandbox.reporting { () throws(KeychainFailure) in
            try SandboxCalls.object(forKey: key, in: sandbox)
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

    /// Reads the string of a key.
    ///
    /// - Parameter key: The key, which must not be empty.
    /// - Returns: The string.
    /// - Throws: The errors of ``object(forKey:)``, and `itemNotFound` for bytes that are not UTF-8.
    public func string(forKey key: String) throws(KeychainError) -> String {
        try sandbox.reporting { () throws(KeychainFailure) in
            try SandboxCalls.string(forKey: key, in: sandbox)
        }
    }

    /// Returns whether a key has a value, without reading it.
    ///
    /// - Parameter key: The key.
    /// - Returns: Whether there is a value.
    /// - Throws: `couldNotAccessKeychain` for an empty key; otherwise an error of the keychain, such as
    ///   `missingEntitlement` or `couldNotAccessKeychain`.
    public func containsObject(forKey key: String) throws(KeychainError) -> Bool {
        try sandbox.reporting { () throws(KeychainFailure) in
            try SandboxCalls.containsObject(forKey: key, in: sandbox)
        }
    }

    /// Returns the keys.
    ///
    /// - Returns: The keys; empty if there are no values. Third-party items whose account is bytes are
    ///   omitted.
    /// - Throws: An error of the keychain, such as `missingEntitlement` or `couldNotAccessKeychain`.
    public func allKeys() throws(KeychainError) -> Set<String> {
        try sandbox.reporting { () throws(KeychainFailure) in try SandboxCalls.allKeys(in: sandbox) }
    }

    /// Removes the value of a key, if it exists.
    ///
    /// - Parameter key: The key, which must not be empty.
    /// - Throws: `emptyKey`, or an error of the keychain, such as `missingEntitlement` or `couldNotAccessKeychain`.
    public func removeObject(forKey key: String) throws(KeychainError) {
        try sandbox.reporting { () throws(KeychainFailure) in
            try SandboxCalls.removeObject(forKey: key, in: sandbox)
        }
    }

    /// Removes all values of the valet.
    ///
    /// - Throws: An error of the keychain, such as `missingEntitlement` or `couldNotAccessKeychain`.
    public func removeAllObjects() throws(KeychainError) {
        try sandbox.reporting { () throws(KeychainFailure) in try SandboxCalls.removeAllObjects(in: sandbox) }
    }
}
