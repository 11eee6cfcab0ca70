// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainModel
import KeychainTestSupport
import Synchronization
import Testing

@testable import KeychainStore

@Suite(.searchedKeychain, .serialized) struct MemoryTests {
    @Test func `locking leaves no class key, passcode or value in memory`() throws {
        let calls = try Calls()
        let passcode = Hidden(random: 24)
        let value = Hidden(random: 48)
        try calls.keychain.setPasscode(passcode.exposed, cost: LockedStore.cost)
        for name in ["ak", "aku", "akpu"] {
            try Self.add(value, as: name, to: calls)
        }
        try calls.keychain.lock()
        try calls.keychain.unlock(with: passcode.exposed)
        let keys = try ["ak", "aku", "akpu"].flatMap { name -> [Hidden] in
            #expect(try calls.find(.generic([.accessible: .string(name)]), returning: .attributes).count == 1)
            let protection = try #require(ProtectionClass(name: name))
            return try calls.keychain.read { session throws(StatusError) in
                let key = try session.state.keys.classKey(for: protection)
                return [key.attributes, key.secrets].map { $0.withBytes { Hidden($0) } }
            }
        }
        // The search must find the keys while they exist; otherwise finding none later would prove nothing.
        #expect(Hidden.counts(of: keys).allSatisfy { $0 > 0 })
        let control = value.exposed
        #expect(value.count == 1)
        _ = consume control

        try calls.keychain.lock()
        #expect(Hidden.counts(of: keys) == keys.map { _ in 0 })
        #expect(passcode.count == 0)
        #expect(value.count == 0)
    }

    @Test(arguments: [true, false])
    func `a backup leaves no value in memory`(isCompleted: Bool) throws {
        let calls = try Calls()
        let value = Hidden(random: 48)
        for number in 0..<16 {
            // Small and large values alternate, so that some values do not fit into the rest of the backup's
            // buffer.
            let count = number.isMultiple(of: 2) ? 30_000 : 110_000
            let secret = value.exposed.withBytes { value in
                SecretBuffer(count: count) { $0.copyMemory(from: value) }
            }
            try calls.add([.account: .string("canary \(number)")], secret, returning: [])
        }
        #expect(value.count == 0)
        var written = 0
        do throws(StatusError) {
            _ = try calls.keychain.backUp(
                under: Backup.secret(Backup.passphrase),
                cost: Backup.cost,
                { _, _ in true }
            ) { chunk throws(StatusError) in
                written += chunk.count
                if !isCompleted, written > 1_000 { throw StatusError(.inputOutput) }
            }
        } catch {
            #expect(!isCompleted)
        }
        #expect(written > 30_000)
        #expect(value.count == 0)
    }

    @Test func `an authentication result is erased when it is released`() throws {
        let calls = try Calls()
        let passcode = Hidden(random: 24)
        try calls.keychain.setPasscode(passcode.exposed, cost: LockedStore.cost)
        let control = AccessControl(protection: .whenUnlocked, flags: 1)
        try calls.add([.account: "canary a"], accessControl: control)
        let filter = ItemFilter.generic([.account: "canary a"])
        let copy = Request.copy(CopyRequest(filter: filter, returning: .attributes))
        var credential = Credential(accessControlKey: try calls.keychain.authenticate(with: passcode.exposed))
        _ = try calls.keychain.perform(copy, for: calls.caller, with: credential)
        let keys = try Self.keys(of: #require(credential.accessControlKey))
        // The search must find the keys while they exist; otherwise finding none later would prove nothing.
        withExtendedLifetime(credential) {
            #expect(Hidden.counts(of: keys).allSatisfy { $0 > 0 })
        }
        #expect(passcode.count == 0)
        credential = .none
        #expect(Hidden.counts(of: keys) == keys.map { _ in 0 })
        #expect(throws: control.authenticationNeeded) { try calls.keychain.perform(copy, for: calls.caller) }
        #expect(Hidden.counts(of: keys) == keys.map { _ in 0 })
    }

    /// The secret bytes to search memory for: the access control key and the private key derived from it.
    private static func keys(of key: AccessControlKey) -> [Hidden] {
        [key.key, key.privateKey].map { key in key.withBytes { Hidden($0) } }
    }

    private static func add(_ value: Hidden, as name: String, to calls: Calls) throws {
        let secret = value.exposed.withBytes { SecretBuffer(copying: $0) }
        try calls.add(
            [.account: .string("canary \(name)"), .accessible: .string(name)],
            secret,
            returning: []
        )
    }

    @Test func `secret bytes are excluded from core dumps and erased`() throws {
        let hidden = Hidden(random: 32)
        do {
            let secret = hidden.exposed
            #expect(hidden.count == 1)
            let flags = try #require(secret.withBytes { Self.flags(of: $0) })
            #expect(flags.contains("dd"))
            // Checks the `lo` (locked) flag only if the limit of locked memory is at least 64 KiB; containers
            // may allow none.
            var limit = rlimit()
            getrlimit(__rlimit_resource_t(8), &limit)
            if limit.rlim_cur >= 1 << 16 { #expect(flags.contains("lo")) }
        }
        #expect(hidden.count == 0)
        var bytes = hidden.exposed.withBytes { Array($0) }
        _ = SecretBytes(moving: &bytes)
        #expect(hidden.count == 0)
    }

    /// Returns the kernel's flags (`VmFlags` in smaps) of the mapping that contains `bytes`, or `nil` without one.
    private static func flags(of bytes: UnsafeRawBufferPointer) -> [Substring]? {
        let address = UInt(bitPattern: bytes.baseAddress)
        let file = FileHandle(forReadingAtPath: "/proc/self/smaps")
        let map = String(decoding: file?.readDataToEndOfFile() ?? Data(), as: UTF8.self)
        var isInside = false
        for line in map.split(separator: "\n") {
            let range = line.prefix { $0 != " " }.split(separator: "-").compactMap { UInt($0, radix: 16) }
            if range.count == 2 { isInside = range[0] <= address && address < range[1] }
            if isInside, line.hasPrefix("VmFlags:") { return line.dropFirst(8).split(separator: " ") }
        }
        return nil
    }
}
