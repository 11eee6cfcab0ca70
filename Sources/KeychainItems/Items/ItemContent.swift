// SPDX-License-Identifier: Apache-2.0

package import KeychainModel

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The stored attributes of an item.
///
/// ``KeychainItem`` has typed properties for these attributes.
public struct ItemContent: Hashable, Sendable {
    package var attributes = Attributes()
    package var accessControl: KeychainModel.AccessControl?
    package var reference: PersistentReference?
    /// A value that is not secret: the DER of a certificate.
    package var value: SecretBuffer?

    package init() {}

    package init(_ found: FoundItem) {
        attributes = found.attributes
        accessControl = found.accessControl.isExplicit ? found.accessControl : nil
        reference = found.reference
    }

    subscript(attribute: Attribute) -> ItemString? {
        get { attributes[attribute].map { ItemString($0) } }
        set { attributes[attribute] = newValue?.value }
    }

    subscript(bytes attribute: Attribute) -> [UInt8]? {
        get { attributes[attribute]?.canonicalBytes }
        set { attributes[attribute] = newValue.map { .data(Array($0)) } }
    }

    subscript(number attribute: Attribute) -> Int64? {
        get { if case .number(let number)? = attributes[attribute] { number } else { nil } }
        set { attributes[attribute] = newValue.map { .number($0) } }
    }

    subscript(flag attribute: Attribute) -> Bool? {
        get { self[number: attribute].map { $0 != 0 } }
        set { self[number: attribute] = newValue.map { $0 ? 1 : 0 } }
    }

    subscript(date attribute: Attribute) -> Date? {
        get {
            guard case .date(let seconds)? = attributes[attribute] else { return nil }
            return Date(timeIntervalSinceReferenceDate: seconds)
        }
        set { attributes[attribute] = newValue.map { .date($0.timeIntervalSinceReferenceDate) } }
    }
}
