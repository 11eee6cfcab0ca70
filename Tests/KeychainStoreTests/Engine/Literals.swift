// SPDX-License-Identifier: Apache-2.0

import Foundation
package import KeychainModel

extension Attributes: ExpressibleByDictionaryLiteral {
    package init(dictionaryLiteral elements: (Attribute, AttributeValue)...) {
        self.init()
        for (attribute, value) in elements { self[attribute] = value }
    }

    /// Returns these attributes, overridden by `changes`.
    func with(_ changes: Attributes) -> Self {
        var merged = self
        for entry in changes.entries { merged[entry.attribute] = entry.value }
        return merged
    }
}

extension AttributeValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
    package init(stringLiteral value: String) { self = .string(value) }

    package init(integerLiteral value: Int64) { self = .number(value) }

    /// The string of a string value; `nil` for values of other types.
    var text: String? { if case .string(let text) = self { text } else { nil } }

    /// The seconds of a date value since 2001; `nil` for values of other types.
    var seconds: Double? { if case .date(let seconds) = self { seconds } else { nil } }
}
