// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import KeychainTransport

/// The four calls from dictionary to result: read, carried to the keychain, shaped.
enum ItemCall {
    static func add(_ attributes: NSDictionary) throws(KeychainError) -> AnyObject? {
        let newItem = try QueryDictionary.newItem(attributes)
        guard let item = try items(.add(newItem)).first else { return nil }
        return ResultDictionary(returning: newItem.returning).result(ofAdded: item, adding: newItem)
    }

    static func copyMatching(_ query: NSDictionary) throws(KeychainError) -> AnyObject? {
        let request = try QueryDictionary.copyRequest(query)
        let items = try items(.copy(request))
        return ResultDictionary(returning: request.returning).result(of: items, limit: request.limit)
    }

    static func update(_ query: NSDictionary, _ newValues: NSDictionary) throws(KeychainError) -> AnyObject? {
        _ = try items(.update(QueryDictionary.updateRequest(query, newValues: newValues)))
        return nil
    }

    static func delete(_ query: NSDictionary) throws(KeychainError) -> AnyObject? {
        _ = try items(.delete(QueryDictionary.deleteRequest(query)))
        return nil
    }

    private static func items(_ request: Request) throws(KeychainError) -> [FoundItem] {
        switch try SystemKeychain.perform(request) {
        case .items(let items): items
        case .done, .status: []
        }
    }
}
