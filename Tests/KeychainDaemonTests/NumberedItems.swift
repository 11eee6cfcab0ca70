// SPDX-License-Identifier: Apache-2.0

import KeychainClient
import KeychainModel

/// Items with the accounts "canary 0", "canary 1" and so on, each with its own value.
enum NumberedItems {
    static let caller = Caller(applicationIdentifier: "TEAM.test", accessGroups: ["TEAM.app"])

    static func add(
        _ number: Int,
        size: Int = 0,
        isSynchronizable: Bool = false,
        to keychain: DaemonKeychain
    ) throws(StatusError) {
        let addition = addition(number, size: size, isSynchronizable: isSynchronizable)
        _ = try keychain.perform(addition, for: caller, with: .none)
    }

    static func add(together numbers: [Int], to keychain: DaemonKeychain) throws(StatusError) {
        try keychain.perform(
            together: numbers.map { addition($0) },
            with: .none,
            skip: nil,
            progress: { _ in true },
            undone: { _ in }
        )
    }

    static func addition(_ number: Int, size: Int = 0, isSynchronizable: Bool = false) -> Request {
        var attributes = attributes(number)
        attributes[.accessible] = .string("ak")
        attributes[.synchronizable] = .number(isSynchronizable ? 1 : 0)
        return .add(NewItem(itemClass: .genericPassword, attributes: attributes, secret: value(number, size)))
    }

    /// Returns whether reading an item gives this item's value.
    ///
    /// Another value would be the reply to another request.
    static func isStored(
        _ number: Int,
        size: Int = 0,
        in keychain: DaemonKeychain
    ) throws(StatusError) -> Bool {
        let filter = ItemFilter(itemClass: .genericPassword, attributes: attributes(number))
        let request = Request.copy(CopyRequest(filter: filter, returning: .data))
        guard case .items(let items) = try keychain.perform(request, for: caller, with: .none) else {
            return false
        }
        return items.map(\.secret) == [value(number, size)]
    }

    private static func attributes(_ number: Int) -> Attributes {
        var attributes = Attributes()
        attributes[.account] = .string("canary \(number)")
        return attributes
    }

    /// Deletes an item; with `together`, by a call for several changes that contains only this one.
    static func delete(
        _ number: Int,
        isSynchronizable: Bool = false,
        together: Bool = false,
        from keychain: DaemonKeychain
    ) throws(StatusError) {
        var filter = ItemFilter(itemClass: .genericPassword, attributes: attributes(number))
        if isSynchronizable { filter.synchronizable = .exactly(true) }
        let request = Request.delete(DeleteRequest(filter: filter))
        guard together else {
            _ = try keychain.perform(request, for: caller, with: .none)
            return
        }
        try keychain.perform(
            together: [request],
            with: .none,
            skip: nil,
            progress: { _ in true },
            undone: { _ in }
        )
    }

    private static func value(_ number: Int, _ size: Int) -> SecretBuffer {
        let text = Array("canary value \(number)".utf8)
        return SecretBuffer(text + [UInt8](repeating: 0x2E, count: max(0, size - text.count)))
    }
}
