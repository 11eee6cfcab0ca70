// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import KeychainObjects
import KeychainUserPresence

/// Builds the result of a call from the items found.
///
/// Source: Apple's published Security sources.
struct ResultDictionary {
    let returning: ReturnKeys
    /// The state of the call's `LAContext`; `nil` if the call has no context.
    ///
    /// If a returned private key is kept by securityd, each later use of the key also authenticates with this
    /// state.
    var context: ContextState?

    /// Builds the result of a search: one object if the limit is one, otherwise an array.
    func result(of items: [FoundItem], limit: MatchLimit) -> AnyObject? {
        guard limit != .one else { return items.first.flatMap { object(of: $0) } }
        // Use `as NSArray` instead of NSArray's initializer, so that the program contains the code that bridges arrays,
        // which the caller's cast to a Swift array needs. A statically linked program contains only the parts of
        // Foundation that are referenced.
        let shared = SharedObjects()
        return items.compactMap { object(of: $0, shared) } as NSArray
    }

    /// Builds the result of SecItemAdd for the added item.
    ///
    /// The result is `nil` if there are no return keys, and if only an object is requested and the item is a password.
    /// The data of an item without a secret is empty.
    func result(ofAdded item: FoundItem, with accessControl: AccessControl?) -> AnyObject? {
        switch returning {
        case []: return nil
        case .data: return ResultData(item.secret ?? SecretBuffer())
        default:
            return object(
                of: item,
                accessControl: accessControl.map { SecAccessControl($0) },
                hiding: .hiddenAtAdd,
                secret: item.secret ?? SecretBuffer()
            )
        }
    }

    private func object(of item: FoundItem, _ shared: SharedObjects? = nil) -> AnyObject? {
        object(
            of: item,
            accessControl: shared?.object(for: item.accessControl) ?? SecAccessControl(item.accessControl),
            hiding: [],
            secret: item.secret,
            shared
        )
    }

    /// Builds the result for one item.
    ///
    /// The result is `nil` if there are no return keys, and if the only requested value does not exist: the data
    /// of an item without a secret, or the object of a password or of a secret that cannot be decoded.
    private func object(
        of item: FoundItem,
        accessControl: @autoclosure () -> SecAccessControl?,
        hiding: AttributeTraits,
        secret: SecretBuffer?,
        _ shared: SharedObjects? = nil
    ) -> AnyObject? {
        switch returning {
        case []: return nil
        case .reference: return reference(to: item)
        case .data: return secret.map { ResultData($0) }
        case .persistentReference: return ResultData(item.reference.bytes)
        default: break
        }
        // `kSecReturnAttributes`, or two or more return keys: the dictionary always contains the attributes.
        var pairs = Pairs()
        for entry in item.attributes.entries where hiding.isEmpty || !entry.isHidden(hiding, item) {
            let object = shared?.object(for: entry) ?? entry.value.object
            pairs.add(Self.names[Int(entry.attribute.rawValue)], object)
        }
        if let accessControl = accessControl() { pairs.add(kSecAttrAccessControl, accessControl) }
        if returning.contains(.data), let secret { pairs.add(kSecValueData, ResultData(secret)) }
        if returning.contains(.persistentReference) {
            pairs.add(kSecValuePersistentRef, ResultData(item.reference.bytes))
        }
        if returning.contains(.reference) {
            pairs.add(kSecClass, NSString(string: item.reference.itemClass.name))
            if let object = reference(to: item) { pairs.add(kSecValueRef, object) }
        }
        return pairs.dictionary
    }

    /// Returns the key, certificate or identity of an item.
    ///
    /// The result is `nil` for a password, and for an item whose secret cannot be decoded.
    private func reference(to item: FoundItem) -> NSObject? {
        guard let object = KeychainObject(item) else { return nil }
        guard let key = object.key, key.isInToken else { return object.object }
        let token = TokenItem(item: item.privateKey ?? item.reference, context: context)
        let privateKey = SecKey(key, inToken: token)
        guard let certificate = object.certificate else { return privateKey }
        return SecIdentity(SecCertificate(certificate), privateKey)
    }

    /// The dictionary keys of the attributes, indexed by the raw value of `Attribute`.
    ///
    /// They are created once, because each result dictionary contains about twelve of them.
    @safe private nonisolated(unsafe) static let names: [NSString] = {
        let count = 1 + (Attribute.allCases.map { Int($0.rawValue) }.max() ?? 0)
        return (0..<count).map { NSString(string: Attribute(rawValue: UInt8($0))?.name ?? "") }
    }()
}

/// Collects keys and values and creates a dictionary in one step, at half the cost of single insertions.
private struct Pairs {
    private var keys: [NSObject] = []
    private var objects: [AnyObject] = []

    init() {
        keys.reserveCapacity(24)
        objects.reserveCapacity(24)
    }

    mutating func add(_ key: NSString, _ object: AnyObject) {
        keys.append(key)
        objects.append(object)
    }

    var dictionary: NSDictionary {
        unsafe objects.withUnsafeBufferPointer { objects in
            unsafe keys.withUnsafeBufferPointer { keys in
                unsafe NSDictionary(
                    objects: objects.baseAddress,
                    forKeys: keys.baseAddress,
                    count: keys.count
                )
            }
        }
    }
}

extension Attributes.Entry {
    fileprivate func isHidden(_ hiding: AttributeTraits, _ item: FoundItem) -> Bool {
        ItemSchema.of(item.reference.itemClass)[attribute]?.traits.isDisjoint(with: hiding) == false
    }
}

/// Reuses the Foundation objects of values that the previous item of a result also has.
///
/// Only values that most items of a list have in common are compared: access group, protection class, access control,
/// and the attributes `sync`, `tomb` and `musr`. The objects are immutable, so several result dictionaries can contain
/// them.
private final class SharedObjects {
    private var objects: [(value: AttributeValue, object: AnyObject)?] = []
    private var accessControl: (content: AccessControl, object: SecAccessControl)?

    func object(for entry: Attributes.Entry) -> AnyObject {
        let index: Int
        switch entry.attribute {
        case .accessGroup: index = 0
        case .accessible: index = 1
        case .synchronizable: index = 2
        case .tombstone: index = 3
        case .multiUser: index = 4
        default: return entry.value.object
        }
        if objects.isEmpty { objects = Array(repeating: nil, count: 5) }
        if let known = objects[index], known.value == entry.value { return known.object }
        let object = entry.value.object
        objects[index] = (entry.value, object)
        return object
    }

    func object(for content: AccessControl) -> SecAccessControl {
        if let accessControl, accessControl.content == content { return accessControl.object }
        let object = SecAccessControl(content)
        accessControl = (content, object)
        return object
    }
}

extension AttributeValue {
    fileprivate var object: AnyObject {
        switch self {
        case .string(let text): NSString(string: text)
        case .data(let data): ResultData(data)
        case .number(let number): NSNumber(value: number)
        case .date(let seconds): NSDate(timeIntervalSinceReferenceDate: seconds)
        }
    }
}
