// SPDX-License-Identifier: Apache-2.0

public import Foundation
import KeychainItems
public import KeychainServices
import KeychainWrapperSupport
import Synchronization

/// A keychain that is used as a dictionary is: any property list under any key.
///
/// Items are generic passwords; the key is their account. What FXKeychain 1.2 to 1.5 wrote is read, and what is written
/// it reads. An instance may be used from several threads at once.
///
/// Differs: a value that cannot be stored is refused and leaves the old one, where the original stops the program or
/// removes it. Differs: what cannot be decoded can be removed. Differs: an access group counts on every platform.
open class FXKeychain: NSObject {
    /// The service of the items; `nil` for those of all services.
    ///
    /// Without a service a key is read from whichever item has it, and written to all of them; see
    /// ``Options/wildcardWrites``. Where there is none, the new item has an empty service.
    public let service: String?

    /// The access group of the items; `nil` for all groups of the program.
    public let accessGroup: String?

    /// What is taken for a value, and what is done where the keychain is not told enough.
    public let options: Options

    private let currentAccessibility: Mutex<FXKeychainAccess>
    let tracker = StatusTracker<FXKeychainError>()

    /// Makes a keychain of the items of a service.
    ///
    /// - Parameters:
    ///   - service: The service; `nil`, or nothing, for those of all services.
    ///   - accessGroup: The access group; `nil`, or nothing, for all groups of the program.
    ///   - accessibility: When the items that are written can be read.
    ///   - options: What is taken for a value.
    public init(
        service: String?,
        accessGroup: String?,
        accessibility: FXKeychainAccess,
        options: Options = .original
    ) {
        self.service = service
        self.accessGroup = accessGroup
        self.options = options
        currentAccessibility = Mutex(accessibility)
    }

    /// Makes a keychain of the items of a service, readable while the keychain is unlocked.
    public convenience init(service: String?, accessGroup: String?) {
        self.init(service: service, accessGroup: accessGroup, accessibility: .accessibleWhenUnlocked)
    }

    /// Makes a keychain of the items of all services.
    public override convenience init() { self.init(service: nil, accessGroup: nil) }

    @safe private nonisolated(unsafe) static let shared = FXKeychain(
        service: Program.identifier,
        accessGroup: nil
    )

    /// The keychain of the program: its service is the identifier of the main bundle, or else the program's name.
    ///
    /// Differs: the original names no service where the program has no bundle, so that it reads and writes the items of
    /// all of them.
    open class func `default`() -> FXKeychain { shared }

    /// When the items that are written from now on can be read.
    ///
    /// Writing a value gives its item the accessibility too; what is not written keeps its own.
    open var accessibility: FXKeychainAccess {
        get { currentAccessibility.withLock { $0 } }
        set { currentAccessibility.withLock { $0 = newValue } }
    }

    /// The status of the last call on any thread, `errSecSuccess` or why ``object(forKey:)`` gave `nil` or a write `false`.
    public var lastStatus: OSStatus { tracker.status }

    /// The error of the last call on any thread; `nil` if it succeeded.
    public var lastError: FXKeychainError? { tracker.error }

    /// Stores a value, in the place of the one that is there.
    ///
    /// - Parameters:
    ///   - object: A text, number, Boolean, date, data, an array or a dictionary of these with texts for keys; with
    ///     archives on, an object of an allowed class; `nil` removes. `NSNull` is left out of arrays and dictionaries
    ///     while archives are off. Collections may be nested 64 levels deep.
    ///     With archives on, all that the `encode(with:)` of a class of your own files supports secure coding: for
    ///     anything else, and for a collection that contains itself in an object of such a class, Foundation's archiver
    ///     ends the process on Linux. A string with an unpaired surrogate cannot be stored.
    ///   - key: A text, or anything else, whose description is the key: 1 and "1" are the same, `true` is 1, and data
    ///     are their bytes, as `<01020304 05>`. It may be empty. Arrays and dictionaries make no keys that last.
    /// - Returns: Whether the value is stored. If not, the old one is still there, and ``lastStatus`` says why.
    @discardableResult
    open func setObject(_ object: Any?, forKey key: Any) -> Bool {
        guard let object else { return removeObject(forKey: key) }
        return tracker.reports { () throws(FXKeychainError) in
            try write(StoredValue(options: options).data(for: object), forKey: key)
        }
    }

    /// Removes the value of a key, whether or not it can be decoded.
    ///
    /// - Parameter key: A text, or anything else, whose description is the key.
    /// - Returns: Whether there is nothing under the key now; also if there was nothing before.
    @discardableResult
    open func removeObject(forKey key: Any) -> Bool {
        tracker.reports { () throws(FXKeychainError) in
            let account = try Self.account(key)
            let query = items.query(account)
            if refusesAmbiguity, try items.items(query).count > 1 { throw .ambiguousKey }
            try items.remove(query)
        }
    }

    /// The value of a key.
    ///
    /// - Parameter key: A text, or anything else, whose description is the key.
    /// - Returns: The value; `nil` if there is none, or it cannot be read, which ``lastStatus`` and
    ///   ``storedObject(forKey:)`` tell apart. Texts, data and dates come as what casts to Swift's types, numbers and
    ///   Booleans as `NSNumber`.
    open func object(forKey key: Any) -> Any? { try? storedObject(forKey: key) }

    /// The value of a key, which `nil` removes.
    open subscript(key: Any) -> Any? {
        get { object(forKey: key) }
        set { setObject(newValue, forKey: key) }
    }
}

extension FXKeychain {
    /// The names of Foundation's classes that archives may hold.
    public static var archivedClasses: Set<String> { KeyedArchive.knownClasses }

    var items: ServiceItems {
        ServiceItems(service: service?.nonEmpty, accessGroup: accessGroup?.nonEmpty)
    }

    /// Whether a write is refused if several items have the key.
    var refusesAmbiguity: Bool { items.service == nil && options.wildcardWrites == .refuseWhenAmbiguous }

    /// Writes a secret and the accessibility together.
    func write(_ secret: Data, forKey key: Any) throws(FXKeychainError) {
        let account = try Self.account(key)
        let accessibility = accessibility.itemAccessibility
        guard refusesAmbiguity else { return try items.write(account, secret, accessibility) }
        let found = try items.items(items.query(account))
        guard found.count <= 1 else { throw .ambiguousKey }
        guard let item = found.first else { return try items.write(account, secret, accessibility) }
        try items.write(item, secret, accessibility)
    }
}

extension String {
    fileprivate var nonEmpty: String? { isEmpty ? nil : self }
}
