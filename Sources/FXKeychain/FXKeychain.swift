// SPDX-License-Identifier: Apache-2.0

public import Foundation
import KeychainItems
public import KeychainServices
import KeychainWrapperSupport
import Synchronization

/// A keychain with a dictionary interface, which stores property lists.
///
/// Items are generic passwords, and the description of the key is the account. The storage format is compatible both
/// ways with FXKeychain 1.2 to 1.5. Several threads may use an instance at once.
///
/// Sentences with *Differs* describe differences from the original FXKeychain library. Differs: a value that
/// cannot be stored is rejected and the old one is kept; the original ends the program or removes the old
/// value. Differs: undecodable values can be removed. Differs: an access group applies on every platform.
open class FXKeychain: NSObject {
    /// The service of the items; `nil` or empty for all services.
    ///
    /// Without a service, a read returns the value of any item with the key, and a write changes all items with the
    /// key; see ``Options/wildcardWrites``. If no item has the key, the new item has an empty service.
    public let service: String?

    /// The access group of the items; `nil` or empty for all groups of the program.
    public let accessGroup: String?

    /// The options for stored values and ambiguous keys.
    public let options: Options

    private let currentAccessibility: Mutex<FXKeychainAccess>
    let tracker = FailureTracker<FXKeychainError>()

    /// Creates a keychain for the items of a service.
    ///
    /// - Parameters:
    ///   - service: The service; `nil` or empty for all services.
    ///   - accessGroup: The access group; `nil` or empty for all groups of the program.
    ///   - accessibility: When new and updated items are readable.
    ///   - options: The options for stored values and ambiguous keys.
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

    /// Creates a keychain for a service; new items are readable while the keychain is unlocked.
    public convenience init(service: String?, accessGroup: String?) {
        self.init(service: service, accessGroup: accessGroup, accessibility: .accessibleWhenUnlocked)
    }

    /// Creates a keychain for the items of all services.
    public override convenience init() { self.init(service: nil, accessGroup: nil) }

    @safe private nonisolated(unsafe) static let shared = FXKeychain(
        service: Bundle.programIdentifier,
        accessGroup: nil
    )

    /// The keychain of the program.
    ///
    /// Its service is the identifier of the main bundle, or the program's name. Differs: if the program has
    /// no bundle, the original names no service, so that it reads and writes the items of all services.
    open class func `default`() -> FXKeychain { shared }

    /// When items that are written from now on are readable.
    ///
    /// Writing a value also changes the accessibility of its item. Other items keep theirs.
    open var accessibility: FXKeychainAccess {
        get { currentAccessibility.withLock { $0 } }
        set { currentAccessibility.withLock { $0 = newValue } }
    }

    /// The status of this keychain's last call, on any thread.
    ///
    /// It is `errSecSuccess` if the call succeeded, even if ``object(forKey:)`` returned `nil` because the
    /// key has no value. Otherwise, it is the reason for the failure.
    public var lastStatus: OSStatus { tracker.status }

    /// The error of this keychain's last call, on any thread; `nil` if the call succeeded.
    public var lastError: FXKeychainError? { tracker.error }

    /// Stores a value, replacing an existing one.
    ///
    /// - Parameters:
    ///   - object: A string, number, Boolean, date or data, or an array or string-keyed dictionary of these; with
    ///     ``Options/acceptsKeyedArchives``, also an object of an allowed class. `nil` removes the value. Without
    ///     ``Options/acceptsKeyedArchives``, `NSNull` is removed from arrays and dictionaries. Collections may be
    ///     nested 64 levels deep. A string with an unpaired surrogate cannot be stored. All objects that the
    ///     `encode(with:)` of a custom class encodes must support secure coding. Otherwise Foundation's archiver ends
    ///     the process on Linux. It also ends the process if a custom object encodes a collection that contains itself.
    ///   - key: A string, or any other value, whose description is the key. The keys 1, "1" and `true` are equal. The
    ///     description of data is its bytes in hexadecimal, such as `<01020304 05>`. The key may be empty. Arrays and
    ///     dictionaries have no stable description.
    /// - Returns: Whether the value is stored or, for `nil`, the key has no value now. If not, the old value is
    ///   unchanged; see ``lastStatus``.
    @discardableResult
    open func setObject(_ object: Any?, forKey key: Any) -> Bool {
        guard let object else { return removeObject(forKey: key) }
        return tracker.reports { () throws(FXKeychainError) in
            try write(StoredValue(options: options).data(for: object), forKey: key)
        }
    }

    /// Removes the value of a key, even if it is undecodable.
    ///
    /// - Parameter key: A string, or any other value, whose description is the key.
    /// - Returns: `true` if the key has no value now, even if it had none before; `false` on failure.
    @discardableResult
    open func removeObject(forKey key: Any) -> Bool {
        tracker.reports { () throws(FXKeychainError) in
            let account = try Self.account(key)
            let query = items.query(account)
            if refusesAmbiguity, try items.items(query).count > 1 { throw .ambiguousKey }
            try items.remove(query)
        }
    }

    /// Returns the value of a key.
    ///
    /// - Parameter key: A string, or any other value, whose description is the key.
    /// - Returns: The value; `nil` if it does not exist or cannot be read, which ``lastStatus`` and
    ///   ``storedObject(forKey:)`` distinguish. Strings, data and dates can be cast to Swift types. Numbers
    ///   and Booleans are `NSNumber`.
    open func object(forKey key: Any) -> Any? { try? storedObject(forKey: key) }

    /// The value of a key; setting `nil` removes it.
    open subscript(key: Any) -> Any? {
        get { object(forKey: key) }
        set { setObject(newValue, forKey: key) }
    }
}

extension FXKeychain {
    /// The names of Foundation classes that archives may contain.
    public static var archivedClasses: Set<String> { KeyedArchive.knownClasses }

    var items: ServiceItems {
        ServiceItems(service: service?.nonEmpty, accessGroup: accessGroup?.nonEmpty)
    }

    var refusesAmbiguity: Bool {
        options.wildcardWrites == .refuseWhenAmbiguous && (items.service == nil || items.accessGroup == nil)
    }

    /// Writes a secret and the current accessibility in one change.
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
