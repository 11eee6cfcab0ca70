// SPDX-License-Identifier: Apache-2.0

package import Foundation
import KeychainModel
import KeychainObjects

/// The fields of a password that Valet reads to migrate it; cheaper than a result dictionary.
package struct SecPasswordContent: Sendable {
    package let reference: Data
    package let account: Account?
    package let accessible: String?
    package let modified: Date?
    package let value: Data?

    package enum Account: Sendable {
        case string(String)
        case bytes(Data)
        case number(Int64)
    }

    fileprivate init(_ item: FoundItem) {
        reference = Data(item.reference.bytes)
        account = item.attributes[.account].flatMap { Account($0) }
        accessible = if case .string(let name)? = item.attributes[.accessible] { name } else { nil }
        modified = item.attributes[.modificationDate].flatMap { Date($0) }
        value = item.secret?.data
    }
}

extension SecPasswordContent.Account {
    fileprivate init?(_ value: AttributeValue) {
        switch value {
        case .string(let text): self = .string(text)
        case .data(let data): self = .bytes(Data(data))
        case .number(let number): self = .number(number)
        case .date: return nil
        }
    }
}

extension Date {
    fileprivate init?(_ value: AttributeValue) {
        guard case .date(let seconds) = value else { return nil }
        self.init(timeIntervalSinceReferenceDate: seconds)
    }
}

/// Finds all passwords that match a query, with secrets; ignores its return keys and limit.
package func SecItemCopyPasswords(_ query: CFDictionary) -> (status: OSStatus, items: [SecPasswordContent]) {
    do throws(StatusError) {
        return (errSecSuccess, try ItemCall.findAll(query).map { SecPasswordContent($0) })
    } catch {
        return (OSStatus(recording: error), [])
    }
}
