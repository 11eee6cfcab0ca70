// SPDX-License-Identifier: Apache-2.0

import KeychainModel
import KeychainObjects
import Synchronization

/// Stores the objects of one file in one transaction: all of them, or none if something fails.
///
/// Existing objects are counted and left unchanged.
struct ObjectStorage {
    let certificateAttributes: Attributes
    let keyAttributes: Attributes
    let isExtractable: Bool
    /// The access control of stored private keys; `nil` if no option specifies one.
    let accessControl: AccessControl?
    let step: String

    private(set) var duplicates = 0
    private var identities = 0
    private var keys = 0
    private var certificates = 0

    init(
        certificateAttributes: Attributes,
        keyAttributes: Attributes,
        isExtractable: Bool = true,
        accessControl: AccessControl? = nil,
        step: String
    ) {
        self.certificateAttributes = certificateAttributes
        self.keyAttributes = keyAttributes
        self.isExtractable = isExtractable
        self.accessControl = accessControl
        self.step = step
    }

    /// The numbers of stored objects, one line per kind.
    var report: String {
        let counts = [
            (identities, "identity", "identities"), (keys, "key", "keys"),
            (certificates, "certificate", "certificates"),
        ]
        return counts.filter { $0.0 > 0 }.map { "\($0.0) \($0.0 == 1 ? $0.1 : $0.2) imported.\n" }.joined()
    }

    /// The numbers of stored objects, and of those that the keychain already had.
    var json: JSONText {
        .object([
            ("schemaVersion", .number(1)), ("identities", .number(identities)), ("keys", .number(keys)),
            ("certificates", .number(certificates)), ("duplicates", .number(duplicates)),
        ])
    }

    mutating func add(_ objects: [KeychainObject]) throws(Failure) {
        let additions = additions(of: objects)
        let present = Mutex<Set<Int>>([])
        try KeychainCalls.perform(together: additions.map { .add($0.item) }, step: step) { index in
            present.withLock { _ = $0.insert(index) }
        }
        let skipped = present.withLock { $0 }
        let stored = additions.indices.filter { !skipped.contains($0) }.map { additions[$0].object }
        for object in Set(stored) {
            switch objects[object] {
            case .identity: identities += 1
            case .key: keys += 1
            case .certificate: certificates += 1
            }
        }
        duplicates += Set(skipped.map { additions[$0].object }).count
    }

    // MARK: From objects to items

    /// An item to store for an object of the file; an object can need several items.
    private struct Addition {
        /// The index of the object in the file.
        let object: Int
        let item: NewItem
    }

    /// The items to store for the objects, without duplicates.
    private func additions(of objects: [KeychainObject]) -> [Addition] {
        var seen: Set<KeychainObject> = []
        var additions: [Addition] = []
        for (index, object) in objects.enumerated() {
            if let key = object.key, seen.insert(.key(key)).inserted {
                additions.append(Addition(object: index, item: item(key, of: object.certificate)))
                // Also store the public key of a private key with an access control: an SSH agent reads the public
                // key without asking the user.
                let publicKey = key.publicHalf
                if key.half == .private, accessControl != nil, seen.insert(.key(publicKey)).inserted {
                    additions.append(Addition(object: index, item: item(publicKey, of: object.certificate)))
                }
            }
            if let certificate = object.certificate, seen.insert(.certificate(certificate)).inserted {
                let item = NewItem(certificate, attributes: certificateAttributes)
                additions.append(Addition(object: index, item: item))
            }
        }
        return additions
    }

    /// The item of a key; the default label is the name of the key's certificate, or without one the kind of key.
    private func item(_ key: AsymmetricKey, of certificate: ParsedCertificate?) -> NewItem {
        let isPrivate = key.half == .private
        var attributes = keyAttributes
        if attributes[.label] == nil {
            let label = certificate?.summary ?? (isPrivate ? "Imported Private Key" : "Imported Public Key")
            attributes[.label] = .string(label)
        }
        if isPrivate, !isExtractable { attributes[.isExtractable] = .number(0) }
        return NewItem(key, attributes: attributes).constrained(by: isPrivate ? accessControl : nil)
    }
}

extension NewItem {
    /// The item with an access control; unchanged if `control` is `nil`.
    func constrained(by control: AccessControl?) -> NewItem {
        guard let control else { return self }
        var item = self
        item.accessControl = control
        item.attributes[.accessible] = .string(control.protection.name)
        return item
    }
}
