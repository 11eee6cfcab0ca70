// SPDX-License-Identifier: Apache-2.0

public import Foundation
import KeychainItems
public import KeychainServices
import KeychainWrapperSupport

/// Stores values of any type in the keychain, by key.
///
/// A value is stored as a keyed archive in a generic password, whose service is the prefix, a dot and the
/// key. The storage format is compatible both ways with Lockbox 1 to 3. Several threads may use an instance
/// at the same time.
///
/// Paragraphs or sentences with *Differs* describe differences from the original Lockbox library. Differs: a
/// value is replaced in place; the original first removes the old value, and loses it if the program ends in
/// between. Differs: a write does not change items of other accounts in the same service. Differs: an archive
/// of another key is not overwritten; see ``LockboxError/Reason/anotherKey``.
open class Lockbox: NSObject {
    /// The prefix of the services, without the dot.
    public let keyPrefix: String

    private let hasPrefix: Bool
    let tracker = FailureTracker<LockboxError>()

    /// Creates a lockbox with the prefix of the program.
    ///
    /// The prefix is the identifier of the main bundle, or the program's name. Differs: the original uses the
    /// bundle that contains the library's code. If a program linked the original as a framework, pass the
    /// framework's identifier as the prefix to read the program's items. Without a bundle, the original ends the
    /// program.
    public override convenience init() { self.init(keyPrefix: nil) }

    /// Creates a lockbox with a prefix.
    ///
    /// Do not use two prefixes of which one starts with the other and a dot, such as `a` and `a.b`: the key `b.c`
    /// of the first and `c` of the second have the same service.
    ///
    /// - Parameter keyPrefix: The prefix, which may be empty; `nil` for the prefix of ``init()``.
    public init(keyPrefix: String?) {
        self.keyPrefix = keyPrefix ?? Bundle.programIdentifier
        hasPrefix = true
    }

    private init(withoutPrefix: Void) {
        keyPrefix = ""
        hasPrefix = false
    }

    /// Returns a lockbox that uses keys as services, as before Lockbox 1.0.2.
    public class func withoutPrefix() -> Lockbox { Lockbox(withoutPrefix: ()) }

    @safe nonisolated(unsafe) static let shared = Lockbox()

    /// The status of this lockbox's last call, on any thread.
    ///
    /// It is `errSecSuccess`, or the reason why the call returned `nil` or `false`. If the call failed although the
    /// keychain reported no error, for example because the stored bytes cannot be decoded, it is the
    /// ``LockboxError/status`` of ``lastError``.
    public var lastStatus: OSStatus { tracker.status }

    /// The error of this lockbox's last call, on any thread; `nil` if the call succeeded.
    public var lastError: LockboxError? { tracker.error }

    /// Archives a value, replacing an existing one.
    ///
    /// - Parameters:
    ///   - object: A string, number, Boolean, date, data, URL, UUID, `NSNull`, an array, set or dictionary,
    ///     or an object of a class that supports secure coding. `nil` is archived too: the key then exists
    ///     without a value. Collections may be nested 64 levels deep. On Linux, a custom class that is private
    ///     or nested in another type is rejected. If the `encode(with:)` of a custom class encodes an object of
    ///     such a class, an object without secure coding, or a collection that contains itself, Foundation's
    ///     archiver on Linux ends the process.
    ///   - key: The key, which may be empty.
    ///   - accessibility: One of the `kSecAttrAccessible…` constants. An existing item also receives it.
    /// - Returns: Whether the value is stored. If not, the old value is unchanged; see ``lastStatus``.
    @discardableResult
    open func archiveObject(
        _ object: Any?,
        forKey key: String,
        accessibility: CFTypeRef = kSecAttrAccessibleWhenUnlocked
    ) -> Bool {
        tracker.reports { () throws(LockboxError) in try archive(object, key, accessibility) }
    }

    /// Returns the archived value of a key.
    ///
    /// - Parameter key: The key.
    /// - Returns: The value; `nil` if it does not exist, is an archived `nil`, or cannot be read, which
    ///   ``lastStatus`` and ``unarchivedObject(forKey:ofClasses:)`` distinguish. A value with objects of
    ///   custom classes can be read only with ``unarchivedObject(forKey:ofClasses:)``.
    open func unarchiveObject(forKey key: String) -> Any? { try? unarchivedObject(forKey: key) }

    /// Removes all items of a key's service, as the original library does.
    ///
    /// These can be third-party items, and the archive of another key; see ``LockboxError/Reason/anotherKey``.
    ///
    /// - Parameter key: The key.
    /// - Returns: Whether an item was removed. If there is none, ``lastStatus`` is `errSecItemNotFound`.
    @discardableResult
    open func removeObject(forKey key: String) -> Bool {
        tracker.reports { () throws(LockboxError) in try item(key).remove() }
    }
}

extension Lockbox {
    func item(_ key: String) -> LockboxItem {
        LockboxItem(service: hasPrefix ? keyPrefix + "." + key : key)
    }

    func archive(_ object: Any?, _ key: String, _ accessibility: CFTypeRef) throws(LockboxError) {
        guard let data = try? KeyedArchive.data(archiving: object, forKey: key) else {
            throw .unsupportedValue
        }
        try write(data, key, accessibility)
    }

    func write(_ data: Data, _ key: String, _ accessibility: CFTypeRef) throws(LockboxError) {
        let item = item(key)
        try refuseAnotherKey(key, item)
        try item.write(data, accessibility)
    }

    /// Throws if the item is the archive of another key with the same service.
    private func refuseAnotherKey(_ key: String, _ item: LockboxItem) throws(LockboxError) {
        // The key of an undecodable item is unknown, so the item may be overwritten.
        guard let data = try? item.ownSecret(), let archive = try? KeyedArchive(data) else { return }
        guard archive.keys.isEmpty || archive.keys.contains(key) else { throw .anotherKey }
    }

    /// Reads the value of a key.
    ///
    /// If there is no item, returns `nil` and records `errSecItemNotFound` as the ``lastStatus``.
    func read<Value>(
        _ key: String,
        _ decode: (Data) throws(LockboxError) -> Value?
    ) throws(LockboxError) -> Value? {
        var isMissing = false
        let value: Value? = try tracker.tracking { () throws(LockboxError) in
            guard let data = try item(key).secret() else {
                isMissing = true
                return nil
            }
            return try decode(data)
        }
        if isMissing { tracker.note(.itemNotFound) }
        return value
    }
}
