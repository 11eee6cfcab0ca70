// SPDX-License-Identifier: Apache-2.0

import KeychainModel
import KeychainStore

/// The private keys of one store that only the daemon uses.
///
/// Each key has two items. The visible one is in the caller's access group and has the public half as its value. The
/// private half is in ``KeyToken/privateGroup``, which the system service gives to no program. The private half
/// has the access control of the key. The visible item has only its minimum level, so the user authenticates when the key
/// is used, and not when its visible item is read. The store deletes the private half in the transaction that deletes the
/// visible item.
struct TokenKeys {
    let token: any PrivateKeyToken
    let keychain: EmbeddedKeychain
    let caller: Caller
    let credential: Credential

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
        visible.accessControl = item.accessControl?.onlyMinimumLevel
        visible.returning = [.attributes, .persistentReference]
        let found = try keychain.add(
            visible,
            for: caller,
            and: { Self.hidden(key.privateHalf, of: $0.reference, like: item) },
            for: KeyToken.owner,
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
        var attributes = KeyToken.privateHalf(of: key)
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

    /// Signs or does key agreement with a key whose item the caller may read.
    ///
    /// The credential must satisfy the key's access control.
    func use(_ request: UseTokenKeyRequest) throws(StatusError) -> Response {
        var filter = ItemFilter(itemClass: .key)
        filter.reference = request.key
        let visible = CopyRequest(filter: filter, returning: .attributes)
        guard case .items(let keys) = try keychain.perform(.copy(visible), for: caller, with: credential),
            keys.first?.attributes[.tokenID] == .string(KeyToken.identifier)
        else { throw StatusError(.itemNotFound) }
        let hidden = ItemFilter(
            itemClass: .genericPassword,
            attributes: KeyToken.privateHalf(of: request.key)
        )
        let copy = Request.copy(CopyRequest(filter: hidden, returning: .data))
        guard case .items(let items) = try keychain.perform(copy, for: KeyToken.owner, with: credential),
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
}
