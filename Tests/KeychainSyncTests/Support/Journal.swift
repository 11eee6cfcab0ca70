// SPDX-License-Identifier: Apache-2.0

import KeychainModel
import KeychainSync
import KeychainTestSupport
import Testing

/// The changes that succeeded on devices; none of them may be lost.
struct Journal {
    /// A change of an item that succeeded on a device.
    private struct Entry {
        let account: String
        /// The value that the change replaced; `nil` if there was no item.
        let replaced: String?
        /// The value, unique in a run; `nil` for a deletion.
        let value: String?
    }

    private var entries: [Entry] = []

    var count: Int { entries.count }

    /// Adds, updates or deletes an item on a device, and notes the change if the call succeeds.
    ///
    /// A change fails if the agent has changed the item after its value was read: the change selects the item by its
    /// comment attribute, which repeats that value.
    mutating func change(
        _ device: Device,
        _ account: String,
        to value: String,
        _ generator: inout SeededGenerator
    ) {
        let isDeletion = Int.random(in: 0..<5, using: &generator) == 0
        let protection = [ProtectionClass.whenUnlocked, .afterFirstUnlock].randomElement(using: &generator)
        do {
            guard let old = try device.value(account) else {
                try device.add(account, value, protection: protection ?? .whenUnlocked, comment: value)
                return entries.append(Entry(account: account, replaced: nil, value: value))
            }
            if isDeletion {
                try device.delete(account, comment: old)
            } else {
                try device.update(account, value, [.comment: .string(value)], comment: old)
            }
            entries.append(Entry(account: account, replaced: old, value: isDeletion ? nil : value))
        } catch {
            // The device is locked, or the agent changed the item first.
        }
    }

    /// Expects equal items on all devices, none of them with a value that was replaced or deleted.
    ///
    /// Each other value of the journal must be the value of an item or of a conflict.
    func check(_ devices: [Device]) throws {
        var present: [String: String] = [:]
        for account in Set(entries.map(\.account)) {
            let values = try devices.map { try $0.value(account) }
            #expect(Set(values).count == 1, "\(account): \(values)")
            present[account] = values[0]
        }
        let conflicts = Set(try devices.flatMap { try $0.conflicts })
        let replaced = Set(entries.compactMap(\.replaced))
        for entry in entries {
            if let former = entry.replaced {
                let change = entry.value == nil ? "deletion" : "change"
                #expect(
                    present[entry.account] != former,
                    "\(entry.account): the \(change) of \(former) is lost"
                )
            }
            guard let value = entry.value else { continue }
            let isKept =
                present[entry.account] == value || conflicts.contains(value) || replaced.contains(value)
            #expect(isKept, "\(entry.account): \(value) is lost")
        }
        for device in devices {
            let status = try SyncStore(device.keychain).status()
            #expect(status.outbox == 0)
            #expect(status.locked == 0)
        }
    }
}
