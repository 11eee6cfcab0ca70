// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import KeychainStore

enum Finding: Hashable, Sendable {
    case doesNotOpen(StatusError)
    case cannotBeListed(StatusError)
    case cannotBeRead(StatusError)
    case cannotBeWritten(StatusError)
    case acknowledgedWriteLost
    /// The store has contents that it never had: a part of an operation, or a wrong value.
    case neverWasLikeThis
}

/// Opens a store as the next process would, and compares its contents.
struct StoreCheck {
    let directory: String

    /// Checks the store.
    ///
    /// - Parameters:
    ///   - allowed: The inventories of which the store must have one.
    ///   - older: Earlier inventories; if the store has one of them, an acknowledged write was lost.
    ///   - writing: Whether to add an item, to resume a rotation of keys, and to search for the item, too.
    /// - Returns: The first finding; `nil` if the store is correct.
    func finding(allowed: [Inventory], older: ArraySlice<Inventory> = [], writing: Bool = false) -> Finding? {
        let keychain: EmbeddedKeychain
        do throws(StatusError) {
            keychain = try EmbeddedKeychain(at: StoreLocation(directory: directory, createsIfMissing: false))
        } catch { return .doesNotOpen(error) }
        return Self.finding(in: keychain, allowed: allowed, older: older, writing: writing)
    }

    static func finding(
        in keychain: EmbeddedKeychain,
        allowed: [Inventory],
        older: ArraySlice<Inventory> = [],
        writing: Bool = false
    ) -> Finding? {
        let stored: Inventory
        do throws(StatusError) { stored = try inventory(of: keychain) } catch {
            return .cannotBeListed(error)
        }
        guard allowed.contains(stored) else {
            return older.contains(stored) ? .acknowledgedWriteLost : .neverWasLikeThis
        }
        if let (account, entry) = stored.first(where: { $0.key != Operation.passcode }) {
            do throws(StatusError) {
                guard try secret(of: account, in: keychain) == entry.secret else { return .neverWasLikeThis }
            } catch { return .cannotBeRead(error) }
        }
        return writing ? findingAfterWriting(to: keychain, holding: stored) : nil
    }

    private static func findingAfterWriting(
        to keychain: EmbeddedKeychain,
        holding stored: Inventory
    ) -> Finding? {
        let addition = Operation.add("added after the crash", Scenario.entry(0, round: 99))
        do throws(StatusError) {
            try addition.perform(on: keychain)
            if try keychain.isRotatingKeys() { _ = try keychain.resumeKeyRotation { _, _ in true } }
            return try inventory(of: keychain) == addition.applied(to: stored) ? nil : .neverWasLikeThis
        } catch { return .cannotBeWritten(error) }
    }

    /// Unlocks the store, and returns its items and its passcode as an inventory.
    static func inventory(of keychain: EmbeddedKeychain) throws(StatusError) -> Inventory {
        let passcode = try unlocked(keychain)
        var inventory = try items(of: keychain)
        if let passcode { inventory[Operation.passcode] = Operation.entry(of: passcode) }
        return inventory
    }

    /// Returns the items of an unlocked store as an inventory.
    static func items(of keychain: EmbeddedKeychain) throws(StatusError) -> Inventory {
        let everything = CopyRequest(
            filter: ItemFilter(itemClass: .genericPassword, synchronizable: .any),
            limit: .all,
            returning: [.data, .attributes]
        )
        var inventory: Inventory = [:]
        for item in try items(everything, of: keychain) {
            guard case .string(let account)? = item.attributes[.account],
                case .string(let label)? = item.attributes[.label],
                let secret = item.secret,
                inventory.updateValue(Entry(label: label, secret: secret), forKey: account) == nil
            else { throw StatusError(.undecodable, .recordDamaged) }
        }
        return inventory
    }

    /// Unlocks the store, and returns which of the scenario's passcodes it has; `nil` without a passcode.
    private static func unlocked(_ keychain: EmbeddedKeychain) throws(StatusError) -> String? {
        guard case .status(let status) = try keychain.perform(.status, for: Operation.caller),
            status.passcodeIsSet
        else { return nil }
        for passcode in Operation.passcodes {
            do throws(StatusError) {
                try Operation.unlock(passcode).perform(on: keychain)
                return passcode
            } catch {
                guard error.reason == .passcodeWrong else { throw error }
            }
        }
        throw StatusError(.authenticationFailed, .passcodeWrong)
    }

    private static func secret(
        of account: String,
        in keychain: EmbeddedKeychain
    ) throws(StatusError) -> SecretBuffer? {
        let query = CopyRequest(filter: Operation.filter(account: account), returning: .data)
        return try items(query, of: keychain).first?.secret
    }

    private static func items(
        _ query: CopyRequest,
        of keychain: EmbeddedKeychain
    ) throws(StatusError) -> [FoundItem] {
        do throws(StatusError) {
            guard case .items(let items) = try keychain.perform(.copy(query), for: Operation.caller) else {
                return []
            }
            return items
        } catch {
            guard error.status == .itemNotFound else { throw error }
            return []
        }
    }
}
