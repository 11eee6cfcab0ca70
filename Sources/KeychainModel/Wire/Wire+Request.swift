// SPDX-License-Identifier: Apache-2.0

extension Request: WireValue {
    package func encode(into writer: inout WireWriter) {
        writer.integer(code)
        switch self {
        case .add(let item): writer.value(item)
        case .copy(let request): writer.value(request)
        case .update(let request): writer.value(request)
        case .delete(let request): writer.value(request)
        case .set(let request): writer.value(request)
        case .addIdentity(let identity): writer.value(identity)
        case .copyIdentities(let request): writer.value(request)
        case .updateEach(let requests): writer.list(requests)
        case .deleteEach(let requests): writer.list(requests)
        case .deleteIdentities(let request): writer.value(request)
        case .makeTokenKey(let item): writer.value(item)
        case .useTokenKey(let request): writer.value(request)
        case .status: break
        }
    }

    private var code: UInt8 {
        switch self {
        case .add: 1
        case .copy: 2
        case .update: 3
        case .delete: 4
        case .set: 5
        case .addIdentity: 6
        case .copyIdentities: 7
        case .updateEach: 8
        case .deleteEach: 9
        case .deleteIdentities: 10
        case .status: 11
        case .makeTokenKey: 12
        case .useTokenKey: 13
        }
    }

    package init(from reader: inout WireReader) throws(StatusError) {
        switch try reader.integer(UInt8.self) {
        case 1: self = .add(try reader.value())
        case 2: self = .copy(try reader.value())
        case 3: self = .update(try reader.value())
        case 4: self = .delete(try reader.value())
        case 5: self = .set(try reader.value())
        case 6: self = .addIdentity(try reader.value())
        case 7: self = .copyIdentities(try reader.value())
        case 8: self = .updateEach(try reader.list())
        case 9: self = .deleteEach(try reader.list())
        case 10: self = .deleteIdentities(try reader.value())
        case 11: self = .status
        case 12: self = .makeTokenKey(try reader.value())
        case 13: self = .useTokenKey(try reader.value())
        default: throw WireReader.malformed
        }
    }
}

extension UseTokenKeyRequest: WireValue {
    package func encode(into writer: inout WireWriter) {
        writer.value(key)
        writer.integer(operation.rawValue)
        writer.sized(input)
    }

    package init(from reader: inout WireReader) throws(StatusError) {
        let key: PersistentReference = try reader.value()
        guard let operation = Operation(rawValue: try reader.integer()) else { throw WireReader.malformed }
        self.init(key: key, operation: operation, input: try reader.sized(atMost: Self.largestInput))
    }
}

extension SetRequest: WireValue {
    /// Encodes the update and the new item; if both have the same value, encodes it only once.
    ///
    /// A value can be almost as large as a message, so two would not fit.
    package func encode(into writer: inout WireWriter) {
        var item = item
        let sharesSecret = item.secret != nil && item.secret == update.secret
        if sharesSecret { item.secret = nil }
        writer.value(update)
        writer.flag(sharesSecret)
        writer.value(item)
    }

    package init(from reader: inout WireReader) throws(StatusError) {
        let update: UpdateRequest = try reader.value()
        let sharesSecret = try reader.flag()
        var item: NewItem = try reader.value()
        guard
            sharesSecret
                ? update.secret != nil && item.secret == nil
                : item.secret == nil || item.secret != update.secret
        else { throw WireReader.malformed }
        if sharesSecret { item.secret = update.secret }
        self.init(update: update, item: item)
    }
}

extension NewItem: WireValue {
    package func encode(into writer: inout WireWriter) {
        writer.value(itemClass)
        writer.value(attributes)
        writer.optional(secret)
        writer.optional(accessControl)
        writer.value(returning)
    }

    package init(from reader: inout WireReader) throws(StatusError) {
        self.init(
            itemClass: try reader.value(),
            attributes: try reader.value(),
            secret: try reader.optional(),
            accessControl: try reader.optional(),
            returning: try reader.value()
        )
    }
}

