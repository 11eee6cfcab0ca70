// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel

extension QueryDictionary {
    /// Returns the attributes in the types that the item class stores, without `kSecAttrSynchronizable`.
    func attributes(of itemClass: ItemClass) throws(StatusError) -> Attributes {
        let schema = ItemSchema.of(itemClass)
        var attributes = Attributes(reservingCapacity: supplied.count + 1)
        for entry in supplied {
            let value = try Self.convert(entry, by: schema, role)
            if entry.attribute != .synchronizable { attributes[entry.attribute] = value }
        }
        try check(protection: attributes[.accessible])
        return attributes
    }

    private static func convert(
        _ entry: SuppliedAttribute,
        by schema: ItemSchema,
        _ role: DictionaryRole
    ) throws(StatusError) -> AttributeValue {
        guard let rule = schema[entry.attribute] else {
            throw StatusError(.noSuchAttribute, .foreignAttribute, attribute: entry.attribute)
        }
        if rule.traits.contains(.refused) || (role == .newValues && entry.attribute == .sharingGroup) {
            throw StatusError(.invalidParameter, .notAllowedHere, attribute: entry.attribute)
        }
        if rule.traits.contains(.restricted) {
            throw StatusError(.missingEntitlement, .restrictedAttribute, attribute: entry.attribute)
        }
        switch (entry.attribute, entry.value) {
        case (.accessGroup, .string): break
        case (.accessGroup, _) where role != .copy:
            // Apple's functions, except SecItemCopyMatching, check that the program is in the access group
            // before they check the type of the value, so they report a value that is not a string as a group
            // of other programs.
            throw StatusError(.missingEntitlement, .foreignAccessGroup, attribute: .accessGroup)
        case (.issuer, .data): break
        case (.issuer, _): throw StatusError(.invalidParameter, .wrongValueType, attribute: .issuer)
        default: break
        }
        return try rule.kind.convert(entry.value, for: entry.attribute)
    }

    /// Throws for an unknown protection class, or one that contradicts the access control.
    private func check(protection value: AttributeValue?) throws(StatusError) {
        guard let value else { return }
        guard case .string(let name) = value, let protection = ProtectionClass(name: name) else {
            throw StatusError(.invalidParameter, .wrongValueType, attribute: .accessible)
        }
        if let accessControl, accessControl != AccessControl(protection: protection) {
            throw StatusError(.invalidParameter, .conflictingKeys, attribute: .accessControl)
        }
    }

    /// Returns the filter that `kSecAttrSynchronizable` selects; `nil` if the dictionary lacks this key.
    func synchronizable() throws(StatusError) -> ItemFilter.Synchronizable? {
        guard let value = supplied.first(where: { $0.attribute == .synchronizable })?.value else {
            return nil
        }
        if case .string("syna") = value { return .any }
        guard case .number(let number) = try AttributeKind.number.convert(value, for: .synchronizable) else {
            throw StatusError(.invalidParameter, .wrongValueType, attribute: .synchronizable)
        }
        return .exactly(number != 0)
    }

    /// Throws if `kSecAttrSynchronizable` is `true` for an item with an access control.
    ///
    /// Only the Boolean `true` is rejected: the number 1 is accepted, as on Apple's platforms.
    func checkSynchronizableItem() throws(StatusError) {
        guard let accessControl, accessControl.isExplicit else { return }
        for case let entry in supplied where entry.attribute == .synchronizable {
            if case .boolean(true) = entry.value {
                throw StatusError(.invalidParameter, .conflictingKeys, attribute: .synchronizable)
            }
        }
    }
}
