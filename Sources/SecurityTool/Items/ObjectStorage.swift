// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainServices

/// Stores the objects of one file.
///
/// What is there already is counted and left alone. Where something else goes wrong, what was stored is taken out again.
struct ObjectStorage {
    /// What options say about every item.
    let attributes: ItemDictionary
    /// What they say about keys alone.
    let keyAttributes: ItemDictionary
    let isExtractable: Bool
    let step: String

    private(set) var duplicates = 0
    private var stored: [NSObject] = []
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
        do throws(Failure) {
            for object in objects { try add(object) }
        } catch {
            for reference in stored.reversed() { try? Keychain.delete(reference) }
            throw error
        }
    }

    private mutating func add(_ object: AnyObject) throws(Failure) {
        switch object {
        case let identity as SecIdentity: try add(identity)
        case let key as SecKey:
            try store(key, keyItem(key, label: nil)) ? (keys += 1) : (duplicates += 1)
        case let certificate as SecCertificate:
            try store(certificate, attributes) ? (certificates += 1) : (duplicates += 1)
        default: throw .file(errSecUnknownFormat, step: step)
        }
    }

    /// Both halves in one transaction where both are new and nothing is said of the key alone.
    private mutating func add(_ identity: SecIdentity) throws(Failure) {
        var (certificate, key): (SecCertificate?, SecKey?) = (nil, nil)
        unsafe SecIdentityCopyCertificate(identity, &certificate)
        unsafe SecIdentityCopyPrivateKey(identity, &key)
        guard let certificate, let key else { throw .file(errSecDecode, step: step) }
        let label = SecCertificateCopySubjectSummary(certificate)
        if isExtractable, keyAttributes.entries.isEmpty, try isNew(certificate), try isNew(key) {
            var both = attributes
            both[kSecAttrLabel] = both[kSecAttrLabel] ?? label
            if try store(identity, both) {
                identities += 1
                return
            }
        }
        let isNewKey = try store(key, keyItem(key, label: label))
        let isNewCertificate = try store(certificate, attributes)
        if isNewKey || isNewCertificate { identities += 1 }
        if !isNewKey || !isNewCertificate { duplicates += 1 }
    }

    /// Whether there is no such item: one that was there before must not be taken out again with what is new.
    private func isNew(_ object: NSObject) throws(Failure) -> Bool {
        var query = ItemDictionary()
        query[kSecValueRef] = object
        do throws(Failure) {
            _ = try Keychain.find(query)
            return false
        } catch .status(errSecItemNotFound, _) {
            return true
        } catch .status(errSecInteractionNotAllowed, _) {
            return false
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

    /// Returns whether the item is new.
    private mutating func store(_ object: NSObject, _ attributes: ItemDictionary) throws(Failure) -> Bool {
        var item = attributes
        item[kSecValueRef] = object
        do throws(Failure) {
            if let reference = try Keychain.addReferring(item, step: step) { stored.append(reference) }
            return true
        } catch .status(errSecDuplicateItem, _) {
            return false
        }
    }
}
