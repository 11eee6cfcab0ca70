// SPDX-License-Identifier: Apache-2.0

import KeychainClient
import KeychainModel

/// An item, collection or alias of this service, stored as a generic password.
///
/// The owner is the access group of the program that created the item, collection or alias.
///
/// | Attribute | Item | Collection | Alias |
/// |---|---|---|---|
/// | service | `secret-service:` and the collection | `secret-service-collection` | `secret-service-alias` |
/// | account | the ID | the path element | the owner, `/` and the alias |
/// | label | the label | the label | – |
/// | comment | the owner | the owner | the collection |
/// | generic | the attributes | – | – |
/// | description | the content type | – | – |
enum KeychainRecord {
    static let itemService = "secret-service:"
    static let collectionService = "secret-service-collection"
    static let aliasService = "secret-service-alias"
    private static let secondsTo2001: Double = 978_307_200

    case item(ServiceItem)
    case collection(ServiceCollection)
    case alias(CollectionAlias, collection: String)

    /// Parses the attributes of a generic password; `nil` if this service has not written it.
    init?(_ attributes: Attributes) {
        guard let service = Self.text(attributes[.service]), let account = Self.text(attributes[.account]),
            let comment = Self.text(attributes[.comment])
        else { return nil }
        if service.hasPrefix(Self.itemService) {
            let collection = String(service.dropFirst(Self.itemService.count))
            guard let item = Self.item(account, in: collection, owner: comment, attributes) else {
                return nil
            }
            self = .item(item)
        } else if service == Self.collectionService {
            self = .collection(
                ServiceCollection(
                    name: account,
                    owner: comment,
                    label: Self.text(attributes[.label]) ?? "",
                    created: Self.seconds(attributes[.creationDate]),
                    modified: Self.seconds(attributes[.modificationDate])
                )
            )
        } else if service == Self.aliasService, let slash = account.lastIndex(of: "/") {
            let alias = CollectionAlias(
                owner: String(account[..<slash]),
                name: String(account[account.index(after: slash)...])
            )
            self = .alias(alias, collection: comment)
        } else {
            return nil
        }
    }

    private static func item(
        _ id: String,
        in collection: String,
        owner: String,
        _ attributes: Attributes
    ) -> ServiceItem? {
        guard let list = text(attributes[.generic]), let pairs = AttributeString.parse(list) else {
            return nil
        }
        return ServiceItem(
            id: id,
            collection: collection,
            owner: owner,
            label: text(attributes[.label]) ?? "",
            attributes: pairs,
            contentType: text(attributes[.description]) ?? "text/plain",
            created: seconds(attributes[.creationDate]),
            modified: seconds(attributes[.modificationDate])
        )
    }

    /// The attributes that select the generic password.
    var identity: Attributes {
        var attributes = Attributes()
        switch self {
        case .item(let item):
            attributes[.service] = .string(Self.itemService + item.collection)
            attributes[.account] = .string(item.id)
        case .collection(let collection):
            attributes[.service] = .string(Self.collectionService)
            attributes[.account] = .string(collection.name)
        case .alias(let alias, _):
            attributes[.service] = .string(Self.aliasService)
            attributes[.account] = .string("\(alias.owner)/\(alias.name)")
        }
        return attributes
    }

    var content: Attributes {
        var attributes = Attributes()
        switch self {
        case .item(let item):
            attributes[.label] = .string(item.label)
            attributes[.comment] = .string(item.owner)
            attributes[.generic] = .string(AttributeString.format(item.attributes))
            attributes[.description] = .string(item.contentType)
        case .collection(let collection):
            attributes[.label] = .string(collection.label)
            attributes[.comment] = .string(collection.owner)
        case .alias(_, let collection):
            attributes[.comment] = .string(collection)
        }
        return attributes
    }

    private static func text(_ value: AttributeValue?) -> String? {
        switch value {
        case .string(let text): text
        case .data(let bytes): String(validating: bytes, as: UTF8.self)
        default: nil
        }
    }

    private static func seconds(_ value: AttributeValue?) -> UInt64 {
        guard case .date(let date) = value else { return 0 }
        return UInt64(exactly: max(0, date + secondsTo2001).rounded(.down)) ?? 0
    }
}
