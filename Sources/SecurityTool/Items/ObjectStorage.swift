// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices
import Synchronization

/// Stores the objects of one file in one transaction: all of them, or none where something goes wrong.
///
/// What is there already is counted and left alone.
struct ObjectStorage {
    /// What options say about every item.
    let attributes: ItemDictionary
    /// What they say about keys alone.
    let keyAttributes: ItemDictionary
    let isExtractable: Bool
    let step: String

    private(set) var duplicates = 0
    private var identities = 0
    private var keys = 0
    private var certificates = 0

    init(
        attributes: ItemDictionary,
        keyAttributes: ItemDictionary = ItemDictionary(),
        isExtractable: Bool = true,
        step: String
    ) {
        self.attributes = attributes
        self.keyAttributes = keyAttributes
        self.isExtractable = isExtractable
        self.step = step
    }

    /// What was stored, a line for each kind.
    var report: [String] {
        let counts = [
            (identities, "identity", "identities"), (keys, "key", "keys"),
            (certificates, "certificate", "certificates"),
        ]
        return counts.filter { $0.0 > 0 }.map { "\($0.0) \($0.0 == 1 ? $0.1 : $0.2) imported." }
    }

    mutating func add(_ objects: [AnyObject]) throws(Failure) {
        let (stored, present) = try store(additions(of: objects))
        for object in Set(stored.map(\.object)) {
            switch objects[object] {
            case is SecIdentity: identities += 1
            case is SecKey: keys += 1
            default: certificates += 1
            }
        }
        duplicates += Set(present.map(\.object)).count
    }

    // MARK: From objects to items

    /// An item to be stored: an object of the file, or half of one.
    private struct Addition {
        /// The object, by its place in the file.
        let object: Int
        let item: ItemDictionary
        let mayBePresent: Bool
    }

    /// The items that objects are, each once.
    private func additions(of objects: [AnyObject]) throws(Failure) -> [Addition] {
        var seen: Set<NSObject> = []
        var additions: [Addition] = []
        for (place, object) in objects.enumerated() {
            for (half, attributes) in try halves(of: object) where seen.insert(half).inserted {
                var item = attributes
                item[kSecValueRef] = half
                let mayBePresent = try mayBePresent(half)
                additions.append(Addition(object: place, item: item, mayBePresent: mayBePresent))
            }
        }
        return additions
    }

    private func halves(of object: AnyObject) throws(Failure) -> [(NSObject, ItemDictionary)] {
        switch object {
        case let identity as SecIdentity:
            var (certificate, key): (SecCertificate?, SecKey?) = (nil, nil)
            unsafe SecIdentityCopyCertificate(identity, &certificate)
            unsafe SecIdentityCopyPrivateKey(identity, &key)
            guard let certificate, let key else { throw .file(errSecDecode, step: step) }
            let label = SecCertificateCopySubjectSummary(certificate)
            return [(key, keyItem(key, label: label)), (certificate, attributes)]
        case let key as SecKey: return [(key, keyItem(key, label: nil))]
        case let certificate as SecCertificate: return [(certificate, attributes)]
        default: throw .file(errSecUnknownFormat, step: step)
        }
    }

    private func keyItem(_ key: SecKey, label: CFString?) -> ItemDictionary {
        var item = attributes
        // The attributes of a key would hold a copy of it.
        let isPrivate = SecKeyCopyPublicKey(key) != key
        item[kSecAttrLabel] = label ?? (isPrivate ? "Imported Private Key" : "Imported Public Key")
        for (name, value) in keyAttributes.entries { item[name] = value }
        if isPrivate, !isExtractable { item[kSecAttrIsExtractable] = kCFBooleanFalse }
        return item
    }

    /// Whether an item of the same bytes is there; with another tag it may be another item nonetheless.
    private func mayBePresent(_ object: NSObject) throws(Failure) -> Bool {
        var query = ItemDictionary()
        query[kSecValueRef] = object
        do throws(Failure) {
            _ = try Keychain.find(query)
            return true
        } catch .status(errSecItemNotFound, _) {
            return false
        } catch .status(errSecInteractionNotAllowed, _) {
            return true
        }
    }

    // MARK: Into the keychain

    /// Stores what is not there yet, and tells it from what is.
    private func store(
        _ additions: [Addition]
    ) throws(Failure) -> (stored: [Addition], present: [Addition]) {
        // An item that is there ends the transaction, which begins anew without it: those come first.
        var pending = additions.filter(\.mayBePresent) + additions.filter { !$0.mayBePresent }
        var present: [Addition] = []
        while true {
            let completed = Mutex(0)
            let status = SecItemApply(pending.map { .add($0.item.object) }) { count in
                completed.withLock { $0 = count }
                return true
            }
            switch status {
            case errSecSuccess: return (pending, present)
            case errSecDuplicateItem: present.append(pending.remove(at: completed.withLock { $0 }))
            default: throw .status(status, step: step)
            }
        }
    }
}
