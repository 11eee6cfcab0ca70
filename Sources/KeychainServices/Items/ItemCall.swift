// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import KeychainObjects
import KeychainUserPresence

/// Performs `SecItem` calls: parses the dictionaries, performs the request and builds the result.
enum ItemCall {
    static func add(_ attributes: NSDictionary) throws(StatusError) -> AnyObject? {
        let query = try QueryDictionary(attributes, as: .add)
        guard let item = try items(query.addRequest(), query).first else { return nil }
        return query.results.result(ofAdded: item, with: query.accessControl)
    }

    static func copyMatching(_ dictionary: NSDictionary) throws(StatusError) -> AnyObject? {
        let query = try QueryDictionary(dictionary, as: .copy)
        return try query.results.result(of: items(query.copyRequest(), query), limit: query.limit ?? .one)
    }

    static func update(_ query: NSDictionary, _ newValues: NSDictionary) throws(StatusError) -> AnyObject? {
        let query = try QueryDictionary(query, as: .update)
        let newValues = try QueryDictionary(newValues, as: .newValues)
        _ = try items(query.updateRequest(newValues: newValues), query)
        return nil
    }

    static func delete(_ dictionary: NSDictionary) throws(StatusError) -> AnyObject? {
        let query = try QueryDictionary(dictionary, as: .delete)
        _ = try items(query.deleteRequest(), query)
        return nil
    }

    /// Lets securityd create and keep a private key; returns its item, whose secret is the public key.
    static func makeTokenKey(
        _ attributes: NSDictionary
    ) throws(StatusError) -> (item: FoundItem, context: ContextState?) {
        let query = try QueryDictionary(attributes, as: .add)
        let new = try query.newItem(of: .key, object: nil, returning: [])
        guard let item = try items(.makeTokenKey(new), query).first else {
            throw StatusError(.internalInconsistency)
        }
        return (item, query.authentication.state)
    }

    /// Returns all matching items with attributes and secrets, without building result dictionaries.
    static func findAll(_ dictionary: NSDictionary) throws(StatusError) -> [FoundItem] {
        let query = try QueryDictionary(dictionary, as: .copy)
        guard case .copy(var copy) = try query.copyRequest() else { return [] }
        copy.limit = .all
        copy.returning = [.attributes, .data]
        return try items(.copy(copy), query)
    }

    private static func items(
        _ request: Request,
        _ query: QueryDictionary
    ) throws(StatusError) -> [FoundItem] {
        if var search = CertificateSearch(request, query.certificateTest) {
            var call = ItemAuthentication(query.authentication)
            return try search.items { request throws(StatusError) in try call.perform(request) }
        }
        return switch try ItemAuthentication.perform(request, with: query.authentication) {
        case .items(let items): items
        case .done, .status: []
        }
    }
}

extension QueryDictionary {
    /// The builder of results with the requested return keys.
    ///
    /// If the dictionary contains an identity, only its persistent reference can be returned.
    fileprivate var results: ResultDictionary {
        ResultDictionary(
            returning: identity == nil ? returning : returning.intersection(.persistentReference),
            context: authentication.state
        )
    }
}
