// SPDX-License-Identifier: Apache-2.0

import KeychainModel
import KeychainStore

/// The private keys of one store that only the daemon uses.
///
/// Each key has two items. The visible one is in the caller's access group and has the public half as its value. The
/// private half is in ``KeyToken/privateGroup``, which the system service gives to no program. The private half, and
/// not the visible item, has the access control of the key: the user authenticates when the key is used, and not when
/// its visible item is read.
struct TokenKeys {
    let token: any PrivateKeyToken
    let keychain: EmbeddedKeychain
    let caller: Caller
    let credential: Credential

    private static let owner = Caller(
        applicationIdentifier: KeyToken.privateGroup,
        accessGroups: [KeyToken.privateGroup]
    )
    /// The first bytes of every stored private key, by which the daemon recognizes a private key in a search result.
    private static let mark = Array("KCTOKEN\u{1}".utf8)

    /// Makes a key; returns its visible item.
    func make(_ item: NewItem) throws(StatusError) -> Response {
        // A synchronized item would reach devices that lack the private key.
        guard item.itemClass == .key, item.secret == nil, item.attributes[.synchronizable] != .number(1)
        else { throw StatusError(.invalidParameter, .wrongValueType, attribute: .synchronizable) }
        let key = try token.makeKey()
        var visible = item
        for entry in key.attributes.entries { visible.attributes[entry.attribute] = entry.value }
        visible.attributes[.tokenID] = .string(KeyToken.identifier)
        visible.secret = key.point
        visible.accessControl = item.accessControl.map { AccessControl(protection: $0.protection) }
        visible.returning = [.attributes, .persistentReference]
        let found = try keychain.add(
            visible,
            for: caller,
            and: { Self.hidden(key.privateHalf, of: $0.reference, like: item) },
            for: Self.owner,
            with: credential
        )
        return .items([
            FoundItem(
                reference: found.reference,
                attributes: found.attributes,
                accessControl: item.accessControl ?? found.accessControl,
                secret: key.point
            )
        ])
    }

    private static func hidden(
        _ privateHalf: SecretBuffer,
        of key: PersistentReference,
        like item: NewItem
    ) -> NewItem {
        var attributes = Self.attributes(of: key)
        attributes[.accessGroup] = .string(KeyToken.privateGroup)
        attributes[.accessible] = item.attributes[.accessible]
        let marked = unsafe SecretBuffer(count: mark.count + privateHalf.count) { target in
            unsafe target.copyBytes(from: mark)
            unsafe privateHalf.withUnsafeBytes {
                unsafe UnsafeMutableRawBufferPointer(rebasing: target[mark.count...]).copyMemory(from: $0)
            }
        }
        return NewItem(
            itemClass: .genericPassword,
            attributes: attributes,
            secret: marked,
            accessControl: item.accessControl
        )
    }

    /// The attributes of the item that contains the private half of a key.
    private static func attributes(of key: PersistentReference) -> Attributes {
        var attributes = Attributes()
        let digits = Array("0123456789abcdef")
        let name = key.bytes.reduce(into: "") { name, byte in
            name += [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
        attributes[.account] = .string(name)
        return attributes
    }

    /// Signs or does key agreement with a key whose item the caller may read.
    ///
    /// The credential must satisfy the key's access control.
    func use(_ request: UseTokenKeyRequest) throws(StatusError) -> Response {
        var filter = ItemFilter(itemClass: .key)
        filter.reference = request.key
        let visible = CopyRequest(filter: filter, returning: .attributes)
        guard case .items(let keys) = try keychain.perform(.copy(visible), for: caller),
            keys.first?.attributes[.tokenID] == .string(KeyToken.identifier)
        else { throw StatusError(.itemNotFound) }
        let hidden = ItemFilter(itemClass: .genericPassword, attributes: Self.attributes(of: request.key))
        let copy = Request.copy(CopyRequest(filter: hidden, returning: .data))
        guard case .items(let items) = try keychain.perform(copy, for: Self.owner, with: credential),
            let stored = items.first?.secret, Self.isMarked(stored)
        else { throw StatusError(.itemNotFound) }
        let privateHalf = unsafe stored.withUnsafeBytes { bytes in
            unsafe SecretBuffer(copying: UnsafeRawBufferPointer(rebasing: bytes[Self.mark.count...]))
        }
        let result =
            switch request.operation {
            case .sign: try token.sign(request.input, with: privateHalf)
            case .agree: try token.agree(with: request.input, by: privateHalf)
            }
        return .items([
            FoundItem(
                reference: request.key,
                attributes: Attributes(),
                accessControl: AccessControl(protection: .always),
                secret: result
            )
        ])
    }

    private static func isMarked(_ value: SecretBuffer) -> Bool {
        unsafe value.withUnsafeBytes { unsafe $0.starts(with: mark) }
    }

    /// Removes the items with private keys from a search result, because no client may receive them.
    ///
    /// - Throws: `itemNotFound` if no other item was found.
    static func withoutPrivateHalves(_ response: Response) throws(StatusError) -> Response {
        guard case .items(let items) = response else { return response }
        let others = items.filter { !($0.secret.map(isMarked) ?? false) }
        guard others.count < items.count else { return response }
        guard !others.isEmpty else { throw StatusError(.itemNotFound) }
        return .items(others)
    }

    /// Makes changes; if they delete keys, deletes the items with their private halves, too.
    static func deletingPrivateHalves<Result>(
        in keychain: EmbeddedKeychain,
        of caller: Caller,
        _ changes: [Request],
        _ body: () throws(StatusError) -> Result
    ) throws(StatusError) -> Result {
        guard changes.contains(where: deletesKeys), try keychain.itemCount(in: [KeyToken.privateGroup]) > 0
        else { return try body() }
        let before = try keys(in: keychain, caller.reachesEveryGroup ? nil : caller.accessGroups)
        let result = try body()
        // The changes are durable, so their success is reported even if a private half remains. A private half cannot
        // be used without the visible item of its key.
        guard let remaining = try? keys(in: keychain, nil) else { return result }
        // A key that another program has moved to a group that this caller lacks is in `remaining`: it still exists.
        for key in before.subtracting(remaining) {
            let filter = ItemFilter(itemClass: .genericPassword, attributes: attributes(of: key))
            _ = try? keychain.perform(.delete(DeleteRequest(filter: filter)), for: owner)
        }
        return result
    }

    /// Returns the references of the keys in some access groups, or in all for `nil`.
    private static func keys(
        in keychain: EmbeddedKeychain,
        _ groups: [String]?
    ) throws(StatusError) -> Set<PersistentReference> {
        Set(try keychain.versions(in: groups).map(\.reference).filter { $0.itemClass == .key })
    }

    private static func deletesKeys(_ request: Request) -> Bool {
        switch request {
        case .delete(let delete): delete.filter.itemClass == .key
        case .deleteEach(let deletes): deletes.contains { $0.filter.itemClass == .key }
        case .deleteIdentities: true
        default: false
        }
    }
}
