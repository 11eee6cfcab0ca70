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
        let additions = try additions(of: objects)
        let present = Mutex<Set<Int>>([])
        let status = SecItemApply(
            additions.map { .add($0.item.object) },
            skip: { place in present.withLock { _ = $0.insert(place) } }
        )
        try KeychainCalls.check(status, step)
        let skipped = present.withLock { $0 }
        let stored = additions.indices.filter { !skipped.contains($0) }.map { additions[$0].object }
        for object in Set(stored) {
            switch objects[object] {
            case is SecIdentity: identities += 1
            case is SecKey: keys += 1
            default: certificates += 1
            }
        }
        duplicates += Set(skipped.map { additions[$0].object }).count
    }

    // MARK: From objects to items

    /// An item to be stored: an object of the file, or half of one.
    private struct Addition {
        /// The object, by its place in the file.
        let object: Int
        let item: ItemDictionary
    }

    /// The items that objects are, each once.
    private func additions(of objects: [AnyObject]) throws(Failure) -> [Addition] {
        var seen: Set<NSObject> = []
        var additions: [Addition] = []
        for (place, object) in objects.enumerated() {
            for (half, attributes) in try halves(of: object) where seen.insert(half).inserted {
                var item = attributes
                item[kSecValueRef] = half
                additions.append(Addition(object: place, item: item))
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
}
