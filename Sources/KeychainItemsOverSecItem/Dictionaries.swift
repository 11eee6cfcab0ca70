// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel

#if canImport(Darwin)
import Security
#else
import KeychainItems
import KeychainServices
#endif

extension NewItem {
    /// Returns the dictionary to pass to `SecItemAdd`.
    func dictionary(_ session: AuthenticationSession?) throws(StatusError) -> [String: Any] {
        var dictionary = baseDictionary(itemClass, session)
        dictionary.merge(attributes.dictionary) { $1 }
        if let secret { dictionary[kSecValueData as String] = SecretBytes(secret).data }
        try dictionary.take(accessControl)
        return dictionary
    }
}

extension ItemFilter {
    func dictionary(_ session: AuthenticationSession?) -> [String: Any] {
        var dictionary = baseDictionary(itemClass, session)
        dictionary.merge(attributes.dictionary) { $1 }
        switch synchronizable {
        case .unspecified: break
        case .exactly(let value): dictionary[kSecAttrSynchronizable as String] = value
        case .any: dictionary[kSecAttrSynchronizable as String] = kSecAttrSynchronizableAny
        }
        if let reference {
            dictionary = baseDictionary(itemClass, session)
            dictionary[kSecValuePersistentRef as String] = reference.systemData
        }
        return dictionary
    }
}

extension UpdateRequest {
    /// Returns the second dictionary of `SecItemUpdate`: the new attributes and the new secret.
    func dictionary() throws(StatusError) -> [String: Any] {
        var dictionary = attributes.dictionary
        if let secret { dictionary[kSecValueData as String] = SecretBytes(secret).data }
        try dictionary.take(accessControl)
        return dictionary
    }
}

private func baseDictionary(_ itemClass: ItemClass, _ session: AuthenticationSession?) -> [String: Any] {
    // Selects the data protection keychain: macOS's file-based keychains have no protection classes or access groups.
    var dictionary: [String: Any] = [
        kSecClass as String: itemClass.name, kSecUseDataProtectionKeychain as String: true,
    ]
    #if !canImport(Darwin)
    if let session { dictionary[kSecUseAuthenticationContext as String] = LAContext(session.state) }
    #elseif canImport(LocalAuthentication)
    if let session { dictionary[kSecUseAuthenticationContext as String] = session.context }
    #endif
    return dictionary
}

extension [String: Any] {
    fileprivate mutating func take(_ control: KeychainModel.AccessControl?) throws(StatusError) {
        guard let control else { return }
        let flags = SecAccessControlCreateFlags(rawValue: CFOptionFlags(control.flags))
        let object = SecAccessControlCreateWithFlags(
            nil,
            control.protection.name as CFString,
            flags,
            nil
        )
        guard let object else { throw StatusError(.invalidParameter, attribute: .accessControl) }
        self[kSecAttrAccessible as String] = nil
        self[kSecAttrAccessControl as String] = object
    }
}

extension Attributes {
    fileprivate var dictionary: [String: Any] {
        var dictionary: [String: Any] = [:]
        for entry in entries { dictionary[entry.attribute.name] = entry.value.object }
        return dictionary
    }
}

extension AttributeValue {
    fileprivate var object: Any {
        switch self {
        case .string(let string): string
        case .data(let bytes): Data(bytes)
        case .number(let number): NSNumber(value: number)
        case .date(let seconds): Date(timeIntervalSinceReferenceDate: seconds)
        }
    }
}

extension FoundItem {
    /// Creates a found item without attributes from its persistent reference.
    init(reference data: Data, of itemClass: ItemClass) throws(StatusError) {
        guard let reference = PersistentReference(system: data, of: itemClass) else {
            throw StatusError(.internalInconsistency)
        }
        self.init(
            reference: reference,
            attributes: Attributes(),
            accessControl: KeychainModel.AccessControl(protection: itemClass.defaultProtection),
            secret: nil
        )
    }

    init(_ dictionary: [String: Any], of itemClass: ItemClass) throws(StatusError) {
        var attributes = Attributes(reservingCapacity: dictionary.count)
        for rule in ItemSchema.of(itemClass).rules {
            attributes[rule.attribute] = dictionary[rule.attribute.name].flatMap { AttributeValue($0) }
        }
        let name = dictionary[kSecAttrAccessible as String] as? String ?? ""
        guard let data = dictionary[kSecValuePersistentRef as String] as? Data,
            let reference = PersistentReference(system: data, of: itemClass)
        else { throw StatusError(.internalInconsistency) }
        self.init(
            reference: reference,
            attributes: attributes,
            accessControl: KeychainModel.AccessControl(
                protection: ProtectionClass(name: name) ?? itemClass.defaultProtection
            ),
            secret: (dictionary[kSecValueData as String] as? Data).map { SecretBytes($0).buffer }
        )
    }
}

extension AttributeValue {
    /// Converts a value that a `SecItem` function returned; `nil` unless it is a string, data, a date or a number.
    fileprivate init?(_ object: Any) {
        switch object {
        case let string as String: self = .string(string)
        case let data as Data: self = .data(Array(data))
        case let date as Date: self = .date(date.timeIntervalSinceReferenceDate)
        case let number as NSNumber: self = .number(number.int64Value)
        default: return nil
        }
    }
}

#if canImport(Darwin)
extension ItemReference {
    /// Creates a reference to a generic password from the bytes that the `SecItem` functions return.
    package init?(system data: Data) {
        guard let reference = PersistentReference(system: data, of: .genericPassword) else { return nil }
        self.init(reference)
    }
}
#endif

/// Converts persistent references of the system, which end in a 16-byte identifier or an 8-byte row number.
extension PersistentReference {
    init?(system data: Data, of itemClass: ItemClass) {
        var bytes = data.dropFirst(4)
        if bytes.count == 8 { bytes += Data(count: 8) }
        guard let item = Bytes16(Array(bytes)) else { return nil }
        self.init(itemClass: itemClass, item: item)
    }

    fileprivate var systemData: Data {
        #if canImport(Darwin)
        if item.secondHalf == .zero { return Data(bytes.dropLast(8)) }
        #endif
        return Data(bytes)
    }
}
