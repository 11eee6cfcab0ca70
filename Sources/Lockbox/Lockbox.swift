// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import KeychainServices
import KeychainWrapperSupport

/// Values of any kind in the keychain, each under a key.
///
/// A value is stored as a keyed archive in a generic password, whose service is the prefix, a dot and the key. What Lockbox
/// 1 to 3 wrote is read, and what is written it reads. An instance may be used from several threads at once.
///
/// Differs: a value is replaced in place, where the original removes the old one first and loses it if the program ends
/// in between. Differs: an item of another account in the same service is left alone by a write. Differs: the archive of another key
/// is not overwritten; see ``LockboxError/Reason/anotherKey``.
open class Lockbox: NSObject {
    /// What the services begin with, without the dot.
    public let keyPrefix: String

    private let hasPrefix: Bool
    let tracker = StatusTracker<LockboxError>()

    /// Makes a lockbox with the prefix of the program: the identifier of the main bundle, or else the program's name.
    ///
    /// Differs: the original takes the bundle that holds its own code, which is the program's unless it was linked as a
    /// framework; give that prefix to read what such a program wrote. Without a bundle it stops the program.
    public override convenience init() { self.init(keyPrefix: nil) }

    /// Makes a lockbox with a prefix.
    ///
    /// Let no prefix be another one and a dot and more: their keys could meet.
    ///
    /// - Parameter keyPrefix: The prefix, which may be empty; `nil` for that of the program.
    public init(keyPrefix: String?) {
        self.keyPrefix = keyPrefix ?? Program.identifier
        hasPrefix = true
    }

    private init(withoutPrefix: Void) {
        keyPrefix = ""
        hasPrefix = false
    }

    /// A lockbox whose services are the keys themselves, as before Lockbox 1.0.2.
    public class func withoutPrefix() -> Lockbox { Lockbox(withoutPrefix: ()) }

    @safe nonisolated(unsafe) static let shared = Lockbox()

    /// The status of the last call on any thread, `errSecSuccess` or why it gave `nil` or `false`.
    ///
    /// Where the keychain itself had nothing against a call it is the status of a ``LockboxError``.
    public var lastStatus: OSStatus { tracker.status }

    /// The error of the last call on any thread; `nil` if it succeeded.
    public var lastError: LockboxError? { tracker.error }

    /// Archives a value, in the place of the one that is there.
    ///
    /// - Parameters:
    ///   - object: A text, number, Boolean, date, data, URL, UUID, `NSNull`, an array, set or dictionary, or an object of a
    ///     class that supports secure coding; `nil` is archived, and the key is then there with nothing. Collections
    ///     may be nested 64 levels deep. On Linux a class
    ///     of your own is neither private nor within another type, and all that its `encode(with:)` files supports secure
    ///     coding too: for anything else, and for a collection that contains itself in an object of such a class,
    ///     Foundation's archiver ends the process there.
    ///   - key: The key, which may be empty.
    ///   - accessibility: One of the constants `kSecAttrAccessible…`; the item has it afterwards, whatever it had.
    /// - Returns: Whether the value is stored. If not, the old one is still there, and ``lastStatus`` says why.
    @discardableResult
    open func archiveObject(
        _ object: Any?,
        forKey key: String,
        accessibility: CFTypeRef = kSecAttrAccessibleWhenUnlocked
    ) -> Bool {
        tracker.reports { () throws(LockboxError) in try archive(object, key, accessibility) }
    }

    /// The value that was archived under a key.
    ///
    /// - Parameter key: The key.
    /// - Returns: The value; `nil` if there is none, `nil` was archived, or it cannot be read, which ``lastStatus`` and
    ///   ``unarchivedObject(forKey:ofClasses:)`` tell apart. An object of a class of your own needs the latter.
    open func unarchiveObject(forKey key: String) -> Any? { try? unarchivedObject(forKey: key) }

    /// Removes the value of a key, of whatever form, and what else is in its service, as the original does.
    ///
    /// The archive of another key that makes the same service goes too: what somebody else put there can be removed.
    ///
    /// - Parameter key: The key.
    /// - Returns: Whether something was removed; if there is nothing, ``lastStatus`` is `errSecItemNotFound`.
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

    /// Throws if what would be overwritten is the archive of a key that makes the same service with another prefix.
    private func refuseAnotherKey(_ key: String, _ item: LockboxItem) throws(LockboxError) {
        // Of what cannot be read nothing is known, and writing may be allowed.
        guard let data = try? item.ownSecret(), let archive = try? KeyedArchive(data) else { return }
        guard archive.keys.isEmpty || archive.keys.contains(key) else { throw .anotherKey }
    }

    /// Reads what is stored under a key; that there is nothing is a status and no error.
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
        if isMissing { tracker.note(LockboxError(status: errSecItemNotFound)) }
        return value
    }
}
