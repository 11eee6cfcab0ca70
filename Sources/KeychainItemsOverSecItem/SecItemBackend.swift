// SPDX-License-Identifier: Apache-2.0

import Foundation

#if canImport(Darwin)
import KeychainModel
import Security
#else
package import KeychainItems
package import KeychainModel
import KeychainServices
#endif

/// Performs the requests of a `Vault` with the `SecItem` functions.
///
/// This is the back end on Apple's platforms, where it is compiled into KeychainItems. On Linux it is a separate
/// module that calls KeychainServices, so that the tests of KeychainItems also run with this back end.
package struct SecItemBackend: ItemBackend {
    package init() {}

    package func perform(
        _ request: Request,
        in session: AuthenticationSession?
    ) throws(StatusError) -> Response {
        switch request {
        case .add(let item): try add(item, session)
        case .copy(let copy): return .items(try items(copy, session))
        case .update(let update): try self.update(update, session)
        case .delete(let delete): try self.delete(delete, session)
        case .set(let set): try self.set(set, session)
        case .addIdentity(let identity): try add(identity, session)
        case .copyIdentities(let copy): return .items(try identities(copy, session))
        case .deleteIdentities(let delete): try self.delete(delete.filter, session)
        case .updateEach, .deleteEach, .makeTokenKey, .useTokenKey, .status: throw StatusError(.unimplemented)
        }
        return .done
    }

    /// Always false, because the `SecItem` functions do not report which access groups they search.
    package var reachesOneGroup: Bool { false }

    package var isBeforeFirstUnlock: Bool { false }

    package var defaultGroup: String? { nil }
}

extension SecItemBackend {
    func add(_ item: NewItem, _ session: AuthenticationSession?) throws(StatusError) {
        try check(SecItemAdd(try item.dictionary(session) as CFDictionary, nil))
    }

    func items(_ request: CopyRequest, _ session: AuthenticationSession?) throws(StatusError) -> [FoundItem] {
        var query = request.filter.dictionary(session)
        switch request.limit {
        case .one: query[kSecMatchLimit as String] = kSecMatchLimitOne
        case .unambiguous: query[kSecMatchLimit as String] = request.limit.count
        case .atMost(let count): query[kSecMatchLimit as String] = count
        case .all: query[kSecMatchLimit as String] = kSecMatchLimitAll
        }
        if request.skipsConstrained {
            query[kSecUseAuthenticationUI as String] = kSecUseAuthenticationUISkip
        }
        query[kSecReturnPersistentRef as String] = true
        // Request attributes only if needed: on Linux, the user must authenticate before the attributes of an
        // item with an access control can be read.
        if request.returning.needsAttributes || request.returning.contains(.data) {
            query[kSecReturnAttributes as String] = true
        }
        if request.returning.contains(.data) { query[kSecReturnData as String] = true }
        var result: CFTypeRef?
        try check(unsafe SecItemCopyMatching(query as CFDictionary, &result))
        let references = (result as? Data).map { [$0] } ?? result as? [Data]
        if let references {
            return try references.map { data throws(StatusError) in
                try FoundItem(reference: data, of: request.filter.itemClass)
            }
        }
        let found: [[String: Any]]
        if let one = result as? [String: Any] {
            found = [one]
        } else {
            found = result as? [[String: Any]] ?? []
        }
        return try found.map { dictionary throws(StatusError) in
            try FoundItem(dictionary, of: request.filter.itemClass)
        }
    }

    func update(_ request: UpdateRequest, _ session: AuthenticationSession?) throws(StatusError) {
        let values = try request.dictionary()
        try check(
            SecItemUpdate(request.filter.dictionary(session) as CFDictionary, values as CFDictionary)
        )
    }

    /// Deletes the matching items.
    ///
    /// `SecItemDelete` supports no limit. For a request with a limit, this function therefore searches with that
    /// limit, and deletes each found item by its persistent reference.
    func delete(_ request: DeleteRequest, _ session: AuthenticationSession?) throws(StatusError) {
        guard request.limit != .all else { return try delete(request.filter, session) }
        var search = CopyRequest(filter: request.filter, limit: request.limit)
        search.returning = .persistentReference
        for item in try items(search, session) {
            var filter = request.filter
            filter.attributes = Attributes()
            filter.reference = item.reference
            try delete(filter, session)
        }
    }

    func delete(_ filter: ItemFilter, _ session: AuthenticationSession?) throws(StatusError) {
        try check(SecItemDelete(filter.dictionary(session) as CFDictionary))
    }

    /// Updates an item, or adds the item if it does not exist.
    ///
    /// Retries up to seven times if another program adds the item between `SecItemUpdate` and `SecItemAdd`, or
    /// deletes it between `SecItemAdd` and the next `SecItemUpdate`.
    func set(_ request: SetRequest, _ session: AuthenticationSession?) throws(StatusError) {
        for _ in 0..<8 {
            do throws(StatusError) {
                return try update(request.update, session)
            } catch {
                guard error.status == .itemNotFound else { throw error }
            }
            do throws(StatusError) {
                return try add(request.item, session)
            } catch {
                guard error.status == .duplicateItem else { throw error }
            }
        }
        throw StatusError(.duplicateItem)
    }

    func check(_ status: OSStatus) throws(StatusError) {
        guard status != errSecSuccess else { return }
        throw StatusError(Status(rawValue: status))
    }
}

#if canImport(Darwin)
extension Vault {
    /// The identifier of the main bundle; without an identifier, the name of the process.
    static var nameOfProgram: String {
        Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName
    }

    static var systemBackend: any ItemBackend { SecItemBackend() }
}
#endif
