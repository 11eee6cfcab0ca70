// SPDX-License-Identifier: Apache-2.0

package import Foundation
import KeychainModel

/// The four calls from dictionary to result: read, carried to the keychain, shaped.
enum ItemCall {
    static func add(_ attributes: NSDictionary) throws(KeychainError) -> AnyObject? {
        let query = try QueryDictionary(attributes, as: .add)
        guard let item = try items(query.addRequest(), query).first else { return nil }
        return query.results.result(ofAdded: item, with: query.accessControl)
    }

    static func copyMatching(_ dictionary: NSDictionary) throws(KeychainError) -> AnyObject? {
        let query = try QueryDictionary(dictionary, as: .copy)
        return try query.results.result(of: items(query.copyRequest(), query), limit: query.limit ?? .one)
    }

    static func update(_ query: NSDictionary, _ newValues: NSDictionary) throws(KeychainError) -> AnyObject? {
        let query = try QueryDictionary(query, as: .update)
        let newValues = try QueryDictionary(newValues, as: .newValues)
        _ = try items(query.updateRequest(newValues: newValues), query)
        return nil
    }

    static func delete(_ dictionary: NSDictionary) throws(KeychainError) -> AnyObject? {
        let query = try QueryDictionary(dictionary, as: .delete)
        _ = try items(query.deleteRequest(), query)
        return nil
    }

    /// What a query finds, before dictionaries are made of it.
    static func find(_ dictionary: NSDictionary) throws(KeychainError) -> [FoundItem] {
        let query = try QueryDictionary(dictionary, as: .copy)
        return try items(query.copyRequest(), query)
    }

    private static func items(
        _ request: Request,
        _ query: QueryDictionary
    ) throws(KeychainError) -> [FoundItem] {
        var call = ItemAuthentication(query.authentication)
        return switch try call.perform(request) {
        case .items(let items): items
        case .done, .status: []
        }
    }
}

extension QueryDictionary {
    /// How results are shaped; of an identity that the caller has already, only a persistent reference is.
    fileprivate var results: ResultDictionary {
        ResultDictionary(
            returning: identity == nil ? returning : returning.intersection(.persistentReference)
        )
    }
}

/// A password that a wrapper of this package migrates: what a dictionary of it says, at a part of what that costs.
package struct SecPasswordContent: Sendable {
    package let reference: Data
    /// `nil` for an item without one.
    package let account: Account?
    package let accessible: String?
    package let modified: Date?
    package let value: Data?

    package enum Account: Sendable {
        case text(String)
        case bytes(Data)
        case number(Int64)
    }

    fileprivate init(_ item: FoundItem) {
        reference = item.reference.data
        account = item.attributes[.account].flatMap { Account($0) }
        accessible = if case .text(let name)? = item.attributes[.accessible] { name } else { nil }
        modified = item.attributes[.modificationDate].flatMap { Date($0) }
        value = item.secret
    }
}

extension SecPasswordContent.Account {
    fileprivate init?(_ value: AttributeValue) {
        switch value {
        case .text(let text): self = .text(text)
        case .data(let data): self = .bytes(data)
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

/// Finds what `SecItemCopyMatching` would; the query asks for attributes, values and persistent references of all.
package func SecItemCopyPasswords(_ query: CFDictionary) -> (status: OSStatus, items: [SecPasswordContent]) {
    do throws(KeychainError) {
        return (errSecSuccess, try ItemCall.find(query).map { SecPasswordContent($0) })
    } catch {
        return (error.status.rawValue, [])
    }
}