extension NewIdentity: WireValue {
    package func encode(into writer: inout WireWriter) {
        writer.value(certificate)
        writer.value(key)
        writer.value(returning)
    }

    package init(from reader: inout WireReader) throws(StatusError) {
        self.init(certificate: try reader.value(), key: try reader.value(), returning: try reader.value())
    }
}

extension ItemFilter: WireValue {
    package func encode(into writer: inout WireWriter) {
        writer.value(itemClass)
        writer.value(attributes)
        writer.integer(synchronizable.code)
        writer.optional(reference)
        writer.optional(hostOrSubdomain)
        writer.flag(tombstones)
    }

    package init(from reader: inout WireReader) throws(StatusError) {
        self.init(
            itemClass: try reader.value(),
            attributes: try reader.value(),
            synchronizable: try Synchronizable(code: reader.integer()),
            reference: try reader.optional(),
            hostOrSubdomain: try reader.optional(),
            tombstones: try reader.flag()
        )
    }
}

extension ItemFilter.Synchronizable {
    fileprivate var code: UInt8 {
        switch self {
        case .unspecified: 0
        case .exactly(false): 1
        case .exactly(true): 2
        case .any: 3
        }
    }

    fileprivate init(code: UInt8) throws(StatusError) {
        switch code {
        case 0: self = .unspecified
        case 1: self = .exactly(false)
        case 2: self = .exactly(true)
        case 3: self = .any
        default: throw WireReader.malformed
        }
    }
}

/// A request that returns matching items or identities.
package protocol SearchRequest: WireValue {
    associatedtype Filter: WireValue
    var filter: Filter { get }
    var limit: MatchLimit { get }
    var returning: ReturnKeys { get }
    var skipsConstrained: Bool { get set }
    init(filter: Filter, limit: MatchLimit, returning: ReturnKeys)
}

extension SearchRequest {
    package func encode(into writer: inout WireWriter) {
        writer.value(filter)
        writer.value(limit)
        writer.value(returning)
        writer.flag(skipsConstrained)
    }

    package init(from reader: inout WireReader) throws(StatusError) {
        self.init(filter: try reader.value(), limit: try reader.value(), returning: try reader.value())
        skipsConstrained = try reader.flag()
    }
}

extension CopyRequest: SearchRequest {}
extension CopyIdentitiesRequest: SearchRequest {}

extension UpdateRequest: WireValue {
    package func encode(into writer: inout WireWriter) {
        writer.value(filter)
        writer.value(attributes)
        writer.optional(secret)
        writer.optional(accessControl)
    }

    package init(from reader: inout WireReader) throws(StatusError) {
        self.init(
            filter: try reader.value(),
            attributes: try reader.value(),
            secret: try reader.optional(),
            accessControl: try reader.optional()
        )
    }
}

extension DeleteRequest: WireValue {
    package func encode(into writer: inout WireWriter) {
        writer.value(filter)
        writer.flag(leavesTombstones)
        writer.value(limit)
    }

    package init(from reader: inout WireReader) throws(StatusError) {
        self.init(filter: try reader.value(), leavesTombstones: try reader.flag())
        limit = try reader.value()
    }
}

extension IdentityFilter: WireValue {
    package func encode(into writer: inout WireWriter) {
        writer.value(certificate)
        writer.value(key)
    }

    package init(from reader: inout WireReader) throws(StatusError) {
        self.init(certificate: try reader.value(), key: try reader.value())
    }
}

extension DeleteIdentitiesRequest: WireValue {
    package func encode(into writer: inout WireWriter) {
        writer.value(filter)
        writer.flag(leavesTombstones)
    }

    package init(from reader: inout WireReader) throws(StatusError) {
        self.init(filter: try reader.value(), leavesTombstones: try reader.flag())
    }
}
